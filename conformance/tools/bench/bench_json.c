/* The report of `assay bench` as one JSON object; conformance/doc/BENCH.md lists its keys. */
#include "conformance/tools/bench/bench_print.h"
#include "conformance/tools/bench/bench_roofline.h"

#include "conformance/util/interrupt.h"
#include "conformance/util/json_text.h"

#include <math.h>
#include <string.h>

static void set_real(json_t *o, const char *key, double x)
{
    json_object_set_new(o, key, json_number(x));
}

static void set_int(json_t *o, const char *key, uint64_t x)
{
    json_object_set_new(o, key, json_integer((json_int_t)x));
}

static json_t *json_reals(const double *values, size_t count)
{
    json_t *const list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_real(values[i]));
    return list;
}

/* Without latencies, after a dry run, all but n are null. */
static json_t *json_series(const struct bench_series *s)
{
    const struct {
        const char *key;
        double value;
    } figures[] = { { "mean", s->mean }, { "median", s->median }, { "p10", s->p10 },
                    { "p90", s->p90 },   { "std", s->std },       { "min", s->min },
                    { "max", s->max } };
    json_t *const o = json_object();

    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        set_real(o, figures[i].key, s->n > 0 ? figures[i].value : NAN);
    set_int(o, "n", s->n);
    set_int(o, "samples_every", s->n > 0 ? s->every : 1);
    json_object_set_new(o, "samples", json_reals(s->samples, s->sample_count));
    return o;
}

static json_t *json_shift(const struct bench_shift *s)
{
    json_t *const o = json_object();

    set_real(o, "ratio", s->ratio);
    set_real(o, "low", s->low);
    set_real(o, "high", s->high);
    set_real(o, "confidence", 0.99);
    set_int(o, "blocks", s->blocks[0]);
    if (s->blocks[1] > 0)
        set_int(o, "blocks_now", s->blocks[1]);
    set_real(o, "inflation", s->inflation);
    return o;
}

static json_t *json_judged(const struct bench_shift *s, enum bench_verdict verdict)
{
    static const char *const names[] = {
        [VERDICT_SAME] = "same", [VERDICT_UNDECIDED] = "undecided", [VERDICT_SLOWER] = "slower"
    };
    json_t *const o = json_shift(s);

    json_object_set_new(o, "verdict", json_string(names[verdict]));
    return o;
}

static json_t *json_start(const struct bench_start *s)
{
    json_t *o;

    if (!s->known)
        return json_null();
    o = json_pack("{s:f, s:f}", "init_ms", s->init_ms, "first_ms", s->first_ms);
    if (s->has_parts)
        json_object_set_new(o, "delegate_ms",
                            json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "own",
                                      s->own_ms, "instance", s->instance_ms, "device", s->device_ms,
                                      "enumerate", s->enumerate_ms, "plan", s->plan_ms, "serialize",
                                      s->serialize_ms, "upload", s->upload_ms, "pipelines",
                                      s->pipelines_ms, "driver", s->driver_ms));
    json_object_set_new(o, "driver_cache_files", json_integer(s->driver_files));
    return o;
}

static json_t *json_warm_start(const struct bench_result *r)
{
    json_t *const o = json_start(&r->warm);

    if (r->warm.known)
        json_object_set_new(o, "init_samples", json_reals(r->warm_init_ms, r->warm_count));
    return o;
}

/* The ratio compares delegate_ms.own, which leaves out making VkInstance and VkDevice: what
 * serialization can shorten. */
static json_t *json_serialized(const struct bench_start *first, const struct bench_start *second)
{
    if (!first->known || !second->known)
        return json_null();
    return json_pack(
        "{s:o, s:o, s:f, s:b, s:I, s:s}", "first", json_start(first), "second", json_start(second),
        "ratio", first->own_ms > 0 ? second->own_ms / first->own_ms : 0, "found",
        second->serialized_found > 0 && second->serialized_written == 0, "file_bytes",
        (json_int_t)first->serialized_bytes, "driver_caches", "an empty directory at each start");
}

static json_t *json_memory(const struct bench_result *r)
{
    const struct bench_memory *const h = &r->host;
    json_t *const o = json_object();

    set_int(o, "device", r->constant_bytes + r->activation_bytes + r->staging_bytes);
    set_int(o, "device_weights", r->constant_bytes);
    set_int(o, "device_activations", r->activation_bytes);
    set_int(o, "device_lower_bound", r->activation_bound);
    set_int(o, "device_staging", r->staging_bytes);
    set_int(o, "host_peak", h->peak_bytes);
    if (!h->known)
        return o;
    set_int(o, "host_ours", h->ours_bytes);
    set_int(o, "host_driver", h->driver_bytes);
    set_int(o, "host_rest", h->rest_bytes);
    set_int(o, "host_allocated", h->program_bytes + h->delegate_bytes);
    set_int(o, "host_program", h->program_bytes);
    json_object_set_new(o, "host_delegate",
                        h->delegate_known ? json_integer((json_int_t)h->delegate_bytes)
                                          : json_null());
    set_int(o, "host_own_files", h->own_file_bytes);
    set_int(o, "host_driver_files", h->driver_file_bytes);
    return o;
}

static json_t *json_split(const struct bench_result *r)
{
    return r->has_split ? json_pack("{s:I, s:I, s:I, s:f, s:f, s:f}", "cpu_nodes",
                                    (json_int_t)(r->nodes - r->taken), "copied_in_bytes",
                                    (json_int_t)r->copied_in_bytes, "copied_out_bytes",
                                    (json_int_t)r->copied_out_bytes, "host_copies", r->host_copies,
                                    "device_copies", r->device_copies, "cpu_ms", r->cpu_ms)
                        : json_null();
}

static json_t *json_ops(const struct bench_result *r)
{
    json_t *const ops = json_array();

    for (size_t i = 0; i < r->step_count; i++) {
        const struct bench_step *const s = &r->steps[i];

        json_array_append_new(ops,
                              json_pack("{s:o, s:i, s:s, s:s, s:f, s:[I,I,I], s:b}", "name",
                                        json_text(s->label), "node", s->node, "shader", s->shader,
                                        "source", s->source, "device_us", s->mean_us, "workgroup",
                                        (json_int_t)s->workgroup[0], (json_int_t)s->workgroup[1],
                                        (json_int_t)s->workgroup[2], "tuned", s->tuned));
    }
    return ops;
}

static json_t *json_checked(const struct bench_checked *c)
{
    static const char *const states[] = { "not_checked", "right", "wrong" };
    json_t *const o = json_object();

    json_object_set_new(o, "status", json_string(states[c->state]));
    json_object_set_new(o, "reason", json_text(c->why));
    json_object_set_new(o, "snr_db",
                        c->state != BENCH_NOT_CHECKED && isfinite(c->snr_db) ? json_real(c->snr_db)
                                                                             : json_null());
    json_object_set_new(o, "ill_conditioned", json_boolean(c->conditioned));
    return o;
}

static json_t *json_throughput(const struct bench_throughput *t)
{
    json_t *const o = json_object(), *const list = json_array();

    if (t->threads == 0) {
        json_decref(o);
        json_decref(list);
        return json_null();
    }
    set_int(o, "threads", t->threads);
    set_int(o, "inferences", t->inferences);
    set_real(o, "seconds", t->seconds);
    set_real(o, "per_second", t->seconds > 0 ? (double)t->inferences / t->seconds : 0);
    for (size_t i = 0; i < t->threads; i++)
        json_array_append_new(list, json_series(&t->latency_ms[i]));
    json_object_set_new(o, "latency_ms", list);
    json_object_set_new(o, "outputs", json_checked(&t->checked));
    return o;
}

static json_t *json_versus(const struct bench_report *b)
{
    const struct bench_versus *const v = &b->result->versus;
    json_t *o;

    if (!v->known)
        return json_null();
    o = json_object();
    json_object_set_new(o, "subject", json_text(v->subject));
    json_object_set_new(o, "subject_sha256", json_text(v->sha256[0] ? v->sha256 : NULL));
    json_object_set_new(o, "device", json_text(v->device[0] ? v->device : NULL));
    json_object_set_new(o, "ratio",
                        b->versus_limit >= 0
                            ? json_judged(&v->shift, bench_shift_judge(&v->shift, b->versus_limit))
                            : json_shift(&v->shift));
    json_object_set_new(o, "max_regression",
                        b->versus_limit >= 0 ? json_real(b->versus_limit) : json_null());
    set_int(o, "block_inferences", v->block_inferences);
    set_int(o, "process_pairs", v->process_pairs);
    json_object_set_new(o, "outputs",
                        json_pack("{s:o, s:o}", "subject", json_checked(&v->checked[0]), "versus",
                                  json_checked(&v->checked[1])));
    json_object_set_new(o, "latency_ms",
                        json_pack("{s:o, s:o}", "subject", json_series(&v->latency_ms[0]), "versus",
                                  json_series(&v->latency_ms[1])));
    return o;
}

static json_t *json_comparison(const struct bench_comparison *c)
{
    json_t *const o = json_object(), *const sizes = json_object(), *const notes = json_array();

    if (!c) {
        json_decref(o);
        json_decref(sizes);
        json_decref(notes);
        return json_null();
    }
    json_object_set_new(o, "file", json_text(c->path));
    set_real(o, "max_regression", c->limit);
    set_real(o, "median_before_ms", c->median_before);
    set_real(o, "median_after_ms", c->median_after);
    json_object_set_new(o, "latency", json_judged(&c->latency, c->latency_verdict));
    json_object_set_new(o, "init",
                        c->has_init ? json_judged(&c->init, c->init_verdict) : json_null());
    for (size_t i = 0; i < COMPARE_SIZES; i++) {
        const struct bench_size *const s = &c->sizes[i];

        json_object_set_new(sizes, s->name,
                            s->known
                                ? json_pack("{s:I, s:I, s:I, s:b}", "before", (json_int_t)s->before,
                                            "after", (json_int_t)s->after, "allowed",
                                            (json_int_t)s->allowed, "grew", bench_size_grew(s))
                                : json_null());
    }
    for (size_t i = 0; i < c->note_count; i++)
        json_array_append_new(notes, json_text(c->notes[i]));
    json_object_set_new(o, "memory_bytes", sizes);
    json_object_set_new(o, "notes", notes);
    json_object_set_new(o, "failed", json_boolean(c->failed));
    return o;
}

/* After a crash nothing but names and verdict is known. */
static void leave_out_figures(json_t *o)
{
    static const char *const known[] = { "assay",  "model",  "subject", "subject_spec",
                                         "status", "reason", NULL };
    const char *key;
    json_t *value;

    json_object_foreach(o, key, value)
    {
        size_t i = 0;

        while (known[i] && strcmp(known[i], key) != 0)
            i++;
        if (!known[i])
            json_object_set_new(o, key, json_null());
    }
}

static void set_names(json_t *o, const struct bench_report *b)
{
    const struct bench_result *const r = b->result;
    const struct bench_request *const q = b->request;
    char reason[256];
    const enum case_status status = bench_report_judge(b, reason, sizeof reason);

    json_object_set_new(o, "assay", json_string(ASSAY_VERSION));
    json_object_set_new(o, "model", json_text(q->model));
    json_object_set_new(o, "model_sha256", json_text(r->model_sha256));
    json_object_set_new(o, "subject", json_text(r->subject));
    json_object_set_new(o, "subject_spec", json_text(r->spec));
    json_object_set_new(o, "subject_sha256",
                        json_text(r->subject_sha256[0] ? r->subject_sha256 : NULL));
    json_object_set_new(o, "device", json_text(r->device[0] ? r->device : NULL));
    json_object_set_new(o, "input_shapes", json_text(r->input_shapes));
    json_object_update(o, r->use_json);
    json_object_set_new(o, "status", json_string(case_status_name(status)));
    json_object_set_new(o, "reason", json_text(reason));
}

json_t *bench_json(const struct bench_report *b)
{
    const struct bench_result *const r = b->result;
    json_t *const o = json_object();

    set_names(o, b);
    json_object_set_new(o, "interrupted", json_text(interrupt_name()));
    json_object_set_new(o, "outputs", json_checked(&r->checked));
    json_object_set_new(o, "latency_ms", json_series(&r->latency_ms));
    set_real(o, "init_ms", r->create_ms + r->prepare_ms);
    set_real(o, "first_ms", r->latency_ms.n > 0 ? r->first_ms : NAN);
    json_object_set_new(o, "init_parts_ms",
                        json_pack("{s:f, s:f}", "delegate", r->create_ms, "graph", r->prepare_ms));
    json_object_set_new(o, "cold_start", json_start(&r->cold));
    json_object_set_new(o, "warm_start", json_warm_start(r));
    json_object_set_new(o, "serialization", json_serialized(&r->serialized[0], &r->serialized[1]));
    json_object_set_new(o, "device_ms",
                        r->device_ms > 0 ? json_pack("{s:f}", "median", r->device_ms)
                                         : json_null());
    json_object_set_new(o, "memory_bytes", json_memory(r));
    set_int(o, "nodes", r->nodes);
    set_int(o, "taken", r->taken);
    json_object_set_new(o, "partitions", json_integer(r->partitions));
    json_object_set_new(o, "split", json_split(r));
    json_object_set_new(o, "dispatches", json_integer(r->dispatches));
    json_object_set_new(o, "tuned_steps", json_integer(r->tuned_steps));
    set_real(o, "tune_ms", r->tune_ms);
    json_object_set_new(o, "ops", json_ops(r));
    json_object_set_new(o, "roofline", roofline_json(r));
    json_object_set_new(o, "throughput", json_throughput(&r->throughput));
    json_object_set_new(o, "versus", json_versus(b));
    json_object_set_new(o, "compare", json_comparison(b->comparison));
    if (r->status == CASE_CRASH || r->status == CASE_TIMEOUT)
        leave_out_figures(o);
    return o;
}

void bench_print_json(FILE *f, const struct bench_report *b)
{
    json_t *const o = bench_json(b);

    json_dumpf(o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', f);
    json_decref(o);
}
