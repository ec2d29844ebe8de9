/* Each allocation fails once, of blocks and of pieces of arenas, while the models of fuzz/hostile
 * that run are read, opened, prepared and run, and imported and planned: the status says so, and
 * nothing crashes; a sanitizer build sees what is left.  */
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/gpu_kit.h"
#include "delegate/tests/kit/hostile_run.h"
#include "delegate/tests/kit/memory_faults.h"
#include "reference/tests/kit/test.h"

#include "delegate/accept/decide.h"
#include "delegate/graph/import.h"
#include "reference/base/arena.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/runtime/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 1500, BYTES_MAX = 1 << 22, ITERATIONS_MAX = 20 };

static bool reached; /* an allocation has failed */

static void arm(bool arenas, long n)
{
    memory_faults_arm(MEMORY_ARENAS, arenas ? n : -1);
    mem_fail_after(arenas ? -1 : n);
    reached = false;
}

static void disarm(long failures)
{
    mem_fail_after(-1);
    reached = memory_faults_disarm() || mem_failures() != failures;
}

static const struct interpreter_options host = { .report = report_nothing,
                                                 .max_iterations = ITERATIONS_MAX };

/* ---- the reference ---- */

static enum status live(const struct tflite_file *file, struct diag *diag)
{
    struct model m CLOSED_BY(model_close) = { 0 };
    struct interpreter *in CLOSED_BY(kit_interpreter_end) = NULL;
    enum status s = tflite_read(&m, file->bytes, file->count, diag);

    if (s == STATUS_OK)
        s = interpreter_open(&in, &m, &host, diag);
    if (s == STATUS_OK)
        s = interpreter_allocate(in, diag);
    if (s == STATUS_OK)
        s = interpreter_invoke(in, diag);
    return s;
}

/* ---- the delegate ---- */

static enum status plan(const struct graph *g, const char *const *pairs, struct diag *diag)
{
    const struct device_limits limits = gpu_large_limits();
    struct gpu_options options CLOSED_BY(options_close) = gpu_options_of(pairs);
    int *lists CLOSED_BY(kit_free) =
        calloc((size_t)g->node_count + 2 * (size_t)g->tensor_count + 1, sizeof(int));
    struct plan_request r = { .graph = g, .options = &options, .limits = &limits };
    struct decision d CLOSED_BY(decision_close) = { 0 };
    enum status s = decision_make(&d, g, &options, &limits, diag);
    struct plan p;

    if (s == STATUS_OK && d.refusal_count == 0) {
        gpu_request_all(&r, g, lists, lists + g->node_count,
                        lists + g->node_count + g->tensor_count);
        if ((s = plan_make(&p, &r, diag)) == STATUS_OK)
            plan_close(&p);
    }
    return s;
}

struct point {
    bool arenas;
    long n;
    const char *const *pairs;
    enum status status;
    struct diag diag;
};

static TfLiteStatus prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    struct point *const p = delegate->data_;
    const long failures = mem_failures();
    struct graph g = { 0 };

    p->diag = (struct diag){ 0 };
    arm(p->arenas, p->n);
    p->status = graph_import(&g, context, &p->diag);
    if (p->status == STATUS_OK) {
        p->status = plan(&g, p->pairs, &p->diag);
        graph_close(&g);
    }
    disarm(failures);
    return kTfLiteOk;
}

static enum status plan_once(const struct tflite_file *file, struct point *p)
{
    TfLiteDelegate delegate = { .data_ = p,
                                .Prepare = prepare,
                                .flags = kTfLiteDelegateFlagsAllowDynamicTensors };
    struct model m CLOSED_BY(model_close) = { 0 };
    struct interpreter *in CLOSED_BY(kit_interpreter_end) = NULL;

    p->status = STATUS_OK;
    if (tflite_read(&m, file->bytes, file->count, NULL) == STATUS_OK &&
        interpreter_open(&in, &m, &host, NULL) == STATUS_OK)
        interpreter_apply_delegate(in, &delegate, NULL, NULL);
    return p->status;
}

/* ---- all points of a row ---- */

static unsigned points, failed;

static void judge(const struct hostile_row *row, const char *what, long n, enum status s,
                  const struct diag *diag)
{
    points++;
    failed += s != STATUS_OK;
    /* A host that has no memory says no more to the delegate than that a call has failed. */
    if (s != STATUS_OK && s != STATUS_NO_MEMORY && !strstr(diag->text, "TfLiteContext."))
        fail_msg("%s: %s: allocation %ld: %s: %s", row->name, what, n, status_text(s), diag->text);
}

static void try_row(const struct hostile_row *row, const struct tflite_file *file, bool arenas)
{
    static const char *const none[] = { NULL };
    static const char *const half[] = { "precision", "fp16", "quantized", "float_view", NULL };
    const char *const kind = arenas ? "arena" : "memory";

    for (long n = 0; n < POINTS_MAX; n++) {
        const long failures = mem_failures();
        enum status s;

        arm(arenas, n);
        s = live(file, &err);
        disarm(failures);
        judge(row, kind, n, s, &err);
        if (!reached)
            break;
    }
    for (int i = 0; i < 2; i++)
        for (long n = 0; n < POINTS_MAX; n++) {
            struct point p = { .arenas = arenas, .n = n, .pairs = i ? half : none };

            reached = false;
            plan_once(file, &p);
            if (p.status == STATUS_UNSUPPORTED)
                break;
            judge(row, i ? "plan, fp16" : "plan", n, p.status, &p.diag);
            if (!reached)
                break;
        }
}

static void every_allocation_fails_once(bool arenas)
{
    struct hostile_table t;

    KIT_OK(hostile_table_read(&t, "fuzz/hostile", &err));
    points = failed = 0;
    for (size_t i = 0; i < t.count; i++) {
        const struct hostile_row *const row = &t.rows[i];
        struct tflite_file file = { 0 };

        if (row->stage != HOSTILE_RUNS || row->pending || row->edit)
            continue;
        KIT_OK(hostile_row_write(row, &file, &err));
        if (live(&file, &err) == STATUS_OK && mem_live_bytes() < BYTES_MAX)
            try_row(row, &file, arenas);
        mem_free(file.bytes);
    }
    hostile_table_close(&t);
    printf("%u points, %u failures\n", points, failed);
    assert_true(failed > 1000);
}

TEST(blocks)
{
    every_allocation_fails_once(false);
}

TEST(pieces_of_arenas)
{
    every_allocation_fails_once(true);
}
