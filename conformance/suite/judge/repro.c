/* Writes models and tensors of failed cases, and the command that runs them again. */
#include "conformance/suite/judge/repro.h"

#include "conformance/suite/cases/random_graph.h"
#include "conformance/suite/io/array.h"
#include "conformance/suite/io/array_hdf5.h"
#include "conformance/suite/io/model_file.h"
#include "conformance/suite/io/npy.h"
#include "conformance/suite/subject/subject.h"
#include "conformance/suite/subject/subject_kind.h"
#include "conformance/suite/subject/subject_spec.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/format/model.h"
#include "reference/format/read.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What the programs run again. */
struct script {
    const struct repro_what *what;
    const struct case_instance *instance;
    const struct case_result *result;
    bool is_case;
};

/* Programs beside the files of repro.h that show a failure without Assay: again.c against the C API
 * of TensorFlow Lite, again.py against the Python packages of LiteRT. */

/* Text in quotes that C and Python both read. */
static void print_quoted(FILE *f, const char *text)
{
    fputc('"', f);
    for (; text && *text; text++) {
        const unsigned char c = (unsigned char)*text;

        if (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '?')
            fprintf(f, "\\%03o", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

static bool is_option(const struct subject *s, size_t i)
{
    return !subject_kind_has_key(s->kind, s->options[i].key);
}

/* ---- C ---- */

static const char c_head[] =
    "/* Runs model.tflite on the inputs that lie beside it, and compares with what is expected.\n"
    " *\n"
    " *     cc again.c -o again -I INCLUDE -ltensorflowlite_c -ldl -lm && ./again [DELEGATE.so]\n"
    " *\n"
    " * Any library with the C API of TensorFlow Lite will do. */\n"
    "#include \"tensorflow/lite/c/c_api.h\"\n"
    "#include \"tensorflow/lite/c/c_api_experimental.h\"\n"
    "\n"
    "#include <dlfcn.h>\n"
    "#include <math.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "\n"
    "typedef TfLiteDelegate *create_fn(const char *const *, const char *const *, size_t,\n"
    "                                  void (*)(const char *));\n"
    "\n";

static const char c_body[] =
    "\n"
    "/* The data of a .npy file, without its head; NULL: there is no such file. */\n"
    "static char *load(const char *kind, int number, char frame, size_t *bytes)\n"
    "{\n"
    "    char name[64], *data;\n"
    "    FILE *f;\n"
    "    size_t head;\n"
    "\n"
    "    snprintf(name, sizeof name, \"%s%d_%c.npy\", kind, number, frame);\n"
    "    if (!(f = fopen(name, \"rb\")))\n"
    "        return NULL;\n"
    "    data = malloc(1 << 28);\n"
    "    *bytes = data ? fread(data, 1, 1 << 28, f) : 0;\n"
    "    fclose(f);\n"
    "    if (*bytes < 10)\n"
    "        return NULL;\n"
    "    head = 10 + (unsigned char)data[8] + 256u * (unsigned char)data[9];\n"
    "    *bytes -= head;\n"
    "    return memmove(data, data + head, *bytes);\n"
    "}\n"
    "\n"
    "static double half(uint16_t h)\n"
    "{\n"
    "    const int e = h >> 10 & 31, m = h & 1023;\n"
    "    const double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, "
    "-24);\n"
    "\n"
    "    return h >> 15 ? -v : v;\n"
    "}\n"
    "\n"
    "static double element(const TfLiteTensor *t, size_t i)\n"
    "{\n"
    "    const void *const p = TfLiteTensorData(t);\n"
    "\n"
    "    switch (TfLiteTensorType(t)) {\n"
    "    case kTfLiteFloat32: return ((const float *)p)[i];\n"
    "    case kTfLiteFloat16: return half(((const uint16_t *)p)[i]);\n"
    "    case kTfLiteInt8: return ((const int8_t *)p)[i];\n"
    "    case kTfLiteUInt8: return ((const uint8_t *)p)[i];\n"
    "    case kTfLiteInt16: return ((const int16_t *)p)[i];\n"
    "    case kTfLiteInt32: return ((const int32_t *)p)[i];\n"
    "    case kTfLiteInt64: return (double)((const int64_t *)p)[i];\n"
    "    case kTfLiteBool: return ((const uint8_t *)p)[i] != 0;\n"
    "    default: return NAN;\n"
    "    }\n"
    "}\n"
    "\n"
    "/* Prints the first wrong elements; returns how many are wrong. */\n"
    "static size_t compare(const TfLiteTensor *t, int output, char frame)\n"
    "{\n"
    "    size_t bytes, ignored, wrong = 0;\n"
    "    double *const want = (double *)(void *)load(\"want\", output, frame, &bytes);\n"
    "    double *const limit = (double *)(void *)load(\"limit\", output, frame, &ignored);\n"
    "\n"
    "    for (size_t i = 0; want && limit && i < bytes / sizeof *want; i++) {\n"
    "        const double got = element(t, i);\n"
    "\n"
    "        if (got == want[i] || fabs(got - want[i]) <= limit[i] || (isnan(got) && "
    "isnan(want[i])))\n"
    "            continue;\n"
    "        if (wrong++ < 5)\n"
    "            printf(\"frame %c, output %d, element %zu: got %.9g, expected %.9g, limit "
    "%.3g\\n\", frame,\n"
    "                   output, i, got, want[i], limit[i]);\n"
    "    }\n"
    "    free(want);\n"
    "    free(limit);\n"
    "    return wrong;\n"
    "}\n"
    "\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    const char *const path = argc > 1 ? argv[1] : library;\n"
    "    void *const handle = *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;\n"
    "    void *const found = handle ? dlsym(handle, \"tflite_plugin_create_delegate\") : NULL;\n"
    "    TfLiteModel *const model = TfLiteModelCreateFromFile(\"model.tflite\");\n"
    "    TfLiteInterpreterOptions *const options = TfLiteInterpreterOptionsCreate();\n"
    "    TfLiteInterpreter *in;\n"
    "    create_fn *create;\n"
    "    size_t wrong = 0;\n"
    "\n"
    "    memcpy(&create, &found, sizeof create);\n"
    "    if (*path && !create) {\n"
    "        fprintf(stderr, \"%s: %s\\n\", path, handle ? \"no tflite_plugin_create_delegate\" : "
    "dlerror());\n"
    "        return 2;\n"
    "    }\n"
    "    if (create)\n"
    "        TfLiteInterpreterOptionsAddDelegate(options, create(keys, values, option_count, "
    "NULL));\n"
    "    in = TfLiteInterpreterCreate(model, options);\n"
    "    if (!in || TfLiteInterpreterAllocateTensors(in) != kTfLiteOk)\n"
    "        return 2;\n"
    "    for (char frame = 'A'; frame <= 'B'; frame++) {\n"
    "        for (int i = 0; i < TfLiteInterpreterGetInputTensorCount(in); i++) {\n"
    "            size_t bytes = 0;\n"
    "            char *const data = load(\"input\", i, frame, &bytes);\n"
    "\n"
    "            if (data)\n"
    "                TfLiteTensorCopyFromBuffer(TfLiteInterpreterGetInputTensor(in, i), data, "
    "bytes);\n"
    "            free(data);\n"
    "        }\n"
    "        TfLiteInterpreterResetVariableTensors(in);\n"
    "        if (TfLiteInterpreterInvoke(in) != kTfLiteOk)\n"
    "            return 1;\n"
    "        for (int o = 0; o < TfLiteInterpreterGetOutputTensorCount(in); o++)\n"
    "            wrong += compare(TfLiteInterpreterGetOutputTensor(in, o), o, frame);\n"
    "    }\n"
    "    printf(\"%zu elements are wrong\\n\", wrong);\n"
    "    return wrong > 0;\n"
    "}\n";

static void print_array(FILE *f, const struct subject *subject, const char *name, bool values)
{
    fprintf(f, ";\nstatic const char *const %s[] = { ", name);
    for (size_t i = 0; i < subject->option_count; i++) {
        if (!is_option(subject, i))
            continue;
        print_quoted(f, values ? subject->options[i].value : subject->options[i].key);
        fputs(", ", f);
    }
    fputs("NULL }", f);
}

static void print_c(FILE *f, const struct script *s)
{
    const struct subject *const subject = s->what->subject;

    fputs(c_head, f);
    fputs("static const char library[] = ", f);
    print_quoted(f, subject->plugin);
    print_array(f, subject, "keys", false);
    print_array(f, subject, "values", true);
    fputs(";\nenum { option_count = sizeof keys / sizeof keys[0] - 1 };\n", f);
    fputs(c_body, f);
}

/* ---- Python ---- */

static const char python_body[] =
    "\n"
    "\n"
    "def interpreter():\n"
    "    try:\n"
    "        from ai_edge_litert import interpreter as tfl\n"
    "    except ImportError:\n"
    "        import tensorflow.lite as tfl\n"
    "    load = tfl.load_delegate if hasattr(tfl, \"load_delegate\") else "
    "tfl.experimental.load_delegate\n"
    "    library = sys.argv[1] if len(sys.argv) > 1 else LIBRARY\n"
    "    # Without a library the runtime computes with its own kernels.\n"
    "    delegates = [load(library, OPTIONS)] if library else []\n"
    "    i = tfl.Interpreter(model_path=\"model.tflite\", experimental_delegates=delegates)\n"
    "    i.allocate_tensors()\n"
    "\n"
    "    def run(inputs):\n"
    "        for detail, value in zip(i.get_input_details(), inputs):\n"
    "            i.set_tensor(detail[\"index\"], value)\n"
    "        i.reset_all_variables()\n"
    "        i.invoke()\n"
    "        return [i.get_tensor(detail[\"index\"]) for detail in i.get_output_details()]\n"
    "    return run\n"
    "\n"
    "\n"
    "def compiled_model():\n"
    "    from ai_edge_litert.compiled_model import CompiledModel\n"
    "    from ai_edge_litert.hardware_accelerator import HardwareAccelerator\n"
    "    model = CompiledModel.from_file(\"model.tflite\", getattr(HardwareAccelerator, "
    "ACCELERATOR.upper()))\n"
    "    given, made = model.create_input_buffers(0), model.create_output_buffers(0)\n"
    "\n"
    "    def run(inputs):\n"
    "        for buffer, value in zip(given, inputs):\n"
    "            buffer.write(np.ascontiguousarray(value))\n"
    "        model.run_by_index(0, given, made)\n"
    "        return [buffer.read(want.size, np.load(f\"got{o}_A.npy\").dtype)\n"
    "                for o, (buffer, want) in enumerate(zip(made, all_of(\"want\", \"A\")))]\n"
    "    return run\n"
    "\n"
    "\n"
    "def all_of(kind, frame):\n"
    "    names = [f\"{kind}{i}_{frame}.npy\" for i in range(64)]\n"
    "    return [np.load(name) for name in names if os.path.exists(name)]\n"
    "\n"
    "\n"
    "os.chdir(os.path.dirname(os.path.abspath(__file__)))\n"
    "run, wrong = (compiled_model if ACCELERATOR else interpreter)(), 0\n"
    "for frame in \"AB\":\n"
    "    inputs = all_of(\"input\", frame)\n"
    "    if frame == \"B\" and not inputs:\n"
    "        break\n"
    "    for o, (got, want, limit) in enumerate(zip(run(inputs), all_of(\"want\", frame), "
    "all_of(\"limit\", frame))):\n"
    "        got, want, limit = got.astype(float).ravel(), want.ravel(), limit.ravel()\n"
    "        bad = ~((got == want) | (abs(got - want) <= limit) | (np.isnan(got) & "
    "np.isnan(want)))\n"
    "        wrong += bad.sum()\n"
    "        for i in np.flatnonzero(bad)[:5]:\n"
    "            print(f\"frame {frame}, output {o}, element {i}: got {got[i]:.9g}, expected "
    "{want[i]:.9g}, limit {limit[i]:.3g}\")\n"
    "print(f\"{wrong} elements are wrong\")\n"
    "sys.exit(bool(wrong))\n";

static void print_python(FILE *f, const struct script *s)
{
    const struct subject *const subject = s->what->subject;
    const bool is_litert = strcmp(subject->kind->name, "litert") == 0;

    fputs("#!/usr/bin/env python3\n"
          "\"\"\"Runs model.tflite on the inputs that lie beside it, and compares with what is "
          "expected:\n"
          "again.py [DELEGATE.so].  Needs numpy, and ai-edge-litert or tensorflow.\"\"\"\n"
          "import os\nimport sys\n\nimport numpy as np\n\nLIBRARY = ",
          f);
    print_quoted(f, is_litert ? "" : subject->plugin);
    fputs("\nACCELERATOR = ", f);
    print_quoted(f, is_litert ? subject->what : "");
    fputs("\nOPTIONS = {", f);
    for (size_t i = 0, shown = 0; i < subject->option_count; i++) {
        if (!is_option(subject, i))
            continue;
        fputs(shown++ ? ", " : "", f);
        print_quoted(f, subject->options[i].key);
        fputs(": ", f);
        print_quoted(f, subject->options[i].value);
    }
    fputs("}\n", f);
    fputs(python_body, f);
}

struct repro_item {
    char name[32];
    struct array array; /* owned */
};

static const char frame_names[] = { 'A', 'B' };

/* ---- directories ---- */

static enum status make_directory(const char *path, struct diag *diag)
{
    struct stat st;

    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return STATUS_OK;
    return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
}

enum status repro_open(struct repro *r, const struct repro_what *what, struct diag *diag)
{
    char part[PATH_MAX];
    int n;

    *r = (struct repro){ .count = 0 };
    n = snprintf(r->path, sizeof r->path, "%s/%s@%s", what->directory, what->test_case->name,
                 what->subject->label);
    if (n < 0 || (size_t)n + 32 >= sizeof r->path)
        return diag_fail(diag, STATUS_IO, "%s: the path is too long", what->directory);
    for (char *c = r->path + strlen(what->directory) + 1; *c; c++) {
        if (!isalnum((unsigned char)*c) && !strchr("._=@-", *c))
            *c = '_';
    }
    if (what->below)
        snprintf(r->path + n, sizeof r->path - (size_t)n, "/%.24s", what->below);
    for (const char *slash = strchr(r->path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - r->path), r->path);
        TRY(make_directory(part, diag));
    }
    return make_directory(r->path, diag);
}

void repro_close(struct repro *r)
{
    for (size_t i = 0; i < r->count; i++)
        array_close(&r->items[i].array);
    mem_free(r->items);
    *r = (struct repro){ .count = 0 };
}

/* ---- arrays ---- */

/* A copy for the HDF5 file. */
static enum status keep(struct repro *r, const char *name, const struct array *a, struct diag *diag)
{
    struct repro_item *const items = mem_resize(r->items, r->count + 1, sizeof *items);
    struct repro_item *item;

    if (!items)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", name);
    r->items = items;
    item = &items[r->count];
    *item = (struct repro_item){ .array = *a };
    snprintf(item->name, sizeof item->name, "%s", name);
    item->array.data = mem_alloc(a->bytes ? a->bytes : 1, 1);
    if (!item->array.data)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", name);
    memcpy(item->array.data, a->data, a->bytes);
    r->count++;
    return STATUS_OK;
}

static enum status save_array(struct repro *r, const char *what, size_t number, int frame,
                              const struct array *a, struct diag *diag)
{
    char name[32], path[PATH_MAX + 64];
    uint8_t *bytes;
    size_t count;
    enum status s;

    snprintf(name, sizeof name, "%s%zu_%c", what, number, frame_names[frame]);
    snprintf(path, sizeof path, "%s/%s.npy", r->path, name);
    TRY(npy_write(a, &bytes, &count, diag));
    s = file_write(path, bytes, count, diag);
    mem_free(bytes);
    return s == STATUS_OK ? keep(r, name, a, diag) : s;
}

static void set_dims(struct array *a, const int *dims, size_t rank)
{
    a->rank = rank < ARRAY_RANK_MAX ? rank : ARRAY_RANK_MAX;
    a->elements = 1;
    for (size_t i = 0; i < a->rank; i++) {
        a->dims[i] = dims[i];
        a->elements *= (size_t)dims[i];
    }
}

enum status repro_save_instance(struct repro *r, const struct case_instance *instance,
                                struct diag *diag)
{
    char name[PATH_MAX + 64];
    struct model m;
    enum status s = STATUS_OK;

    snprintf(name, sizeof name, "%s/model.tflite", r->path);
    TRY(file_write(name, instance->file.bytes, instance->file.count, diag));
    TRY(tflite_read(&m, instance->file.bytes, instance->file.count, diag));
    snprintf(name, sizeof name, "%s/model.txt", r->path);
    s = model_file_write_text(&m, NULL, name, diag);
    if (s == STATUS_UNSUPPORTED) { /* a model that has no text is shown by model.tflite alone */
        diag_clear(diag);
        s = STATUS_OK;
    }
    for (size_t i = 0; i < instance->input_count && s == STATUS_OK; i++) {
        const struct model_tensor *const t = &m.subgraphs[0].tensors[m.subgraphs[0].inputs.data[i]];
        struct array a = { .type = instance->inputs[i].type, .bytes = instance->inputs[i].bytes };

        set_dims(&a, t->shape.data, t->shape.count);
        for (int frame = 0; frame < 2 && s == STATUS_OK; frame++) {
            a.data = instance->inputs[i].data[frame];
            if (a.data)
                s = save_array(r, "input", i, frame, &a, diag);
        }
    }
    model_close(&m);
    return s;
}

enum status repro_save_outputs(struct repro *r, const struct outputs *got, int frame,
                               struct diag *diag)
{
    for (size_t i = 0; i < got->count; i++) {
        struct array a = { .type = got->items[i].type,
                           .bytes = got->items[i].bytes,
                           .data = got->items[i].data };

        set_dims(&a, got->items[i].dims, (size_t)got->items[i].rank);
        TRY(save_array(r, "got", i, frame, &a, diag));
    }
    return STATUS_OK;
}

enum status repro_save_expected(struct repro *r, size_t output, int frame, const int *dims,
                                int rank, const double *value, const double *limits,
                                struct diag *diag)
{
    struct array a = { .type = kTfLiteFloat64, .data = (void *)(uintptr_t)value };

    set_dims(&a, dims, (size_t)rank);
    a.bytes = a.elements * sizeof *value;
    TRY(save_array(r, "want", output, frame, &a, diag));
    a.data = (void *)(uintptr_t)limits;
    return save_array(r, "limit", output, frame, &a, diag);
}

/* ---- the other files ---- */

/* A word of a shell, in quotes. */
static void print_word(FILE *f, const char *word)
{
    fputc('\'', f);
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\''", f);
        else
            fputc(*word, f);
    }
    fputc('\'', f);
}

/* A comment, on one line whatever the text holds. */
static void print_comment(FILE *f, const char *text)
{
    for (; *text; text++)
        fputc(iscntrl((unsigned char)*text) ? ' ' : *text, f);
}

static void print_subject(FILE *f, const struct subject *subject)
{
    char spec[4096];

    if (!subject_spec(subject, spec, sizeof spec))
        return;
    fprintf(f, " --subject=");
    print_word(f, spec);
}

static void print_diff(FILE *f, const struct repro_what *what, const struct case_instance *x)
{
    fprintf(f, "\"${ASSAY:-assay}\" diff model.tflite");
    for (size_t i = 0; i < x->input_count; i++)
        fprintf(f, " --input=input%zu_A.npy", i);
    fprintf(f, " --runs=1 --per-node");
    print_subject(f, what->subject);
}

static void print_shell(FILE *f, const struct script *s)
{
    const struct repro_what *const what = s->what;
    const struct case_result *const result = s->result;

    fprintf(f, "#!/bin/sh\n# %s on ", what->test_case->name);
    print_comment(f, what->subject->label);
    fprintf(f, ", %s: ", case_status_name(result->status));
    print_comment(f, result->reason);
    if (result->has_set)
        fprintf(f, "; data set %s", data_set_name(result->set));
    if (result->has_element)
        fprintf(f, "\n# frame %c, output %d at %s: got %.9g, expected %.9g, error %.3g, limit %.3g",
                result->frame, result->output, result->where, result->got, result->want,
                result->error, result->limit);
    fprintf(f, "\n# ASSAY is the path of the program, where PATH does not have it.\n");
    fprintf(f, "cd \"$(dirname \"$0\")\" || exit 2\n");
    if (s->is_case) {
        fprintf(f, "# The model and frame A of its inputs alone: ");
        print_diff(f, what, s->instance);
        fprintf(f, "\nexec \"${ASSAY:-assay}\" conformance --filter='%s' --seed=%" PRIu64,
                what->test_case->name, what->seed);
        if (random_is_graph(what->test_case))
            fprintf(f, " --graphs=%" PRIu32, random_index(what->test_case) + 1);
        print_subject(f, what->subject);
    } else {
        fprintf(f, "exec ");
        print_diff(f, what, s->instance);
    }
    fprintf(f, " \"$@\"\n");
}

/* Writes a file that `print` makes, which can be run where `mode` says so. */
static enum status save_text(struct repro *r, const char *name, mode_t mode,
                             void print(FILE *f, const struct script *s),
                             const struct script *script, struct diag *diag)
{
    char path[PATH_MAX + 64], *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);
    enum status s;

    if (!f)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", name);
    print(f, script);
    if (fclose(f) != 0)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", name);
    snprintf(path, sizeof path, "%s/%s", r->path, name);
    s = file_write(path, text, bytes, diag);
    free(text);
    if (s == STATUS_OK && chmod(path, mode) != 0)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    return s;
}

static enum status save_programs(struct repro *r, const struct script *script, struct diag *diag)
{
    TRY(save_text(r, "again.sh", 0755, print_shell, script, diag));
    TRY(save_text(r, "again.c", 0644, print_c, script, diag));
    return save_text(r, "again.py", 0755, print_python, script, diag);
}

static enum status save_tensors(struct repro *r, struct diag *diag)
{
    struct array_item *const items = mem_alloc(r->count ? r->count : 1, sizeof *items);
    char path[PATH_MAX + 64];
    enum status s;

    if (!items)
        return diag_fail(diag, STATUS_NO_MEMORY, "tensors.h5: out of memory");
    for (size_t i = 0; i < r->count; i++)
        items[i] = (struct array_item){ r->items[i].name, &r->items[i].array };
    snprintf(path, sizeof path, "%s/tensors.h5", r->path);
    s = hdf5_write(path, items, r->count, diag);
    mem_free(items);
    return s;
}

enum status repro_finish(struct repro *r, const struct repro_what *what,
                         const struct case_instance *instance, const struct case_result *result,
                         bool is_case, struct diag *diag)
{
    TRY(save_tensors(r, diag));
    return save_programs(r, &(struct script){ what, instance, result, is_case }, diag);
}
