/* The report of `assay bench` in lines of text. */
#include "conformance/tools/bench/bench_print.h"
#include "conformance/tools/bench/bench_roofline.h"
#include "conformance/util/interrupt.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_SHOWN = 12 };

static double mib(uint64_t bytes)
{
    return (double)bytes / (1 << 20);
}

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

/* The range of ratios of 99 %, as far as it is known. */
static void print_ratio(FILE *f, const struct bench_shift *s)
{
    fprintf(f, "%.4f", s->ratio);
    if (isfinite(s->high))
        fprintf(f, " (99 %%: %.4f to %.4f)", s->low, s->high);
    else
        fprintf(f, " (too few or too correlated for an interval)");
}

static void print_checked(FILE *f, const char *what, const struct bench_checked *c)
{
    if (c->state == BENCH_NOT_CHECKED && !c->why[0])
        return;
    fprintf(f, "%-11s ", what);
    switch (c->state) {
    case BENCH_NOT_CHECKED: fprintf(f, "not checked: %s\n", c->why); break;
    case BENCH_WRONG: fprintf(f, "WRONG: %s\n", c->why); break;
    case BENCH_RIGHT:
        if (isinf(c->snr_db))
            fprintf(f, "right: those of the reference\n");
        else
            fprintf(f, "right%s: %.1f dB against the reference\n",
                    c->conditioned ? ", as ill-conditioned ones" : "", c->snr_db);
    }
}

static void print_versus(FILE *f, const struct bench_report *b)
{
    const struct bench_versus *const v = &b->result->versus;

    if (!v->known)
        return;
    fprintf(
        f,
        "\nin turns    %zu rounds of blocks of %zu inference%s, ABBA and BAAB, in %zu pair%s of "
        "processes\n",
        v->shift.blocks[0], v->block_inferences, v->block_inferences == 1 ? "" : "s",
        v->process_pairs, v->process_pairs == 1 ? "" : "s");
    fprintf(f, "  subject   median %.3f ms (n = %zu)\n", v->latency_ms[0].median,
            v->latency_ms[0].n);
    fprintf(f, "  versus    median %.3f ms (n = %zu): %s%s%s\n", v->latency_ms[1].median,
            v->latency_ms[1].n, v->subject, v->device[0] ? " on " : "", v->device);
    print_checked(f, "  subject", &v->checked[0]);
    print_checked(f, "  versus", &v->checked[1]);
    fprintf(f, "  ratio     subject / versus = ");
    print_ratio(f, &v->shift);
    fprintf(f, "\n");
    if (b->versus_limit >= 0)
        fprintf(f, "versus: %s\n",
                bench_shift_judge(&v->shift, b->versus_limit) == VERDICT_SLOWER
                    ? "the subject is SLOWER by more than the limit"
                    : "no slowdown beyond the limit is shown");
}

static void print_throughput(FILE *f, const struct bench_result *r)
{
    const struct bench_throughput *const t = &r->throughput;
    const double rate = t->seconds > 0 ? (double)t->inferences / t->seconds : 0;

    if (t->threads == 0)
        return;
    fprintf(
        f,
        "\nthroughput  %zu thread%s: %.1f inferences a second (%zu in %.2f s); one alone: %.1f\n",
        t->threads, t->threads == 1 ? "" : "s", rate, t->inferences, t->seconds,
        r->latency_ms.mean > 0 ? 1e3 / r->latency_ms.mean : 0);
    for (size_t i = 0; i < t->threads; i++)
        fprintf(f, "  thread %-3zu median %.3f ms, p90 %.3f (n = %zu)\n", i,
                t->latency_ms[i].median, t->latency_ms[i].p90, t->latency_ms[i].n);
    print_checked(f, "  outputs", &t->checked);
}

/* ---- beside an earlier report ---- */

static void print_judged(FILE *f, const char *what, const struct bench_shift *s,
                         enum bench_verdict verdict, double limit)
{
    fprintf(f, "  %-10sratio ", what);
    print_ratio(f, s);
    fprintf(f, ": %s\n",
            verdict == VERDICT_SLOWER ? "SLOWER"
            : verdict == VERDICT_SAME ? "within the limit"
            : s->ratio > 1 + limit    ? "over the limit, but noise may be the cause"
                                      : "none shown; the interval reaches beyond the limit");
}

static void print_sizes(FILE *f, const struct bench_comparison *c)
{
    static const char *const names[COMPARE_SIZES] = { "device", "host peak", "allocated" };

    for (size_t i = 0; i < COMPARE_SIZES; i++) {
        const struct bench_size *const s = &c->sizes[i];

        if (s->known)
            fprintf(f, "  %-10s%.2f MiB then, %.2f now, at most %.2f: %s\n", names[i],
                    mib(s->before), mib(s->after), mib(s->allowed),
                    bench_size_grew(s) ? "GREW" : "within the limit");
    }
}

static void print_comparison(FILE *f, const struct bench_comparison *c)
{
    if (!c)
        return;
    fprintf(f, "\ncompared    with %s: at most %.15g %% more\n", c->path, 100 * c->limit);
    for (size_t i = 0; i < c->note_count; i++)
        fprintf(f, "  note      %s\n", c->notes[i]);
    fprintf(f, "  median    %.3f ms then, %.3f now\n", c->median_before, c->median_after);
    print_judged(f, "latency", &c->latency, c->latency_verdict, c->limit);
    if (c->has_init)
        print_judged(f, "init", &c->init, c->init_verdict, c->limit);
    print_sizes(f, c);
    fprintf(f, "compare: %s\n",
            c->failed                                 ? "REGRESSION"
            : c->latency_verdict == VERDICT_UNDECIDED ? "no regression is shown; too noisy to "
                                                        "exclude one: more --num_runs"
                                                      : "no regression");
}

static void print_start(FILE *f, const char *what, const struct bench_start *s)
{
    if (!s->known)
        return;
    fprintf(f, "%-11s init %.1f ms, first inference %.1f ms\n", what, s->init_ms, s->first_ms);
    if (s->has_parts)
        fprintf(f,
                "            of init: %.1f ms vkCreateInstance and vkCreateDevice, %.1f waited for "
                "the driver otherwise,\n"
                "            %.1f the delegate's own, %.1f the host's\n",
                s->instance_ms + s->device_ms, s->driver_ms, s->own_ms - s->driver_ms,
                s->init_ms - s->own_ms - s->instance_ms - s->device_ms);
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
                  { "pipelines", first->pipelines_ms, second->pipelines_ms },
                  { "all of the driver", first->driver_ms, second->driver_ms } };

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

static void print_host(FILE *f, const struct bench_memory *h)
{
    fprintf(f, "host        %.1f MiB at the peak\n", mib(h->peak_bytes));
    if (!h->known)
        return;
    fprintf(f, "  ours      %.1f MiB: %.2f allocated by the program, ", mib(h->ours_bytes),
            mib(h->program_bytes));
    if (h->delegate_known)
        fprintf(f, "%.2f by the delegate, ", mib(h->delegate_bytes));
    fprintf(f, "%.1f of own files\n", mib(h->own_file_bytes));
    fprintf(f, "  driver    %.1f MiB%s, %.1f of them pages of its files\n", mib(h->driver_bytes),
            h->delegate_silent ? " with what the delegate allocates" : "",
            mib(h->driver_file_bytes));
    fprintf(f, "  rest      %.1f MiB: other libraries, and what was freed since the peak\n",
            mib(h->rest_bytes));
}

enum case_status bench_report_judge(const struct bench_report *b, char *reason, size_t bytes)
{
    const struct bench_result *const r = b->result;
    const struct bench_versus *const v = &r->versus;
    enum case_status status = r->status;

    snprintf(reason, bytes, "%s", r->reason);
    if (status != CASE_PASS)
        return status;
    if (r->checked.state == BENCH_WRONG)
        snprintf(reason, bytes, "%.200s", r->checked.why);
    else if (r->throughput.checked.state == BENCH_WRONG)
        snprintf(reason, bytes, "%.200s", r->throughput.checked.why);
    else if (v->checked[0].state == BENCH_WRONG)
        snprintf(reason, bytes, "in turns: %.200s", v->checked[0].why);
    else if (v->checked[1].state == BENCH_WRONG)
        snprintf(reason, bytes, "%.100s: %.120s", v->subject, v->checked[1].why);
    else if (b->comparison && b->comparison->failed)
        snprintf(reason, bytes, "a regression against %s", b->comparison->path);
    else if (v->known && b->versus_limit >= 0 &&
             bench_shift_judge(&v->shift, b->versus_limit) == VERDICT_SLOWER)
        snprintf(reason, bytes, "slower than %s", v->subject);
    else if (interrupt_signal())
        snprintf(reason, bytes, "interrupted by %s", interrupt_name());
    else
        return CASE_PASS;
    return interrupt_signal() ? CASE_MISSING : CASE_FAIL;
}

/* What is told of a process that ended. */
static void print_end(FILE *f, const struct bench_report *b)
{
    const struct bench_result *const r = b->result;

    fprintf(f, "model       %s\nrun by      %s\nbench: %s: %s\n", b->request->model, r->subject,
            case_status_name(r->status), r->reason);
}

void bench_print_text(FILE *f, const struct bench_report *b)
{
    const struct bench_result *const r = b->result;
    const struct bench_request *const q = b->request;

    if (r->status == CASE_CRASH || r->status == CASE_TIMEOUT) {
        print_end(f, b);
        return;
    }
    fprintf(f, "model       %s\n", q->model);
    fputs(r->use_text ? r->use_text : "", f);
    fprintf(f, "run by      %s%s%s\n", r->subject, r->device[0] ? " on " : "", r->device);
    fprintf(f, "taken       %zu of %zu nodes, %d partition%s\n", r->taken, r->nodes, r->partitions,
            r->partitions == 1 ? "" : "s");
    fprintf(f, "init        %.1f ms: %.1f for the delegate and its device, %.1f for the graph\n",
            r->create_ms + r->prepare_ms, r->create_ms, r->prepare_ms);
    print_start(f, "cold start", &r->cold);
    print_start(f, "warm start", &r->warm);
    print_serialized(f, r);
    if (r->latency_ms.n == 0)
        fprintf(f, "latency     none: %s\n", q->dry_run ? "a dry run" : interrupt_name());
    else
        fprintf(f,
                "first       %.3f ms\nlatency     median %.3f ms, mean %.3f, p10 %.3f, p90 %.3f, "
                "std %.3f (n = %zu)\n",
                r->first_ms, r->latency_ms.median, r->latency_ms.mean, r->latency_ms.p10,
                r->latency_ms.p90, r->latency_ms.std, r->latency_ms.n);
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
    print_checked(f, "outputs", &r->checked);
    print_split(f, r);
    print_host(f, &r->host);
    if (r->step_count > 0)
        print_steps(f, r);
    roofline_print_text(f, r);
    print_throughput(f, r);
    print_versus(f, b);
    print_comparison(f, b->comparison);
    if (interrupt_signal())
        fprintf(f, "\ninterrupted: %s: what came behind was not measured\n", interrupt_name());
}
