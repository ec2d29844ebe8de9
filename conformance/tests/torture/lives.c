#include "conformance/tests/torture/lives.h"

#include "assay_gpu.h"
#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/c_api_experimental.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODELS_MAX = 32, WAYS = 3, BATCHES = 3, BYTES_MAX = 1 << 12 };

static const char *const way_names[WAYS] = { "cpu", "fp32", "fp16" };

static struct model_file {
    char name[32];
    char *bytes;
    size_t size;
    bool resizes;   /* its first dimension is a batch */
    bool remembers; /* an inference depends on those before */
    uint64_t right[WAYS][BATCHES];
} models[MODELS_MAX];
static int model_count;

static _Thread_local struct life_end *at; /* the reporter of plug-ins takes no user */

static void add_message(const char *text)
{
    const size_t used = strlen(at->messages);

    snprintf(at->messages + used, sizeof at->messages - used, "%s|", text);
}

static void listen(void *user, const char *format, va_list args)
{
    char line[512];

    (void)user;
    vsnprintf(line, sizeof line, format, args);
    add_message(line);
}

struct life {
    const struct model_file *file;
    TfLiteModel *model;
    TfLiteInterpreterOptions *options;
    TfLiteDelegate *delegate;
    TfLiteInterpreter *in;
};

static bool fill(TfLiteTensor *t, int seed)
{
    unsigned char bytes[BYTES_MAX];
    const size_t n = TfLiteTensorByteSize(t);

    if (n > sizeof bytes)
        abort();
    for (size_t i = 0; i < n / (TfLiteTensorType(t) == kTfLiteFloat32 ? 4 : 1); i++) {
        const int v = (int)((i * 37 + (size_t)seed * 11) % 101);
        const float f = (float)v / 101;

        if (TfLiteTensorType(t) == kTfLiteFloat32)
            memcpy(bytes + 4 * i, &f, 4);
        else
            bytes[i] = (unsigned char)(TfLiteTensorType(t) == kTfLiteBool ? v & 1 : v);
    }
    return TfLiteTensorCopyFromBuffer(t, bytes, n) == kTfLiteOk;
}

static bool infer(struct life *l, uint64_t *hash)
{
    const int *const outputs = TfLiteInterpreterOutputTensorIndices(l->in);

    for (int i = 0; i < TfLiteInterpreterGetInputTensorCount(l->in); i++)
        if (!fill(TfLiteInterpreterGetInputTensor(l->in, i), i))
            return false;
    if (TfLiteInterpreterInvoke(l->in) != kTfLiteOk)
        return false;
    *hash = 0xcbf29ce484222325u;
    for (int i = 0; i < TfLiteInterpreterGetOutputTensorCount(l->in); i++) {
        const TfLiteTensor *const t = TfLiteInterpreterGetOutputTensor(l->in, i);
        unsigned char bytes[BYTES_MAX];
        const size_t n = TfLiteTensorByteSize(t);

        if (n > sizeof bytes)
            abort();
        if (TfLiteInterpreterEnsureTensorDataIsReadable(l->in, outputs[i]) != kTfLiteOk ||
            TfLiteTensorCopyToBuffer(t, bytes, n) != kTfLiteOk)
            return false;
        for (size_t j = 0; j < n; j++)
            *hash = (*hash ^ bytes[j]) * 0x100000001b3u;
    }
    return true;
}

static bool begin(struct life *l, int way, const char *wait, const char *directory)
{
    const char *const keys[] = { "precision", "wait", "serialization_dir", "model_token" };
    const char *const values[] = { way_names[way], wait, directory, l->file->name };

    if (!(l->model =
              TfLiteModelCreateWithErrorReporter(l->file->bytes, l->file->size, listen, NULL)) ||
        !(l->options = TfLiteInterpreterOptionsCreate()))
        return false;
    TfLiteInterpreterOptionsSetErrorReporter(l->options, listen, NULL);
    if (way > 0) {
        l->delegate = tflite_plugin_create_delegate(keys, values, directory ? 4 : 2, add_message);
        if (!l->delegate)
            return false;
        TfLiteInterpreterOptionsAddDelegate(l->options, l->delegate);
    }
    return (l->in = TfLiteInterpreterCreate(l->model, l->options)) != NULL;
}

static void finish(struct life *l)
{
    TfLiteInterpreterDelete(l->in);
    tflite_plugin_destroy_delegate(l->delegate);
    TfLiteInterpreterOptionsDelete(l->options);
    TfLiteModelDelete(l->model);
}

/* The batch is 1 at first, as the file has it. */
static bool shape(struct life *l, int batch, bool resize)
{
    const TfLiteTensor *const x = TfLiteInterpreterGetInputTensor(l->in, 0);
    int dims[8] = { batch };

    for (int i = 1; i < x->dims->size && i < 8; i++)
        dims[i] = x->dims->data[i];
    return (!resize ||
            TfLiteInterpreterResizeInputTensor(l->in, 0, dims, x->dims->size) == kTfLiteOk) &&
           TfLiteInterpreterAllocateTensors(l->in) == kTfLiteOk;
}

void life_run(uint64_t seed, const char *directory, struct life_end *end)
{
    static const char *const waits[] = { "passive", "active" };
    struct life l = { .file = &models[seed % (unsigned)model_count] };
    const int way = (int)((seed >> 8) % WAYS);
    const int invokes = l.file->remembers ? 1 : 1 + (int)((seed >> 16) % 4);
    const bool cached = seed >> 24 & 1;
    int batch = 1;
    bool ok;

    *end = (struct life_end){ .kind = LIFE_RIGHT };
    snprintf(end->what, sizeof end->what, "%s %s%s", l.file->name, way_names[way],
             cached ? " with files" : "");
    at = end;
    ok = begin(&l, way, waits[seed >> 25 & 1], cached ? directory : NULL) && shape(&l, 1, false);
    for (int i = 0; i < invokes && ok && end->kind == LIFE_RIGHT; i++) {
        uint64_t hash;

        if (l.file->resizes && seed >> (32 + i) & 1) {
            batch = 1 + (int)((seed >> (40 + 2 * i)) % BATCHES);
            ok = shape(&l, batch, true);
        }
        if (ok && (ok = infer(&l, &hash)) && hash != l.file->right[way][batch - 1])
            end->kind = LIFE_WRONG;
    }
    if (!ok)
        end->kind = LIFE_FAILED;
    finish(&l);
}

/* ---- the models ---- */

static bool read_model(const char *directory, const char *name, bool resizes)
{
    struct model_file *const m = &models[model_count];
    char path[512];
    bool ok = false;
    FILE *f;

    snprintf(path, sizeof path, "%s/%s.tflite", directory, name);
    snprintf(m->name, sizeof m->name, "%s", name);
    m->resizes = resizes;
    m->remembers = strcmp(name, "variables") == 0;
    if (!(f = fopen(path, "rb"))) {
        perror(path);
        return false;
    }
    if (fseek(f, 0, SEEK_END) == 0) {
        m->size = (size_t)ftell(f);
        rewind(f);
        ok = (m->bytes = malloc(m->size)) && fread(m->bytes, 1, m->size, f) == m->size;
    }
    fclose(f);
    model_count++;
    return ok;
}

static bool find_right(struct model_file *m)
{
    struct life_end end = { .kind = LIFE_RIGHT };
    bool ok = true;

    at = &end;
    for (int way = 0; way < WAYS && ok; way++)
        for (int b = 1; b <= (m->resizes ? BATCHES : 1) && ok; b++) {
            struct life l = { .file = m };

            ok = begin(&l, way, "passive", NULL) && shape(&l, b, b > 1) &&
                 infer(&l, &m->right[way][b - 1]);
            finish(&l);
        }
    if (!ok)
        printf("soak: %s: %s\n", m->name, end.messages);
    return ok;
}

bool lives_open(const char *directory)
{
    static const char *const names[] = { "image",    "bytes", "folding",
                                         "branches", "loop",  "variables" };
    char name[32];
    bool ok = true;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        ok = ok && read_model(directory, names[i], i < 2);
    for (int i = 0; i < 16; i++) {
        snprintf(name, sizeof name, "random%d", i);
        ok = ok && read_model(directory, name, false);
    }
    for (int i = 0; i < model_count; i++)
        ok = ok && find_right(&models[i]);
    return ok;
}

void lives_close(void)
{
    for (int i = 0; i < model_count; i++)
        free(models[i].bytes);
}
