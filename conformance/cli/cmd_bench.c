/* assay bench: latency, start and memory of a model. */
#include "conformance/bench/bench.h"
#include "conformance/bench/bench_trace.h"
#include "conformance/bench/timeline.h"
#include "conformance/cli/args.h"
#include "conformance/cli/commands.h"
#include "conformance/util/json_text.h"
#include "conformance/util/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_SHOWN = 12 };

static double mib(uint64_t bytes)
{
    return (double)bytes / (1 << 20);
}

/* ---- text ---- */

static int by_time(const void *a, const void *b)
{
    const struct bench_step *const x = *(const struct bench_step *const *)a;
    const struct bench_step *const y = *(const struct bench_step *const *)b;

    return (y->mean_us > x->mean_us) - (y->mean_us < x->mean_us);
}

static void print_steps(FILE *f, const struct bench_result *r)
{
    const struct bench_step **const order = calloc(r->step_count + 1, sizeof *order);
    double total = 0;

    if (!order)
        return;
    for (size_t i = 0; i < r->step_count; i++) {
        order[i] = &r->steps[i];
        total += r->steps[i].mean_us;
    }
    qsort(order, r->step_count, sizeof *order, by_time);
    fprintf(f, "\n%zu steps, %.1f us on the device; the longest:\n", r->step_count, total);
    fprintf(f, "       us      %%  workgroup  shader               step\n");
    for (size_t i = 0; i < r->step_count && i < STEPS_SHOWN; i++) {
        const struct bench_step *const s = order[i];
        char workgroup[40];

        snprintf(workgroup, sizeof workgroup, "%ux%ux%u%s", s->workgroup[0], s->workgroup[1],
                 s->workgroup[2], s->tuned ? "*" : "");
        fprintf(f, "%9.1f  %5.1f  %-9s  %-20s %.40s\n", s->mean_us,
                total > 0 ? 100 * s->mean_us / total : 0, workgroup, s->shader, s->label);
    }
    if (r->tuned_steps > 0)
        fprintf(f, "* measured\n");
    free(order);
}

static void print_start(FILE *f, const char *what, const struct bench_start *s)
{
    if (s->known)
        fprintf(f, "%-11s init %.1f ms, first inference %.1f ms\n", what, s->init_ms, s->first_ms);
}

static double ratio(const struct bench_start *second, const struct bench_start *first)
{
    return first->own_ms > 0 ? second->own_ms / first->own_ms : 0;
}

static void print_serialized(FILE *f, const struct bench_result *r)
{
    const struct bench_start *const first = &r->serialized[0], *const second = &r->serialized[1];
    const struct {
        const char *what;
        double first, second;
    } parts[] = { { "looking for devices", first->enumerate_ms, second->enumerate_ms },
                  { "plan and packing", first->plan_ms, second->plan_ms },
                  { "file", first->serialize_ms, second->serialize_ms },
                  { "memory and upload", first->upload_ms, second->upload_ms },
                  { "pipelines", first->pipelines_ms, second->pipelines_ms } };

    if (!first->known || !second->known)
        return;
    fprintf(f, "serialized  first start %.1f ms, second %.1f ms: %.1f %%%s; cold start %.1f ms\n",
            first->own_ms, second->own_ms, 100 * ratio(second, first),
            second->serialized_found && !second->serialized_written ? "" : " (NOT FOUND)",
            r->cold.own_ms);
    fprintf(f, "            init of the delegate, not counted: vkCreateInstance (%.1f, %.1f ms),\n",
            first->instance_ms, second->instance_ms);
    fprintf(f, "            vkCreateDevice (%.1f, %.1f ms); driver caches: an empty directory at\n",
            first->device_ms, second->device_ms);
    fprintf(f, "            each start (where the driver put %ld and %ld files); of it, in ms\n",
            first->driver_files, second->driver_files);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        fprintf(f, "              %-20s%9.1f%9.1f\n", parts[i].what, parts[i].first,
                parts[i].second);
    fprintf(f, "            file of %.2f MiB\n", mib(first->serialized_bytes));
}

static void print_split(FILE *f, const struct bench_result *r)
{
    if (!r->has_split)
        return;
    fprintf(f,
            "copies      %.2f KiB to the device and %.2f KiB back, an inference: %g by the host, "
            "%g by the device\n",
            (double)r->copied_in_bytes / 1024, (double)r->copied_out_bytes / 1024, r->host_copies,
            r->device_copies);
    if (r->partitions > 1 || r->taken < r->nodes)
        fprintf(f, "split       %d partition%s; %zu node%s on the CPU: %.3f ms of %.3f\n",
                r->partitions, r->partitions == 1 ? "" : "s", r->nodes - r->taken,
                r->nodes - r->taken == 1 ? "" : "s", r->cpu_ms, r->latency_ms.mean);
}

static void print_text(FILE *f, const struct bench_result *r, const struct bench_request *q)
{
    fprintf(f, "model       %s\n", q->model);
    fprintf(f, "run by      %s%s%s\n", r->subject, r->device[0] ? " on " : "", r->device);
    fprintf(f, "taken       %zu of %zu nodes, %d partition%s\n", r->taken, r->nodes, r->partitions,
            r->partitions == 1 ? "" : "s");
    fprintf(f, "init        %.1f ms: %.1f for the delegate and its device, %.1f for the graph\n",
            r->create_ms + r->prepare_ms, r->create_ms, r->prepare_ms);
    print_start(f, "cold start", &r->cold);
    print_start(f, "warm start", &r->warm);
    print_serialized(f, r);
    fprintf(f, "first       %.3f ms\n", r->first_ms);
    fprintf(f, "latency     median %.3f ms, mean %.3f, p10 %.3f, p90 %.3f, std %.3f (n = %zu)\n",
            r->latency_ms.median, r->latency_ms.mean, r->latency_ms.p10, r->latency_ms.p90,
            r->latency_ms.std, r->latency_ms.n);
    if (r->device_ms > 0)
        fprintf(f, "device      %.3f ms (median; steps one by one)\n", r->device_ms);
    if (r->has_memory) {
        fprintf(
            f,
            "memory      weights %.2f MiB, activations %.2f MiB (lower bound %.2f, ratio %.3f)\n",
            mib(r->constant_bytes), mib(r->activation_bytes), mib(r->activation_bound),
            r->activation_bound ? (double)r->activation_bytes / (double)r->activation_bound : 1);
        fprintf(f, "            staging %.2f MiB; %d dispatches, %d barriers\n",
                mib(r->staging_bytes), r->dispatches, r->barriers);
    }
    if (r->tuned_steps > 0)
        fprintf(f, "workgroups  of %d of %d steps measured, %.1f ms for it at this start\n",
                r->tuned_steps, r->dispatches, r->tune_ms);
    print_split(f, r);
    fprintf(f, "host        %.1f MiB at the peak\n", mib(r->host.peak_bytes));
    if (r->step_count > 0)
        print_steps(f, r);
}

/* ---- JSON ---- */

static json_t *json_start(const struct bench_start *s)
{
    json_t *o;

    if (!s->known)
        return json_null();
    o = json_pack("{s:f, s:f}", "init_ms", s->init_ms, "first_ms", s->first_ms);
    if (s->has_parts)
        json_object_set_new(o, "delegate_ms",
                            json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "own", s->own_ms,
                                      "instance", s->instance_ms, "device", s->device_ms,
                                      "enumerate", s->enumerate_ms, "plan", s->plan_ms, "serialize",
                                      s->serialize_ms, "upload", s->upload_ms, "pipelines",
                                      s->pipelines_ms));
    json_object_set_new(o, "driver_cache_files", json_integer(s->driver_files));
    return o;
}

/* The ratio compares delegate_ms.own, which leaves out making VkInstance and VkDevice: what
 * serialization can shorten. */
static json_t *json_serialized(const struct bench_start *first, const struct bench_start *second)
{
    if (!first->known || !second->known)
        return json_null();
    return json_pack("{s:o, s:o, s:f, s:b, s:I, s:s}", "first", json_start(first), "second",
                     json_start(second), "ratio", ratio(second, first), "found",
                     second->serialized_found > 0 && second->serialized_written == 0, "file_bytes",
                     (json_int_t)first->serialized_bytes, "driver_caches",
                     "an empty directory at each start");
}

static void print_json(FILE *f, const struct bench_result *r, const struct bench_request *q)
{
    json_t *const ops = json_array();
    json_t *o;

    for (size_t i = 0; i < r->step_count; i++) {
        const struct bench_step *const s = &r->steps[i];

        json_array_append_new(ops,
                              json_pack("{s:o, s:i, s:s, s:s, s:f, s:[I,I,I], s:b}", "name",
                                        json_text(s->label), "node", s->node, "shader", s->shader,
                                        "source", s->source, "device_us", s->mean_us, "workgroup",
                                        (json_int_t)s->workgroup[0], (json_int_t)s->workgroup[1],
                                        (json_int_t)s->workgroup[2], "tuned", s->tuned));
    }
    o = json_pack("{s:o, s:o, s:o, s:{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I}, s:f, s:f}", "model",
                  json_text(q->model), "subject", json_text(r->subject), "device",
                  json_text(r->device[0] ? r->device : NULL), "latency_ms", "mean",
                  r->latency_ms.mean, "median", r->latency_ms.median, "p10", r->latency_ms.p10,
                  "p90", r->latency_ms.p90, "std", r->latency_ms.std, "min", r->latency_ms.min,
                  "max", r->latency_ms.max, "n", (json_int_t)r->latency_ms.n, "init_ms",
                  r->create_ms + r->prepare_ms, "first_ms", r->first_ms);
    json_object_set_new(o, "init_parts_ms",
                        json_pack("{s:f, s:f}", "delegate", r->create_ms, "graph", r->prepare_ms));
    json_object_set_new(o, "cold_start", json_start(&r->cold));
    json_object_set_new(o, "warm_start", json_start(&r->warm));
    json_object_set_new(o, "serialization", json_serialized(&r->serialized[0], &r->serialized[1]));
    json_object_set_new(o, "device_ms",
                        r->device_ms > 0 ? json_pack("{s:f}", "median", r->device_ms)
                                         : json_null());
    json_object_set_new(
        o, "memory_bytes",
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "device",
                  (json_int_t)(r->constant_bytes + r->activation_bytes + r->staging_bytes),
                  "device_weights", (json_int_t)r->constant_bytes, "device_activations",
                  (json_int_t)r->activation_bytes, "device_lower_bound",
                  (json_int_t)r->activation_bound, "device_staging", (json_int_t)r->staging_bytes,
                  "host_peak", (json_int_t)r->host.peak_bytes));
    json_object_set_new(o, "nodes", json_integer((json_int_t)r->nodes));
    json_object_set_new(o, "taken", json_integer((json_int_t)r->taken));
    json_object_set_new(o, "partitions", json_integer(r->partitions));
    json_object_set_new(
        o, "split",
        r->has_split ? json_pack("{s:I, s:I, s:I, s:f, s:f, s:f}", "cpu_nodes",
                                 (json_int_t)(r->nodes - r->taken), "copied_in_bytes",
                                 (json_int_t)r->copied_in_bytes, "copied_out_bytes",
                                 (json_int_t)r->copied_out_bytes, "host_copies", r->host_copies,
                                 "device_copies", r->device_copies, "cpu_ms", r->cpu_ms)
                     : json_null());
    json_object_set_new(o, "dispatches", json_integer(r->dispatches));
    json_object_set_new(o, "tuned_steps", json_integer(r->tuned_steps));
    json_object_set_new(o, "tune_ms", json_real(r->tune_ms));
    json_object_set_new(o, "ops", ops);
    json_dumpf(o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', f);
    json_decref(o);
}

/* ---- the command ---- */

static int print_result(const struct bench_result *r, const struct bench_request *q,
                        const struct args_common *common)
{
    struct output out;

    if (!output_open(&out)) {
        message_error("bench", "out of memory");
        return EXIT_FAILED;
    }
    if (common->format == FORMAT_JSON)
        print_json(out.file, r, q);
    else
        print_text(out.file, r, q);
    return output_close(&out, common->out, false);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct args_common common;
    bool no_starts = false;
    const char *trace = NULL;
    struct bench_request q = {
        .runs = 50, .warmup_runs = 1, .min_secs = 1, .max_secs = 150, .warmup_min_secs = 0.5
    };
    const struct args_flag flags[] = {
        { "graph", ARGS_STRING, &q.model, "FILE", "the model", 0, 0, NULL },
        { "num_runs", ARGS_UINT, &q.runs, "N", "minimum number of inferences (default 50)", 1, 1e9,
          NULL },
        { "min_secs", ARGS_DOUBLE, &q.min_secs, "S", "minimum seconds of inferences (default 1)", 0,
          1e6, NULL },
        { "max_secs", ARGS_DOUBLE, &q.max_secs, "S", "maximum seconds of inferences (default 150)",
          0, 1e6, NULL },
        { "warmup_runs", ARGS_UINT, &q.warmup_runs, "N",
          "minimum number of inferences before measuring (default 1)", 0, 1e9, NULL },
        { "warmup_min_secs", ARGS_DOUBLE, &q.warmup_min_secs, "S",
          "minimum seconds of inferences before measuring (default 0.5)", 0, 1e6, NULL },
        { "profile", ARGS_BOOL, &q.profile, NULL,
          "measure the device time of each step, in a second pass", 0, 0, NULL },
        { "trace", ARGS_STRING, &trace, "FILE",
          "write the phases of a start and of inferences for Perfetto, in one more pass", 0, 0,
          NULL },
        { "no-starts", ARGS_BOOL, &no_starts, NULL, "do not measure starts in other processes", 0,
          0, NULL },
    };
    struct bench_result r;
    struct diag diag = { .status = STATUS_OK };
    struct args args;
    int code;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0],
                    ARGS_DELEGATE | ARGS_FORMAT | ARGS_SEED | ARGS_QUIET, &common, &args, 0, 1,
                    &code))
        return code;
    if (args.count == 1 && q.model) {
        message_error(self->name, "expected one model, found %s and --graph=%s", args.items[0],
                      q.model);
        return EXIT_USAGE;
    }
    if (q.min_secs > q.max_secs) {
        message_error(self->name, "--min_secs=%.15g is more than --max_secs=%.15g", q.min_secs,
                      q.max_secs);
        return EXIT_USAGE;
    }
    if (args.count == 1)
        q.model = args.items[0];
    q.delegate = common.delegate;
    q.delegate_options = common.delegate_option;
    q.seed = common.seed;
    q.quiet = common.quiet;
    if (!q.model) {
        message_error(self->name, "no model; `assay bench --help` shows how");
        return EXIT_USAGE;
    }
    q.starts = !no_starts;
    if (trace && timeline_check_path(trace, &diag) != STATUS_OK)
        return message_fail("bench --trace", &diag);
    if (bench_run(&r, &q, &diag) != STATUS_OK)
        return message_fail(self->name, &diag);
    code = print_result(&r, &q, &common);
    bench_close(&r);
    if (code == EXIT_AS_EXPECTED && trace && bench_trace(&q, trace, &diag) != STATUS_OK)
        return message_fail("bench --trace", &diag);
    return code;
}

const struct command command_bench = {
    .name = "bench",
    .summary = "measure a model: latency, start and memory",
    .synopsis = "MODEL [FLAG]...",
    .description =
        "Measures the start of a delegate, its first inference, the latency of further inferences, "
        "the copies of each, and memory on the device and the host.  Starts are measured in "
        "processes of their own: with empty shader caches, with warm ones, and twice with "
        "serialization.\n\n"
        "With --profile a second pass measures each dispatch with timestamps of the device.  "
        "--trace=FILE writes a start and 9 inferences as trace events, which "
        "https://ui.perfetto.dev "
        "and chrome://tracing show.  The "
        "flags --graph, --num_runs, --min_secs, --max_secs, --warmup_runs and --warmup_min_secs "
        "are named as in TensorFlow Lite's benchmark_model.",
    .examples = "  assay bench mobilenet.tflite\n"
                "  assay bench mobilenet.tflite --delegate=none --no-starts\n"
                "  assay bench mobilenet.tflite --delegate-option=precision=fp16 --profile\n"
                "  assay bench mobilenet.tflite --no-starts --trace=trace.json\n"
                "  assay bench --graph=mobilenet.tflite --num_runs=200 --format=json\n",
    .suffix = ".tflite",
    .run = run,
};
