/* The list of topologies, and what they share: limits and defaults. */
#include "conformance/suite/models/zoo.h"

#include "conformance/suite/models/net.h"
#include "conformance/util/nearest.h"
#include "reference/base/memory.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* Reads what the kernel and the address space limit say. */

/* MemAvailable counts caches that the kernel would give up. */
static uint64_t from_kernel(void)
{
    FILE *const f = fopen("/proc/meminfo", "r");
    uint64_t kilobytes = 0;
    char line[256];

    if (!f)
        return 0;
    while (kilobytes == 0 && fgets(line, sizeof line, f)) {
        if (sscanf(line, "MemAvailable: %" SCNu64 " kB", &kilobytes) != 1)
            kilobytes = 0;
    }
    fclose(f);
    return kilobytes * 1024;
}

/* Bytes that can be had without swapping; 0: the system does not say. */
static uint64_t memory_available_bytes(void)
{
    const uint64_t kernel = from_kernel();
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        (kernel == 0 || limit.rlim_cur < kernel))
        return limit.rlim_cur;
    return kernel;
}

static const struct zoo_entry *const entries[] = {
    &zoo_mobilenet_v1,
    &zoo_mobilenet_v2,
    &zoo_mobilenet_v3,
    &zoo_resnet50,
    &zoo_efficientnet_lite0,
    &zoo_deeplab_mnv2,
    &zoo_ssd_mobilenet_v1,
    &zoo_ssd_mobilenet_v2,
    &zoo_posenet,
    &zoo_keyword_lstm,
    &zoo_kwt1,
    &zoo_yamnet,
    &zoo_decoder,
    &zoo_decoder_270m,
    &zoo_encoder,
    &zoo_encoder_base,
    &zoo_vit,
    &zoo_vit_base,
    &zoo_whisper,
    &zoo_whisper_tiny,
};

enum {
    ENTRIES = sizeof entries / sizeof entries[0],
    CLASSES_MAX = 262144,
    CHANNELS_MAX = 128,
    BATCH_MAX = 1024
};

const struct zoo_entry *zoo_at(size_t index)
{
    return index < ENTRIES ? entries[index] : NULL;
}

enum status zoo_find(const struct zoo_entry **entry, const char *name, struct diag *diag)
{
    const char *names[ENTRIES];
    const char *near;

    for (size_t i = 0; i < ENTRIES; i++) {
        names[i] = entries[i]->name;
        if (strcmp(name, names[i]) == 0) {
            *entry = entries[i];
            return STATUS_OK;
        }
    }
    near = nearest_name(name, names, ENTRIES);
    if (near)
        return diag_fail(diag, STATUS_USAGE, "no such model; did you mean %s?", near);
    return diag_fail(diag, STATUS_USAGE, "no such model; `assay zoo --list` lists them");
}

static enum status check_resolution(const struct zoo_entry *e, uint32_t r, struct diag *diag)
{
    const char *const what = e->resolution_is ? e->resolution_is : "resolution";

    if (r >= e->resolution_min && r <= e->resolution_max &&
        (r - e->resolution_min) % e->resolution_step == 0)
        return STATUS_OK;
    if (e->resolution_min == e->resolution_step)
        return diag_fail(diag, STATUS_USAGE, "%s %u, expected a multiple of %u up to %u", what, r,
                         e->resolution_step, e->resolution_max);
    return diag_fail(diag, STATUS_USAGE, "%s %u, expected %u to %u in steps of %u", what, r,
                     e->resolution_min, e->resolution_max, e->resolution_step);
}

/* What such models do not have is refused. */
static enum status check_weights_alone(const struct zoo_entry *e, const struct zoo_options *o,
                                       struct diag *diag)
{
    if (o->width != 1)
        return diag_fail(diag, STATUS_USAGE, "width %g, expected 1 for %s", o->width, e->name);
    if (o->type != TENSOR_FLOAT32 && o->type != TENSOR_FLOAT16 && !o->weights_only)
        return diag_fail(diag, STATUS_USAGE, "all tensors in 8 bits, expected weights only for %s",
                         e->name);
    return STATUS_OK;
}

static enum status check(const struct zoo_entry *e, const struct zoo_options *o, struct diag *diag)
{
    if (!(o->width > 0 && o->width <= 2))
        return diag_fail(diag, STATUS_USAGE, "width %g, expected more than 0, at most 2", o->width);
    TRY(check_resolution(e, o->resolution, diag));
    if (e->batch_max && o->batch > e->batch_max)
        return diag_fail(diag, STATUS_USAGE, "batch %u, expected at most %u for %s", o->batch,
                         e->batch_max, e->name);
    if (o->batch > BATCH_MAX)
        return diag_fail(diag, STATUS_USAGE, "batch %u, expected 1 to %d", o->batch, BATCH_MAX);
    if (o->channels > CHANNELS_MAX)
        return diag_fail(diag, STATUS_USAGE, "%u channels, expected 1 to %d", o->channels,
                         CHANNELS_MAX);
    if (o->classes < 2 || o->classes > CLASSES_MAX)
        return diag_fail(diag, STATUS_USAGE, "%u classes, expected 2 to %d", o->classes,
                         CLASSES_MAX);
    if (e->weights_alone)
        TRY(check_weights_alone(e, o, diag));
    if (!(e->weights_alone && (o->type == TENSOR_INT4 || o->type == TENSOR_INT2)) &&
        o->type != TENSOR_FLOAT32 && o->type != TENSOR_FLOAT16 && o->type != TENSOR_INT8 &&
        o->type != TENSOR_UINT8)
        return diag_fail(diag, STATUS_USAGE, "type %s, expected f32, f16, i8 or u8",
                         tensor_type_name(o->type));
    if (o->type == TENSOR_UINT8 && e->no_u8)
        return diag_fail(diag, STATUS_USAGE, "type u8, expected f32, f16, dynamic or i8");
    if (!e->weights_alone && o->weights_only && o->type != TENSOR_INT8)
        return diag_fail(diag, STATUS_USAGE, "weights only in type %d, expected i8", (int)o->type);
    return STATUS_OK;
}

static enum status build(struct model *m, const struct zoo_entry *entry, struct zoo_net *net,
                         struct diag *diag)
{
    builder_init(&net->builder);
    net->sizes = entry->sizes;
    entry->build(net);
    if (net->status == STATUS_OK)
        return builder_finish(&net->builder, m, diag);
    builder_close(&net->builder);
    return diag_fail(diag, net->status, "%s: no memory for the weights", entry->name);
}

/* Builds the layers twice: in f32, to measure the ranges of activations, and in 8 bits. */
static enum status build_quantized(struct model *m, const struct zoo_entry *entry,
                                   const struct zoo_options *options, struct diag *diag)
{
    struct zoo_net plain = { .options = *options }, net = { .options = *options };
    struct model measured;
    enum status s;

    plain.options.type = TENSOR_FLOAT32;
    plain.options.batch = 1;
    TRY(build(&measured, entry, &plain, diag));
    s = zoo_measure(&net.activations, &net.activation_count, &measured, options->seed,
                    options->quiet, diag);
    model_close(&measured);
    if (s == STATUS_OK) {
        zoo_tie_ranges(net.activations, net.activation_count, plain.ties, plain.tie_count);
        s = build(m, entry, &net, diag);
    }
    mem_free(net.activations);
    return s;
}

/* Fills in defaults, and adds up sizes without drawing weights. */
static enum status count_sizes(struct zoo_facts *facts, const struct zoo_entry *entry,
                               struct zoo_options *options, struct diag *diag)
{
    struct zoo_net net = { .sizes_only = true };
    struct model m;

    if (options->resolution == 0)
        options->resolution = entry->resolution;
    if (options->channels == 0)
        options->channels = entry->channels;
    if (options->classes == 0)
        options->classes = entry->classes;
    TRY(check(entry, options, diag));
    net.options = *options;
    TRY(build(&m, entry, &net, diag));
    model_close(&m);
    *facts = net.facts;
    return STATUS_OK;
}

enum status zoo_count(struct zoo_facts *facts, const struct zoo_entry *entry,
                      const struct zoo_options *options, struct diag *diag)
{
    struct zoo_options o = *options;

    *facts = (struct zoo_facts){ 0 };
    return count_sizes(facts, entry, &o, diag);
}

/* What building and writing takes: the constants, the file, and for ranges the float model with all
 * its activations. */
static uint64_t bytes_needed(const struct zoo_facts *facts, const struct zoo_options *options)
{
    const bool measured =
        options->type == TENSOR_UINT8 || (options->type == TENSOR_INT8 && !options->weights_only);
    const uint64_t batch = options->batch ? options->batch : 1;

    return 2 * facts->constant_bytes +
           (measured ? sizeof(float) * (2 * facts->parameters + facts->activations / batch) : 0);
}

static enum status check_memory(const struct zoo_facts *facts, const struct zoo_options *options,
                                struct diag *diag)
{
    const uint64_t needed = bytes_needed(facts, options);
    const uint64_t available =
        options->memory_bytes ? options->memory_bytes : memory_available_bytes();

    if (available && needed > available)
        return diag_fail(diag, STATUS_NO_MEMORY,
                         "needs about %.1f MB of memory for %" PRIu64
                         " parameters, %.1f MB are available",
                         (double)needed / 1e6, facts->parameters, (double)available / 1e6);
    return STATUS_OK;
}

enum status zoo_build(struct model *m, const struct zoo_entry *entry,
                      const struct zoo_options *options, struct diag *diag)
{
    struct zoo_net net = { .options = *options };
    struct zoo_facts facts;

    *m = (struct model){ 0 };
    TRY(count_sizes(&facts, entry, &net.options, diag));
    TRY(check_memory(&facts, &net.options, diag));
    return zoo_in_integers(&net) ? build_quantized(m, entry, &net.options, diag)
                                 : build(m, entry, &net, diag);
}

uint64_t zoo_parameters(const struct model *m)
{
    uint64_t sum = 0;

    for (size_t s = 0; s < m->subgraph_count; s++) {
        for (size_t i = 0; i < m->subgraphs[s].tensor_count; i++) {
            const struct model_tensor *const t = &m->subgraphs[s].tensors[i];
            size_t bytes;

            /* Integers without a scale are shapes. */
            if (model_tensor_data(m, t, &bytes) &&
                (t->type == TENSOR_FLOAT32 || t->type == TENSOR_FLOAT16 ||
                 t->quantization.scale.count != 0))
                sum += 8 * (uint64_t)bytes / tensor_type_bits(t->type);
        }
    }
    return sum;
}
