#include "conformance/tests/torture/scenes.h"

#include "conformance/tests/torture/faults.h"

#include "assay_gpu.h"
#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/c_api_experimental.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char scene_directory[64] = "/tmp/assay-torture-XXXXXX";

/* clang-format off */
static const struct scene scenes[] = {
    { .name = "image", .model = "image", .resize = true },
    { .name = "bytes", .model = "bytes", .resize = true },
    { .name = "folding", .model = "folding" },
    { .name = "branches", .model = "branches" },
    { .name = "loop", .model = "loop" },
    { .name = "variables", .model = "variables" },
    { .name = "delegate", .model = "image", .options = { { "precision", "fp32" } },
      .resize = true },
    { .name = "delegate_bytes", .model = "bytes", .options = { { "wait", "active" } } },
    { .name = "half", .model = "image",
      .options = { { "precision", "fp16" }, { "profile", "1" } } },
    { .name = "serialized", .model = "image",
      .options = { { "serialization_dir", scene_directory }, { "model_token", "image" } } },
    { .name = "parts", .model = "image",
      .options = { { "exclude", "MEAN" }, { "max_partitions", "0" } }, .resize = true },
    { .name = "choices", .model = "choices", .options = { { "max_partitions", "0" } } },
    { .name = "bound", .model = "image", .options = { { "precision", "fp32" } }, .bind = true },
    { .name = "not_coherent", .model = "image", .options = { { "precision", "fp32" } },
      .resize = true, .not_coherent = true },
    { .name = "cold", .model = "image", .options = { { "precision", "fp16" } }, .cold = true },
    { .name = "cold_list", .model = "image", .options = { { "precision", "fp32" } }, .list = true,
      .cold = true },
    { .name = "cold_image", .model = "image", .resize = true, .cold = true },
};
/* clang-format on */

const struct scene *scene_at(int i)
{
    return i < (int)(sizeof scenes / sizeof scenes[0]) ? &scenes[i] : NULL;
}

static char *model_bytes;
static size_t model_size;

bool scene_load(const struct scene *s, const char *directory)
{
    char path[512];
    bool ok = false;
    FILE *f;

    snprintf(path, sizeof path, "%s/%s.tflite", directory, s->model);
    f = fopen(path, "rb");
    if (f && fseek(f, 0, SEEK_END) == 0) {
        model_size = (size_t)ftell(f);
        rewind(f);
        model_bytes = malloc(model_size);
        ok = model_bytes && fread(model_bytes, 1, model_size, f) == model_size;
    }
    if (f)
        fclose(f);
    return ok;
}

void scene_clean(void)
{
    DIR *const d = opendir(scene_directory);
    const struct dirent *e;
    char path[400];

    while (d && (e = readdir(d)))
        if (e->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", scene_directory, e->d_name);
            unlink(path);
        }
    if (d)
        closedir(d);
}

/* ---- one run ---- */

static struct scene_end *at; /* the reporter of plug-ins takes no user */

static void add_message(const char *text)
{
    const size_t used = strlen(at->messages);

    snprintf(at->messages + used, sizeof at->messages - used, "%s\n", text);
}

static void listen(void *user, const char *format, va_list args)
{
    char line[1024];

    (void)user;
    vsnprintf(line, sizeof line, format, args);
    add_message(line);
}

struct life {
    TfLiteModel *model;
    TfLiteInterpreterOptions *options;
    TfLiteDelegate *delegate;
    TfLiteInterpreter *in;
};

static bool is_input(const TfLiteInterpreter *in, int tensor)
{
    const int *const inputs = TfLiteInterpreterInputTensorIndices(in);

    for (int i = 0; i < TfLiteInterpreterGetInputTensorCount(in); i++)
        if (inputs[i] == tensor)
            return true;
    return false;
}

/* The same values for the same seed. */
static bool fill(TfLiteTensor *t, int seed)
{
    static unsigned char bytes[1 << 12];
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

static struct split split_of(const TfLiteDelegate *delegate)
{
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };
    struct split split = { .partitions = 0 };

    if (!delegate)
        return split;
    if (assay_gpu_get_stats(delegate, &stats) != 0)
        abort();
    split.partitions = stats.partitions;
    split.nodes = stats.nodes;
    for (int i = 0; i < assay_gpu_refusal_count(delegate); i++) {
        struct assay_gpu_refusal r = { .struct_size = sizeof r };

        if (assay_gpu_get_refusal(delegate, i, &r) != 0 || r.node < 0 || r.node >= 64)
            abort();
        split.refused |= (uint64_t)1 << r.node;
    }
    return split;
}

/* Outputs that an earlier inference left must not pass for those of the next one. */
static bool infer(struct life *l, int seed, int k)
{
    uint64_t hash = 0xcbf29ce484222325u;
    const int *const outputs = TfLiteInterpreterOutputTensorIndices(l->in);
    static unsigned char bytes[1 << 12];

    for (int i = 0; i < TfLiteInterpreterGetInputTensorCount(l->in); i++)
        if (!fill(TfLiteInterpreterGetInputTensor(l->in, i), seed + i))
            return false;
    for (int i = 0; i < TfLiteInterpreterGetOutputTensorCount(l->in); i++) {
        const TfLiteTensor *const t = TfLiteInterpreterGetOutputTensor(l->in, i);

        if (t->allocation_type == kTfLiteArenaRw && t->data.raw && !is_input(l->in, outputs[i]))
            memset(t->data.raw, 0x55, t->bytes);
    }
    if (TfLiteInterpreterInvoke(l->in) != kTfLiteOk)
        return false;
    for (int i = 0; i < TfLiteInterpreterGetOutputTensorCount(l->in); i++) {
        const TfLiteTensor *const t = TfLiteInterpreterGetOutputTensor(l->in, i);
        const size_t n = TfLiteTensorByteSize(t);

        if (n > sizeof bytes)
            abort();
        if (TfLiteInterpreterEnsureTensorDataIsReadable(l->in, outputs[i]) != kTfLiteOk ||
            TfLiteTensorCopyToBuffer(t, bytes, n) != kTfLiteOk)
            return false;
        for (size_t j = 0; j < n; j++)
            hash = (hash ^ bytes[j]) * 0x100000001b3u;
    }
    at->inferred[k] = true;
    at->outputs[k] = hash;
    at->splits[k] = split_of(l->delegate);
    return true;
}

static bool allocate(struct life *l, int batch)
{
    (void)batch;
    return TfLiteInterpreterAllocateTensors(l->in) == kTfLiteOk;
}

static bool resize(struct life *l, int batch)
{
    const TfLiteTensor *const x = TfLiteInterpreterGetInputTensor(l->in, 0);
    int dims[8];

    for (int i = 0; i < x->dims->size && i < 8; i++)
        dims[i] = i == 0 ? batch : x->dims->data[i];
    return TfLiteInterpreterResizeInputTensor(l->in, 0, dims, x->dims->size) == kTfLiteOk &&
           TfLiteInterpreterAllocateTensors(l->in) == kTfLiteOk;
}

/* The k-th inference; the first two have the same inputs. */
static bool infer_step(struct life *l, int k)
{
    return infer(l, k < 2 ? 1 : 2, k);
}

static bool bind(struct life *l, int batch)
{
    struct assay_gpu_buffer b = {
        .struct_size = sizeof b, .kind = ASSAY_GPU_NEW, .layout = ASSAY_LAYOUT_C4, .partition = -1
    };
    char error[512] = "";

    (void)batch;
    b.tensor = TfLiteInterpreterOutputTensorIndices(l->in)[0];
    if (assay_gpu_bind_buffer_to_tensor(l->delegate, &b, error, sizeof error) == 0)
        return true;
    add_message(error);
    return false;
}

/* A step that failed works as soon as nothing fails: the objects are as before. */
static bool step(struct life *l, bool lost, const char *name, bool (*f)(struct life *, int),
                 int value)
{
    if (f(l, value))
        return true;
    at->step = name;
    if (!lost) {
        struct fault_state s;

        fault_look(&s);
        fault_disarm();
        at->again_wrong = !f(l, value);
    }
    return false;
}

static bool list(void)
{
    struct assay_gpu_device device = { .struct_size = sizeof device };
    char error[512] = "";

    if (assay_gpu_devices(&device, 1, error, sizeof error) >= 0)
        return true;
    add_message(error);
    return false;
}

static void live(const struct scene *s, struct life *l, bool lost, const char *exclude)
{
    const char *keys[3], *values[3];
    size_t count = 0;

    at->step = "assay_gpu_devices";
    if (s->list && !list())
        return;
    at->step = "TfLiteModelCreate";
    if (!(l->model = TfLiteModelCreateWithErrorReporter(model_bytes, model_size, listen, NULL)))
        return;
    at->step = "TfLiteInterpreterOptionsCreate";
    if (!(l->options = TfLiteInterpreterOptionsCreate()))
        return;
    TfLiteInterpreterOptionsSetErrorReporter(l->options, listen, NULL);
    for (; count < 2 && s->options[count][0]; count++) {
        keys[count] = s->options[count][0];
        values[count] = s->options[count][1];
    }
    if (exclude) { /* the last one counts */
        keys[count] = "exclude";
        values[count++] = exclude;
    }
    if (count > 0) {
        at->step = "tflite_plugin_create_delegate";
        if (!(l->delegate = tflite_plugin_create_delegate(keys, values, count, add_message)))
            return;
        TfLiteInterpreterOptionsAddDelegate(l->options, l->delegate);
    }
    at->step = "TfLiteInterpreterCreate";
    if (!(l->in = TfLiteInterpreterCreate(l->model, l->options)))
        return;
    if (!step(l, lost, "TfLiteInterpreterAllocateTensors", allocate, 1) ||
        (s->bind && l->delegate && !step(l, lost, "assay_gpu_bind_buffer_to_tensor", bind, 1)) ||
        !step(l, lost, "TfLiteInterpreterInvoke", infer_step, 0) ||
        !step(l, lost, "TfLiteInterpreterInvoke", infer_step, 1))
        return;
    if (s->resize && (!step(l, lost, "TfLiteInterpreterResizeInputTensor", resize, 2) ||
                      !step(l, lost, "TfLiteInterpreterInvoke", infer_step, 2)))
        return;
    at->step = NULL;
    at->ok = true;
}

static void run(const struct scene *s, bool lost, const char *exclude, struct scene_end *end)
{
    struct life l = { .model = NULL };

    *end = (struct scene_end){ .ok = false };
    at = end;
    live(s, &l, lost, exclude);
    TfLiteInterpreterDelete(l.in);
    tflite_plugin_destroy_delegate(l.delegate);
    TfLiteInterpreterOptionsDelete(l.options);
    TfLiteModelDelete(l.model);
}

void scene_run(const struct scene *s, bool lost, struct scene_end *end)
{
    run(s, lost, NULL, end);
}

void scene_run_split(const struct scene *s, const struct split *split, struct scene_end *end)
{
    char nodes[256] = "";
    size_t used = 0;

    for (int i = 0; i < 64; i++)
        if (split->refused >> i & 1)
            used += (size_t)snprintf(nodes + used, sizeof nodes - used, "%s%d", used ? "," : "", i);
    run(s, false, used ? nodes : NULL, end);
}

void scene_run_cpu(const struct scene *s, struct scene_end *end)
{
    struct scene cpu = *s;

    cpu.options[0][0] = NULL;
    scene_run(&cpu, false, end);
}
