#include "delegate/graph/options.h"

#include "delegate/graph/transforms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "precision            fp32, fp16          fp32     storage of tensors; sums are fp32 in both\n"
    "allow_precision_loss 0, 1                0        1 is precision=fp16\n"
    "enable_quantization  0, 1                1        0 refuses 8-bit nodes\n"
    "quantized            exact, float_view   exact    8-bit nodes: in integers, as the CPU's "
    "bits;\n"
    "                                                  or in floats, rounded to each tensor's "
    "steps\n"
    "wait (wait_type)     passive, active, aggressive, none (do_not_wait)\n"
    "                                         passive  how invoke waits for the device: asleep; "
    "asking\n"
    "                                                  again and again, letting other threads run "
    "in\n"
    "                                                  between; keeping its core; not at all, "
    "where "
    "the\n"
    "                                                  outputs have buffer handles\n"
    "device               index or name part  best     which Vulkan device\n"
    "first_node           0..                 0        nodes before it stay on the CPU\n"
    "last_node            0..                 last     nodes behind it stay on the CPU\n"
    "include              list                all      nodes to consider: 3, 5-9, CONV_2D, or a\n"
    "                                                  pattern of an output tensor's name\n"
    "exclude              list                none     nodes not to consider\n"
    "max_partitions       0..                 1        the N largest partitions; 0: no limit\n"
    "min_nodes            1..                 1        smallest partition worth taking\n"
    "no_transform         list                none     graph rewrites to leave out: all, or of\n"
    "                                                 "
#define TRANSFORM(name, meaning) " " #name
#include "delegate/graph/transforms.def"
#undef TRANSFORM
    "\n"
    "serialization_dir    directory           none     what a start made is kept there for the "
    "next;\n"
    "                                                  private, made when it is not there\n"
    "model_token          text                model    names the model's files there\n"
    "memory_limit         1.. MiB             budget   device memory that a graph may take\n"
    "in_place             0, 1                1        elementwise steps write over dead inputs\n"
    "packed_dot           0, 1                1        8-bit sums by the device's dot product, "
    "where\n"
    "                                                  it has one; the same results without\n"
    "tune                 0, 1                0        measure sizes of workgroups at the start\n"
    "                                                  (some seconds), and keep them, with a\n"
    "                                                  serialization_dir, for the next ones\n"
    "profile              0, 1                0        time stamps of each step (slower)\n"
    "trace                file                none     profile=1; a trace is written there when "
    "the\n"
    "                                                  model goes: JSON, for Perfetto\n"
    "poison               off, nan, inf, junk off      for tests: fills unused memory with it\n";

const char *options_help(void)
{
    return help;
}

struct choice {
    const char *name;
    int value;
};

static enum status bad_value(struct diag *diag, const char *key, const char *value,
                             const char *allowed)
{
    return diag_fail(diag, STATUS_USAGE, "option %s: %s is not one of %s", key, value, allowed);
}

static enum status parse_choice(const char *key, const char *value, const struct choice *choices,
                                size_t count, const char *allowed, int *out, struct diag *diag)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(value, choices[i].name) == 0) {
            *out = choices[i].value;
            return STATUS_OK;
        }
    return bad_value(diag, key, value, allowed);
}

/* Python turns a bool into "True" or "False". */
static const struct choice booleans[] = {
    { "0", 0 }, { "1", 1 }, { "false", 0 }, { "true", 1 }, { "False", 0 }, { "True", 1 },
};
enum { TUNE_BUDGET_MS = 5000 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static enum status parse_bool(const char *key, const char *value, bool *out, struct diag *diag)
{
    int i = 0;

    TRY(parse_choice(key, value, booleans, COUNT(booleans), "0, 1", &i, diag));
    *out = i;
    return STATUS_OK;
}

static enum status parse_int(const char *key, const char *value, int min, int *out,
                             struct diag *diag)
{
    char *end;
    long n;

    errno = 0;
    n = strtol(value, &end, 10);
    if (end == value || *end != '\0' || errno != 0 || n < min || n > 1000000000)
        return diag_fail(diag, STATUS_USAGE, "option %s: %s is not a number of at least %d", key,
                         value, min);
    *out = (int)n;
    return STATUS_OK;
}

static enum status parse_text(struct gpu_options *o, const char *key, const char *value,
                              const char **out, struct diag *diag)
{
    if (*value == '\0')
        return diag_fail(diag, STATUS_USAGE, "option %s: the value is empty", key);
    if (!(*out = arena_string(&o->arena, value)))
        return diag_fail(diag, STATUS_NO_MEMORY, "option %s: out of memory", key);
    return STATUS_OK;
}

static enum status parse_precision(struct gpu_options *o, const char *key, const char *value,
                                   struct diag *diag)
{
    static const struct choice choices[] = { { "fp32", PRECISION_FP32 },
                                             { "fp16", PRECISION_FP16 } };
    int i = 0;

    TRY(parse_choice(key, value, choices, COUNT(choices), "fp32, fp16", &i, diag));
    o->precision = (enum gpu_precision)i;
    return STATUS_OK;
}

static enum status parse_loss(struct gpu_options *o, const char *key, const char *value,
                              struct diag *diag)
{
    bool allowed;

    TRY(parse_bool(key, value, &allowed, diag));
    o->precision = allowed ? PRECISION_FP16 : PRECISION_FP32;
    return STATUS_OK;
}

static enum status parse_quantization(struct gpu_options *o, const char *key, const char *value,
                                      struct diag *diag)
{
    return parse_bool(key, value, &o->enable_quantization, diag);
}

static enum status parse_quantized(struct gpu_options *o, const char *key, const char *value,
                                   struct diag *diag)
{
    static const struct choice choices[] = { { "exact", QUANTIZED_EXACT },
                                             { "float_view", QUANTIZED_FLOAT_VIEW } };
    int i = 0;

    TRY(parse_choice(key, value, choices, COUNT(choices), "exact, float_view", &i, diag));
    o->quantized = (enum gpu_quantized)i;
    return STATUS_OK;
}

static enum status parse_wait(struct gpu_options *o, const char *key, const char *value,
                              struct diag *diag)
{
    static const struct choice choices[] = { { "passive", WAIT_PASSIVE },
                                             { "active", WAIT_ACTIVE },
                                             { "aggressive", WAIT_AGGRESSIVE },
                                             { "none", WAIT_NONE },
                                             { "do_not_wait", WAIT_NONE } };
    int i = 0;

    TRY(parse_choice(key, value, choices, COUNT(choices),
                     "passive, active, aggressive, none, do_not_wait", &i, diag));
    o->wait = (enum gpu_wait)i;
    return STATUS_OK;
}

static enum status parse_poison(struct gpu_options *o, const char *key, const char *value,
                                struct diag *diag)
{
    static const struct choice choices[] = {
        { "off", POISON_OFF }, { "nan", POISON_NAN }, { "inf", POISON_INF }, { "junk", POISON_JUNK }
    };
    int i = 0;

    TRY(parse_choice(key, value, choices, COUNT(choices), "off, nan, inf, junk", &i, diag));
    o->poison = (enum gpu_poison)i;
    return STATUS_OK;
}

static enum status parse_device(struct gpu_options *o, const char *key, const char *value,
                                struct diag *diag)
{
    return parse_text(o, key, value, &o->device, diag);
}

static enum status parse_include(struct gpu_options *o, const char *key, const char *value,
                                 struct diag *diag)
{
    return parse_text(o, key, value, &o->include, diag);
}

static enum status parse_exclude(struct gpu_options *o, const char *key, const char *value,
                                 struct diag *diag)
{
    return parse_text(o, key, value, &o->exclude, diag);
}

static enum status parse_first(struct gpu_options *o, const char *key, const char *value,
                               struct diag *diag)
{
    return parse_int(key, value, 0, &o->first_node, diag);
}

static enum status parse_last(struct gpu_options *o, const char *key, const char *value,
                              struct diag *diag)
{
    return parse_int(key, value, 0, &o->last_node, diag);
}

static enum status parse_partitions(struct gpu_options *o, const char *key, const char *value,
                                    struct diag *diag)
{
    return parse_int(key, value, 0, &o->max_partitions, diag);
}

static enum status parse_min_nodes(struct gpu_options *o, const char *key, const char *value,
                                   struct diag *diag)
{
    return parse_int(key, value, 1, &o->min_nodes, diag);
}

static enum status parse_serialization(struct gpu_options *o, const char *key, const char *value,
                                       struct diag *diag)
{
    return parse_text(o, key, value, &o->serialization_dir, diag);
}

static enum status parse_token(struct gpu_options *o, const char *key, const char *value,
                               struct diag *diag)
{
    return parse_text(o, key, value, &o->model_token, diag);
}

static enum status parse_memory_limit(struct gpu_options *o, const char *key, const char *value,
                                      struct diag *diag)
{
    return parse_int(key, value, 1, &o->memory_limit_mib, diag);
}

static enum status parse_in_place(struct gpu_options *o, const char *key, const char *value,
                                  struct diag *diag)
{
    return parse_bool(key, value, &o->in_place, diag);
}

static enum status parse_dot(struct gpu_options *o, const char *key, const char *value,
                             struct diag *diag)
{
    return parse_bool(key, value, &o->packed_dot, diag);
}

static enum status parse_tune(struct gpu_options *o, const char *key, const char *value,
                              struct diag *diag)
{
    return parse_bool(key, value, &o->tune, diag);
}

static enum status parse_profile(struct gpu_options *o, const char *key, const char *value,
                                 struct diag *diag)
{
    return parse_bool(key, value, &o->profile, diag);
}

static enum status parse_trace(struct gpu_options *o, const char *key, const char *value,
                               struct diag *diag)
{
    o->profile = true;
    return parse_text(o, key, value, &o->trace, diag);
}

static enum status parse_transforms(struct gpu_options *o, const char *key, const char *value,
                                    struct diag *diag)
{
    for (;;) {
        const size_t length = strcspn(value, ",");
        const enum transform_id id = transform_find(value, length);

        if (id != TRANSFORM_COUNT)
            o->no_transform |= 1u << id;
        else if (length == 3 && memcmp(value, "all", 3) == 0)
            o->no_transform = ~0u;
        else
            return diag_fail(diag, STATUS_USAGE, "option %s: %.*s is not one of all"
#define TRANSFORM(name, meaning) ", " #name
#include "delegate/graph/transforms.def"
#undef TRANSFORM
                             ,
                             key, (int)(length < 64 ? length : 64), value);
        if (value[length] == '\0')
            return STATUS_OK;
        value += length + 1;
    }
}

static const struct {
    const char *key;
    enum status (*parse)(struct gpu_options *, const char *, const char *, struct diag *);
} keys_known[] = {
    { "precision", parse_precision },
    { "allow_precision_loss", parse_loss },
    { "enable_quantization", parse_quantization },
    { "quantized", parse_quantized },
    { "wait", parse_wait },
    { "wait_type", parse_wait },
    { "device", parse_device },
    { "first_node", parse_first },
    { "last_node", parse_last },
    { "include", parse_include },
    { "exclude", parse_exclude },
    { "max_partitions", parse_partitions },
    { "min_nodes", parse_min_nodes },
    { "no_transform", parse_transforms },
    { "serialization_dir", parse_serialization },
    { "model_token", parse_token },
    { "memory_limit", parse_memory_limit },
    { "in_place", parse_in_place },
    { "packed_dot", parse_dot },
    { "tune", parse_tune },
    { "profile", parse_profile },
    { "trace", parse_trace },
    { "poison", parse_poison },
};

static enum status parse_one(struct gpu_options *o, const char *key, const char *value,
                             struct diag *diag)
{
    char known[512];
    size_t used = 0;

    for (size_t i = 0; i < COUNT(keys_known); i++)
        if (strcmp(key, keys_known[i].key) == 0)
            return keys_known[i].parse(o, key, value, diag);
    for (size_t i = 0; i < COUNT(keys_known) && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 keys_known[i].key);
    return diag_fail(diag, STATUS_USAGE, "option %s: unknown key; known are %s", key, known);
}

const char *options_key(size_t i)
{
    return i < COUNT(keys_known) ? keys_known[i].key : NULL;
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
                               .max_partitions = 1,
                               .tune_budget_ms = TUNE_BUDGET_MS,
                               .min_nodes = 1 };
    if (count != 0 && (!keys || !values))
        return diag_fail(diag, STATUS_USAGE, "options: %zu given, but no strings", count);
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        if (!keys[i] || !values[i])
            s = diag_fail(diag, STATUS_USAGE, "options: entry %zu of %zu is NULL", i, count);
        else
            s = parse_one(o, keys[i], values[i], diag);
    }
    if (s == STATUS_OK && o->first_node >= 0 && o->last_node >= 0 && o->first_node > o->last_node)
        s = diag_fail(diag, STATUS_USAGE, "option first_node: %d is behind last_node, %d",
                      o->first_node, o->last_node);
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
