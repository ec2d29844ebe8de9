#include "delegate/graph/options.h"

#include "delegate/graph/transforms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "precision            fp32, fp16, fast    fp32     storage of tensors; fast: fp16, and f16\n"
    "                                                  sums where they cannot overflow\n"
    "allow_precision_loss 0, 1                0        1 is precision=fp16\n"
    "enable_quantization  0, 1                1        0 refuses 8-bit nodes\n"
    "quantized            exact, float_view   exact    8-bit nodes in integers, with the bits\n"
    "                                                  of the CPU; or in floats, rounded to the\n"
    "                                                  quantization steps of each tensor\n"
    "wait (wait_type)     passive, active, aggressive, none (do_not_wait)\n"
    "                                         passive  how invoke waits for the fence: asleep;\n"
    "                                                  polling and yielding the core; polling;\n"
    "                                                  not at all, if the outputs have buffer\n"
    "                                                  handles\n"
    "device               index or name part  best     which Vulkan device\n"
    "first_node           0..                 0        nodes before it stay on the CPU\n"
    "last_node            0..                 last     nodes after it stay on the CPU\n"
    "include              list                all      nodes to consider: 3, 5-9, CONV_2D, or a\n"
    "                                                  pattern of an output tensor's name\n"
    "exclude              list                none     nodes not to consider\n"
    "max_partitions       -1..                -1       the N largest; 0: all; -1: one, and what "
    "pays\n"
    "min_nodes            1..                 1        smaller partitions stay on the CPU\n"
    "placement            nodes, cost, cost_table\n"
    "                                         nodes    the largest partitions have the most "
    "nodes,\n"
    "                                                  or save the most time, by measured rates "
    "or\n"
    "                                                  those of a table; who saves none stays\n"
    "cpu_rate             1..                 40000    speed of the CPU for these estimates, in\n"
    "                                                  millions of multiply-adds a second\n"
    "no_transform         list                none     graph rewrites to leave out: all, or of\n"
    "                                                 "
#define TRANSFORM(name, meaning) " " #name
#include "delegate/graph/transforms.def"
#undef TRANSFORM
    "\n"
    "no_kernel (kernel)   list                none     faster kernels to leave out (force): all, "
    "of\n"
    "                                                 "
#define KERNEL(name, meaning) " " #name
#include "delegate/base/kernels.def"
#undef KERNEL
    "\n"
    "serialization_dir    directory           none     keeps pipelines, packed weights and tuning\n"
    "                                                  for later starts; made with mode 0700\n"
    "serialization_limit  0.. MiB             1024     of all files there: those go that were "
    "used\n"
    "                                                  least recently; 0: no limit\n"
    "model_token          text                model    names the model's files there\n"
    "memory_limit         1.. MiB             budget   device memory that a graph may use\n"
    "in_place             0, 1                1        elementwise steps write over dead inputs\n"
    "packed_dot           0, 1                1        8-bit products by the integer dot product\n"
    "                                                  of the device, if it has one; same bits\n"
    "tune                 0, 1                0        measure workgroup sizes at the start;\n"
    "                                                  serialization_dir keeps them\n"
    "profile              0, 1                0        time stamps of each step (slower)\n"
    "trace                file                none     profile=1, and a JSON trace for Perfetto\n"
    "                                                  is written when the model is closed\n"
    "poison               off, nan, inf, junk off      for tests: fills unused memory with it\n";

const char *options_help(void)
{
    return help;
}

enum { OPTION_INT_MAX = 1000000000, TUNE_BUDGET_MS = 5000, CPU_RATE = 40000 };

/* Values by name.  An option's field, an enum, a bool or an int, is set to the number. */
struct choice {
    const char *name;
    int value;
};
struct choices {
    const struct choice *list;
    size_t count;
    const char *expected;
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Python turns a bool into "True" or "False". */
#define BOOLEANS(no, yes)                                                                          \
    { "0", (no) }, { "1", (yes) }, { "false", (no) }, { "true", (yes) }, { "False", (no) },        \
    {                                                                                              \
        "True", (yes)                                                                              \
    }
static const struct choice booleans[] = { BOOLEANS(0, 1) };
static const struct choice losses[] = { BOOLEANS(PRECISION_FP32, PRECISION_FP16) };
static const struct choice precisions[] = { { "fp32", PRECISION_FP32 },
                                            { "fp16", PRECISION_FP16 },
                                            { "fast", PRECISION_FAST } };
static const struct choice quantizations[] = { { "exact", QUANTIZED_EXACT },
                                               { "float_view", QUANTIZED_FLOAT_VIEW } };
static const struct choice placements[] = { { "nodes", PLACEMENT_NODES },
                                            { "cost", PLACEMENT_COST },
                                            { "cost_table", PLACEMENT_COST_TABLE } };
static const struct choice waits[] = { { "passive", WAIT_PASSIVE },
                                       { "active", WAIT_ACTIVE },
                                       { "aggressive", WAIT_AGGRESSIVE },
                                       { "none", WAIT_NONE },
                                       { "do_not_wait", WAIT_NONE } };
static const struct choice poisons[] = {
    { "off", POISON_OFF }, { "nan", POISON_NAN }, { "inf", POISON_INF }, { "junk", POISON_JUNK }
};

const char *options_placement_name(enum gpu_placement placement)
{
    return placements[placement].name;
}

static enum status find_choice(const char *key, const char *value, const struct choices *c,
                               int *number, struct diag *diag)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(value, c->list[i].name) == 0) {
            *number = c->list[i].value;
            return STATUS_OK;
        }
    return diag_fail(diag, STATUS_USAGE, "option %s: expected one of %s, found '%s'", key,
                     c->expected, value);
}

static enum status parse_int(const char *key, const char *value, int min, int *out,
                             struct diag *diag)
{
    char *end;
    long n;

    n = strtol(value, &end, 10); /* of more digits LONG_MIN or LONG_MAX */
    if (end == value || *end != '\0' || n < min || n > OPTION_INT_MAX)
        return diag_fail(diag, STATUS_USAGE,
                         "option %s: expected a number from %d to %d, found '%s'", key, min,
                         OPTION_INT_MAX, value);
    *out = (int)n;
    return STATUS_OK;
}

static enum status parse_text(struct gpu_options *o, const char *key, const char *value,
                              const char **out, struct diag *diag)
{
    if (*value == '\0')
        return diag_fail(diag, STATUS_USAGE, "option %s: expected a text, found none", key);
    if (!(*out = arena_string(&o->arena, value)))
        return diag_fail(diag, STATUS_NO_MEMORY, "option %s: out of memory", key);
    return STATUS_OK;
}

/* Things that an option switches off by name. */
struct switches {
    const char *const *names;
    size_t count;
    const char *expected;
};
static const char *const transform_names[] = {
#define TRANSFORM(name, meaning) #name,
#include "delegate/graph/transforms.def"
#undef TRANSFORM
};
static const char *const kernel_names[] = {
#define KERNEL(name, meaning) #name,
#include "delegate/base/kernels.def"
#undef KERNEL
};
static const struct switches transform_switches = { transform_names, COUNT(transform_names), "all"
#define TRANSFORM(name, meaning) ", " #name
#include "delegate/graph/transforms.def"
#undef TRANSFORM
};
static const struct switches kernel_switches = { kernel_names, COUNT(kernel_names), "all"
#define KERNEL(name, meaning) ", " #name
#include "delegate/base/kernels.def"
#undef KERNEL
};

static bool is_name(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* Sets bit i of *off for the i-th name of the list, and all bits for "all". */
static enum status parse_switches(const char *key, const char *value, const struct switches *w,
                                  uint32_t *off, struct diag *diag)
{
    for (;;) {
        const size_t length = strcspn(value, ",");
        size_t i = 0;

        while (i < w->count && !is_name(w->names[i], value, length))
            i++;
        if (i < w->count)
            *off |= 1u << i;
        else if (is_name("all", value, length))
            *off = ~0u;
        else
            return diag_fail(diag, STATUS_USAGE, "option %s: expected one of %s, found '%.*s'", key,
                             w->expected, (int)(length < 64 ? length : 64), value);
        if (value[length] == '\0')
            return STATUS_OK;
        value += length + 1;
    }
}

enum kind { KIND_ENUM, KIND_BOOL, KIND_INT, KIND_TEXT, KIND_TRACE, KIND_TRANSFORMS, KIND_KERNELS };
struct option {
    const char *key;
    enum kind kind;
    size_t field; /* offset in struct gpu_options */
    struct choices choices;
    int min;
};
#define FIELD(member) offsetof(struct gpu_options, member)
#define ENUM(key, member, list, expected)                                                          \
    {                                                                                              \
        key, KIND_ENUM, FIELD(member), { list, COUNT(list), expected }, 0                          \
    }
#define BOOL(key, member)                                                                          \
    {                                                                                              \
        key, KIND_BOOL, FIELD(member), { booleans, COUNT(booleans), "0, 1" }, 0                    \
    }
#define INT(key, member, min)                                                                      \
    {                                                                                              \
        key, KIND_INT, FIELD(member), { NULL, 0, NULL }, min                                       \
    }
#define TEXT(key, member)                                                                          \
    {                                                                                              \
        key, KIND_TEXT, FIELD(member), { NULL, 0, NULL }, 0                                        \
    }

static const struct option options[] = {
    ENUM("precision", precision, precisions, "fp32, fp16, fast"),
    ENUM("allow_precision_loss", precision, losses, "0, 1"),
    BOOL("enable_quantization", enable_quantization),
    ENUM("quantized", quantized, quantizations, "exact, float_view"),
    ENUM("wait", wait, waits, "passive, active, aggressive, none, do_not_wait"),
    ENUM("wait_type", wait, waits, "passive, active, aggressive, none, do_not_wait"),
    TEXT("device", device),
    INT("first_node", first_node, 0),
    INT("last_node", last_node, 0),
    TEXT("include", include),
    TEXT("exclude", exclude),
    INT("max_partitions", max_partitions, -1),
    INT("min_nodes", min_nodes, 1),
    ENUM("placement", placement, placements, "nodes, cost, cost_table"),
    INT("cpu_rate", cpu_rate, 1),
    { "no_transform", KIND_TRANSFORMS, FIELD(no_transform), { NULL, 0, NULL }, 0 },
    { "kernel", KIND_KERNELS, FIELD(kernel), { NULL, 0, NULL }, 0 },
    { "no_kernel", KIND_KERNELS, FIELD(no_kernel), { NULL, 0, NULL }, 0 },
    TEXT("serialization_dir", serialization_dir),
    INT("serialization_limit", serialization_limit_mib, 0),
    TEXT("model_token", model_token),
    INT("memory_limit", memory_limit_mib, 1),
    BOOL("in_place", in_place),
    BOOL("packed_dot", packed_dot),
    BOOL("tune", tune),
    BOOL("profile", profile),
    { "trace", KIND_TRACE, FIELD(trace), { NULL, 0, NULL }, 0 },
    ENUM("poison", poison, poisons, "off, nan, inf, junk"),
};

static enum status set_option(struct gpu_options *o, const struct option *option, const char *value,
                              struct diag *diag)
{
    void *field = (char *)o + option->field;
    int number = 0;

    switch (option->kind) {
    case KIND_INT: return parse_int(option->key, value, option->min, field, diag);
    case KIND_TRACE: o->profile = true; /* fall through */
    case KIND_TEXT: return parse_text(o, option->key, value, field, diag);
    case KIND_TRANSFORMS:
        return parse_switches(option->key, value, &transform_switches, field, diag);
    case KIND_KERNELS: return parse_switches(option->key, value, &kernel_switches, field, diag);
    default: break;
    }
    TRY(find_choice(option->key, value, &option->choices, &number, diag));
    if (option->kind == KIND_BOOL)
        *(bool *)field = number;
    else
        memcpy(field, &number, sizeof number);
    return STATUS_OK;
}

static enum status parse_one(struct gpu_options *o, const char *key, const char *value,
                             struct diag *diag)
{
    char known[512];
    size_t used = 0;

    for (size_t i = 0; i < COUNT(options); i++)
        if (strcmp(key, options[i].key) == 0)
            return set_option(o, &options[i], value, diag);
    for (size_t i = 0; i < COUNT(options) && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 options[i].key);
    return diag_fail(diag, STATUS_USAGE, "option %s: unknown key; expected one of %s", key, known);
}

bool options_force(const struct gpu_options *o, enum kernel_id id)
{
    if (o->kernel >> id & 1)
        return true;
    switch (id) {
    case KERNEL_gemm: return o->gemm_tile > 0;
    case KERNEL_depthwise: return o->depthwise_tile > 0;
    case KERNEL_gemm_int8:
    case KERNEL_matrix_int8:
    case KERNEL_depthwise_int8: return o->workgroup_variant > 0;
    default: return o->any_device;
    }
}

const char *options_kernel_name(enum kernel_id id)
{
    return kernel_names[id];
}

const char *options_key(size_t i)
{
    return i < COUNT(options) ? options[i].key : NULL;
}

enum status options_parse(struct gpu_options *o, const char *const *keys, const char *const *values,
                          size_t count, struct diag *diag)
{
    enum status s = STATUS_OK;

    *o = (struct gpu_options){ .enable_quantization = true,
                               .first_node = -1,
                               .last_node = -1,
                               .in_place = true,
                               .packed_dot = true,
                               .max_partitions = -1,
                               .serialization_limit_mib = 1024,
                               .tune_budget_ms = TUNE_BUDGET_MS,
                               .min_nodes = 1,
                               .cpu_rate = CPU_RATE };
    if (count != 0 && (!keys || !values))
        return diag_fail(diag, STATUS_USAGE, "options: expected %zu keys and values, found NULL",
                         count);
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        if (!keys[i] || !values[i])
            s = diag_fail(diag, STATUS_USAGE,
                          "options: entry %zu of %zu: expected a key and a value, found NULL", i,
                          count);
        else
            s = parse_one(o, keys[i], values[i], diag);
    }
    if (s == STATUS_OK && o->first_node >= 0 && o->last_node >= 0 && o->first_node > o->last_node)
        s = diag_fail(diag, STATUS_USAGE,
                      "option first_node: expected at most last_node, %d, found %d", o->last_node,
                      o->first_node);
    if (s != STATUS_OK)
        options_close(o);
    return s;
}

void options_close(struct gpu_options *o)
{
    arena_close(&o->arena);
    o->device = o->include = o->exclude = o->trace = NULL;
    o->serialization_dir = o->model_token = NULL;
}
