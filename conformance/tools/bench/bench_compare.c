#include "conformance/tools/bench/bench_compare.h"

#include "conformance/util/json_parse.h"
#include "conformance/util/sha256.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- reading ---- */

/* A report of 10,000 samples and 10,000 steps has a few megabytes. */
static const size_t report_bytes_max = (size_t)64 << 20;

static enum status read_numbers(const json_t *list, const char *name, double *values, size_t room,
                                size_t *count, struct diag *diag)
{
    *count = json_array_size(list) < room ? json_array_size(list) : room;
    for (size_t i = 0; i < *count; i++) {
        const json_t *const item = json_array_get(list, i);

        values[i] = json_is_number(item) ? json_number_value(item) : 0;
        if (!(values[i] > 0) || !isfinite(values[i]))
            return diag_fail(diag, STATUS_USAGE, "%s: item %zu: expected a time over 0", name, i);
    }
    return STATUS_OK;
}

static enum status parse(struct bench_baseline *b, struct diag *diag)
{
    uint8_t *bytes;
    size_t count;
    json_error_t error;

    TRY(file_read(b->path, report_bytes_max, &bytes, &count, diag));
    b->root = json_parse((const char *)bytes, count, JSON_REJECT_DUPLICATES, &error);
    mem_free(bytes);
    return b->root
               ? STATUS_OK
               : diag_fail(diag, STATUS_USAGE, "%s: line %d: %s", b->path, error.line, error.text);
}

static enum status read_samples(struct bench_baseline *b, struct diag *diag)
{
    const json_t *const latency = json_object_get(b->root, "latency_ms");
    const json_t *const samples = json_object_get(latency, "samples");
    const json_t *const starts =
        json_object_get(json_object_get(b->root, "warm_start"), "init_samples");

    if (!json_is_object(latency) || !json_is_string(json_object_get(b->root, "model")))
        return diag_fail(diag, STATUS_USAGE, "expected a report of `assay bench --format=json`");
    if (!json_is_array(samples) || !json_is_string(json_object_get(b->root, "model_sha256")))
        return diag_fail(diag, STATUS_USAGE,
                         "it has no samples, or no hash of its model: measure again with this "
                         "version, " ASSAY_VERSION);
    b->samples = mem_alloc(json_array_size(samples), sizeof *b->samples);
    if (!b->samples)
        return diag_fail(diag, STATUS_NO_MEMORY, "out of memory");
    TRY(read_numbers(samples, "latency_ms.samples", b->samples, json_array_size(samples),
                     &b->sample_count, diag));
    return read_numbers(starts, "warm_start.init_samples", b->starts, BENCH_WARM_STARTS,
                        &b->start_count, diag);
}

static enum status check_model(const struct bench_baseline *b, const char *model, struct diag *diag)
{
    const char *const hash = json_string_value(json_object_get(b->root, "model_sha256"));
    char own[SHA256_HEX_BYTES];

    TRY(sha256_file(model, own, diag));
    return strcmp(hash, own) == 0
               ? STATUS_OK
               : diag_fail(diag, STATUS_USAGE,
                           "%s: it measured another model, %s with sha256 %.12s...; %s has "
                           "%.12s...",
                           b->path, json_string_value(json_object_get(b->root, "model")), hash,
                           model, own);
}

enum status bench_baseline_open(struct bench_baseline *b, const char *path, const char *model,
                                struct diag *diag)
{
    enum status s;

    *b = (struct bench_baseline){ .path = path };
    s = parse(b, diag);
    if (s == STATUS_OK)
        s = diag_prefix(diag, read_samples(b, diag), "%s", path);
    if (s == STATUS_OK)
        s = check_model(b, model, diag);
    if (s != STATUS_OK)
        bench_baseline_close(b);
    return s;
}

void bench_baseline_close(struct bench_baseline *b)
{
    json_decref(b->root);
    mem_free(b->samples);
    *b = (struct bench_baseline){ .path = NULL };
}

/* ---- what was not the same ---- */

static void note(struct bench_comparison *c, const char *format, ...) PRINTF_LIKE(2, 3);
static void note(struct bench_comparison *c, const char *format, ...)
{
    va_list args;

    if (c->note_count == COMPARE_NOTES)
        return;
    va_start(args, format);
    vsnprintf(c->notes[c->note_count++], COMPARE_NOTE_BYTES, format, args);
    va_end(args);
}

/* key: of a text at the top of the report. */
static void compare_text(struct bench_comparison *c, const struct bench_baseline *b,
                         const char *key, const char *what, const char *now)
{
    const char *before = json_string_value(json_object_get(b->root, key));

    before = before ? before : "none";
    now = now && *now ? now : "none";
    if (strcmp(before, now) != 0)
        note(c, "another %s: %.200s then, %.200s now", what, before, now);
}

static enum status check_same(struct bench_comparison *c, const struct bench_baseline *b,
                              const struct bench_result *r, struct diag *diag)
{
    const char *const shapes = json_string_value(json_object_get(b->root, "input_shapes"));
    const json_int_t every = json_integer_value(
        json_object_get(json_object_get(b->root, "latency_ms"), "samples_every"));

    if (shapes && strcmp(shapes, r->input_shapes) != 0)
        return diag_fail(diag, STATUS_USAGE, "%s: its inputs had the shapes %s, now %s", b->path,
                         shapes, r->input_shapes);
    compare_text(c, b, "assay", "version of Assay", ASSAY_VERSION);
    compare_text(c, b, "subject", "subject", r->subject);
    compare_text(c, b, "device", "device", r->device);
    if (b->start_count < SHIFT_BLOCKS_MIN || r->warm_count < SHIFT_BLOCKS_MIN)
        note(c, "init is not compared: %zu starts then, %zu now, of %d that the test needs",
             b->start_count, r->warm_count, SHIFT_BLOCKS_MIN);
    if (every > 1 || r->latency_ms.every > 1)
        note(c, "of many inferences a part was kept: every %lld. then, every %zu. now",
             (long long)every, r->latency_ms.every);
    return STATUS_OK;
}

/* ---- sizes ---- */

/* What a peak of resident pages may differ by: pages of stacks, of the allocator, of files that the
 * kernel maps or does not. */
static const uint64_t peak_slack_bytes = 1 << 20;

bool bench_size_grew(const struct bench_size *s)
{
    return s->known && s->after > s->allowed;
}

static void compare_size(struct bench_size *s, const struct bench_baseline *b, const char *name,
                         uint64_t now, uint64_t slack, double limit)
{
    const json_t *const before = json_object_get(json_object_get(b->root, "memory_bytes"), name);

    *s = (struct bench_size){ .name = name, .after = now };
    if (!json_is_integer(before) || json_integer_value(before) < 0)
        return;
    s->known = true;
    s->before = (uint64_t)json_integer_value(before);
    s->allowed = (uint64_t)((double)s->before * (1 + limit)) + slack;
}

static void compare_sizes(struct bench_comparison *c, const struct bench_baseline *b,
                          const struct bench_result *r)
{
    compare_size(&c->sizes[0], b, "device",
                 r->constant_bytes + r->activation_bytes + r->staging_bytes, 0, c->limit);
    compare_size(&c->sizes[1], b, "host_peak", r->host.peak_bytes, peak_slack_bytes, c->limit);
    compare_size(&c->sizes[2], b, "host_allocated", r->host.program_bytes + r->host.delegate_bytes,
                 0, c->limit);
    c->sizes[0].known = c->sizes[0].known && r->has_memory;
    c->sizes[1].known = c->sizes[1].known && r->host.known;
    c->sizes[2].known = c->sizes[2].known && r->host.known;
}

enum status bench_compare(struct bench_comparison *c, const struct bench_baseline *b,
                          const struct bench_result *r, double limit, struct diag *diag)
{
    const struct bench_series *const now = &r->latency_ms;

    *c = (struct bench_comparison){ .path = b->path, .limit = limit };
    TRY(check_same(c, b, r, diag));
    TRY(diag_prefix(diag,
                    bench_shift_samples(b->samples, b->sample_count, now->samples,
                                        now->sample_count, &c->latency, diag),
                    "%s", b->path));
    c->median_before =
        json_number_value(json_object_get(json_object_get(b->root, "latency_ms"), "median"));
    c->median_after = now->median;
    c->latency_verdict = bench_shift_judge(&c->latency, limit);
    c->has_init = b->start_count >= SHIFT_BLOCKS_MIN && r->warm_count >= SHIFT_BLOCKS_MIN;
    if (c->has_init) {
        TRY(bench_shift_values(b->starts, b->start_count, r->warm_init_ms, r->warm_count, &c->init,
                               diag));
        c->init_verdict = bench_shift_judge(&c->init, limit);
    }
    compare_sizes(c, b, r);
    c->failed =
        c->latency_verdict == VERDICT_SLOWER || (c->has_init && c->init_verdict == VERDICT_SLOWER);
    for (size_t i = 0; i < COMPARE_SIZES; i++)
        c->failed |= bench_size_grew(&c->sizes[i]);
    return STATUS_OK;
}
