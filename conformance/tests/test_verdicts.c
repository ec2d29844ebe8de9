/* All limits of the suite, and its verdicts on mock delegates, summed up and held to
 * conformance/verdicts.tsv: a change that moves one is seen, and whoever makes it says in
 * TOLERANCES.md which arithmetic explains a limit.
 *
 * `build/tests/conformance test_verdicts keep` writes the file, which has a row for each op and
 * class of bounds: how many cases there are; how many numbers that results are held to, of them 0
 * and infinite, and the sum of the logarithms to base 2 of the others; and what becomes of results
 * that are displaced: how many fail, the same sums of the figures of a report, and a checksum of
 * its words.  Likewise a row for each fault of a mock, of cases of every kind. */
/* Needs: mock/delegate.so mock/gpu.so */
/* Needs: assay-agent */
/* Wrap: bound_check bound_check_special bound_steps bound_sums_check bound_softmax_sum */
/* Wrap: line_start */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/random_graph.h"
#include "conformance/suite/judge/conditioning.h"
#include "conformance/suite/judge/habits.h"
#include "conformance/suite/judge/hidden_limits.h"
#include "conformance/suite/judge/judge.h"
#include "conformance/suite/judge/node_compare.h"
#include "conformance/suite/subject/line.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tests/kit/cases_kit.h"
#include "conformance/tests/mock/faults.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/runtime/interpreter.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/sanitized.h"
#include "reference/tests/kit/test.h"

#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRAPHS = 600, ELEMENTS_MAX = 1500, ROWS_MAX = 4000, NAME_BYTES = 64 };
static const char file_name[] = "conformance/verdicts.tsv";

static const struct subject_class {
    const char *name;
    enum bounds floats, integers;
    enum data_set set;
} classes[] = {
    { "fp32", BOUNDS_FP32, BOUNDS_EXACT, SET_RANDOM },
    { "fp32 integers", BOUNDS_FP32, BOUNDS_ONE_STEP, SET_INTEGERS },
    { "fp16", BOUNDS_FP16, BOUNDS_FLOAT_VIEW, SET_POSITIVE },
    { "fp16_arith", BOUNDS_FP16_ARITH | BOUNDS_TOWARD_ZERO, BOUNDS_ONE_STEP, SET_RANDOM },
    { "declared", BOUNDS_FP32 | BOUNDS_WINOGRAD | BOUNDS_HYBRID | BOUNDS_EXPONENTIALS,
      BOUNDS_FLOAT_VIEW, SET_CANCEL },
};
enum { CLASSES = sizeof classes / sizeof classes[0] };

/* Numbers by their kind. */
struct sums {
    size_t count, zero, infinite;
    double bits; /* log2 of the others */
};

struct row {
    char name[NAME_BYTES]; /* "conv_2d fp16" */
    size_t cases, failed;
    struct sums limits, figures;
    uint64_t words;
};
static struct row rows[ROWS_MAX];
static size_t row_count;

static struct sums *noted; /* where limits are added up; NULL: nowhere */

static void note(struct sums *s, double x)
{
    if (!s)
        return;
    s->count++;
    if (x == 0)
        s->zero++;
    else if (!isfinite(x))
        s->infinite++;
    else
        s->bits += log2(fabs(x));
}

struct bound_verdict __real_bound_check(enum bounds bounds, double limit, double value, double got);
struct bound_verdict __wrap_bound_check(enum bounds bounds, double limit, double value, double got);
struct bound_verdict __wrap_bound_check(enum bounds bounds, double limit, double value, double got)
{
    note(noted, limit);
    return __real_bound_check(bounds, limit, value, got);
}

struct bound_verdict __real_bound_check_special(enum bounds bounds, double limit, double x,
                                                double value, double got);
struct bound_verdict __wrap_bound_check_special(enum bounds bounds, double limit, double x,
                                                double value, double got);
struct bound_verdict __wrap_bound_check_special(enum bounds bounds, double limit, double x,
                                                double value, double got)
{
    note(noted, limit);
    return __real_bound_check_special(bounds, limit, x, value, got);
}

double __real_bound_steps(const struct bound_rule *rule, enum bounds floats,
                          const struct bound_point *p, double scale, int32_t zero);
double __wrap_bound_steps(const struct bound_rule *rule, enum bounds floats,
                          const struct bound_point *p, double scale, int32_t zero);
double __wrap_bound_steps(const struct bound_rule *rule, enum bounds floats,
                          const struct bound_point *p, double scale, int32_t zero)
{
    const double steps = __real_bound_steps(rule, floats, p, scale, zero);

    note(noted, steps);
    return steps;
}

struct bound_sums_verdict __real_bound_sums_check(const struct bound_sums *sums);
struct bound_sums_verdict __wrap_bound_sums_check(const struct bound_sums *sums);
struct bound_sums_verdict __wrap_bound_sums_check(const struct bound_sums *sums)
{
    const struct bound_sums_verdict v = __real_bound_sums_check(sums);

    note(noted, v.rms_limit);
    note(noted, v.mean_limit);
    return v;
}

double __real_bound_softmax_sum(enum bounds bounds, double row, double small);
double __wrap_bound_softmax_sum(enum bounds bounds, double row, double small);
double __wrap_bound_softmax_sum(enum bounds bounds, double row, double small)
{
    const double off = __real_bound_softmax_sum(bounds, row, small);

    note(noted, off);
    return off;
}

static size_t exchanges; /* with agents */

enum status __real_line_start(struct line *l, uint32_t instance, struct wire_out **steps,
                              struct diag *diag);
enum status __wrap_line_start(struct line *l, uint32_t instance, struct wire_out **steps,
                              struct diag *diag);
enum status __wrap_line_start(struct line *l, uint32_t instance, struct wire_out **steps,
                              struct diag *diag)
{
    exchanges++;
    return __real_line_start(l, instance, steps, diag);
}

static struct row *row_named(const char *name)
{
    for (size_t i = row_count; i-- > 0;) /* cases of an op stand together */
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    assert_true(row_count < ROWS_MAX);
    snprintf(rows[row_count].name, sizeof rows[row_count].name, "%s", name);
    return &rows[row_count++];
}

/* ---- one case ---- */

/* All that nodes make, as a device has it whose every fifth result is off, and at first of bytes
 * all. */
static void displace(struct outputs *got, bool all)
{
    for (size_t o = 0; o < got->count; o++) {
        const TfLiteType type = got->items[o].type;
        unsigned char *const bytes = got->items[o].data;

        for (size_t i = o % 5; i < got->items[o].bytes / 4 && type == kTfLiteFloat32; i += 5)
            ((float *)got->items[o].data)[i] *= i % 2 ? 1 + 0x1p-9F : 1 - 0x1p-21F;
        for (size_t i = o % 5; i < got->items[o].bytes && type == kTfLiteInt8; i += all ? 1 : 5)
            bytes[i] = (unsigned char)(bytes[i] + (all || i % 3));
    }
}

/* What the judge does not show, either: complex numbers and handles. */
static bool is_shown(const TfLiteTensor *t)
{
    return (t->allocation_type == kTfLiteArenaRw ||
            t->allocation_type == kTfLiteArenaRwPersistent) &&
           t->type != kTfLiteComplex64 && t->type != kTfLiteResource;
}

static void add_outputs(struct interpreter *in, struct outputs *got)
{
    for (int n = 0; n < (int)interpreter_node_count(in); n++) {
        const TfLiteNode *const node = interpreter_node(in, n);

        for (int o = 0; o < node->outputs->size; o++) {
            const int tensor = node->outputs->data[o];
            const TfLiteTensor *const t = interpreter_tensor(in, tensor);

            if (outputs_find(got, tensor) >= 0 || got->count == OUTPUTS_MAX || !is_shown(t))
                continue;
            KIT_OK(outputs_add(got,
                               &(struct output_view){ tensor, t->type, t->dims->size, t->dims->data,
                                                      t->bytes, t->data.raw },
                               &err));
        }
    }
}

/* Numbers in it are among the figures, or times. */
static void note_words(struct row *row, const char *text)
{
    for (; *text; text++)
        if (!isdigit((unsigned char)*text) && !strchr(".e+-", *text))
            row->words = (row->words ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    row->words = (row->words ^ 0x100) * UINT64_C(0x100000001b3);
}

static void note_result(struct row *row, const struct case_result *r)
{
    const double figures[] = { r->max_abs,
                               r->max_ulp,
                               r->margin,
                               r->bias,
                               (double)r->unequal,
                               (double)r->not_judged,
                               (double)r->designs,
                               r->error,
                               r->limit,
                               r->want,
                               r->worst.ratio,
                               (double)r->output + 1,
                               (double)r->habits,
                               (double)r->left_out,
                               (double)r->refused,
                               (double)r->nth_node,
                               (double)r->nodes,
                               (double)r->taken,
                               (double)r->integers,
                               (double)r->frame };

    row->failed += r->status == CASE_FAIL;
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        note(&row->figures, figures[i]);
    note_words(row, case_status_name(r->status));
    note_words(row, r->reason);
    note_words(row, r->equals);
    note_words(row, r->where);
    note_words(row, r->by_element);
    note_words(row, r->by_channel);
}

/* Whether limits are summed up: behind the first of several nodes, all of whose results are seen.
 */
static bool are_summed(struct interpreter *in)
{
    const int nodes = (int)interpreter_node_count(in);

    for (int n = 0; n < nodes; n++)
        for (int o = 0; o < interpreter_node(in, n)->outputs->size; o++)
            if (!is_shown(interpreter_tensor(in, interpreter_node(in, n)->outputs->data[o])))
                return false;
    return nodes > 1;
}

/* How far outputs move where all that is inside moves by its limit. */
static void note_conditioning(struct row *row, const struct subject_class *class,
                              struct interpreter *in)
{
    static struct figures moved[OUTPUTS_MAX];
    size_t outputs;

    interpreter_outputs(in, &outputs);
    if (conditioning_measure(in, class->floats, 1, moved, &err) != STATUS_OK)
        return; /* such as of resources, which begin without a value */
    for (size_t i = 0; i < outputs; i++) {
        note(&row->figures, moved[i].max_abs);
        note(&row->figures, moved[i].noise);
    }
}

/* Judges own results, and displaced ones, with what is between as outputs and without. */
static void sum_up(struct row *row, const struct subject_class *class, enum data_set set,
                   const struct case_instance *x, struct interpreter *in, struct outputs *exposed,
                   struct outputs *hidden)
{
    struct node_compare_request q = {
        .instance = x, .bounds = class->floats, .quantized = class->integers, .set = set
    };

    row->cases++;
    for (int moved = 0; moved < 3; moved++) {
        struct case_result r = { .status = CASE_PASS };
        double margin;

        noted = &row->limits;
        KIT_OK(interpreter_reset_state(in));
        if (node_compare_outputs(in, &q, exposed, &r, &err) == STATUS_OK)
            note_result(row, &r);
        for (int from = 0; from < 2 && are_summed(in); from++) {
            r = (struct case_result){ .status = CASE_PASS };
            q.from_outputs = from;
            KIT_OK(interpreter_reset_state(in));
            if (hidden_limits_compare(in, &q, from ? exposed : hidden, &margin, &r, &err) ==
                STATUS_OK) {
                r.margin = margin;
                note_result(row, &r);
            }
        }
        noted = NULL;
        displace(exposed, moved == 0);
        displace(hidden, moved == 0);
    }
    if (x->judged_node < 0 || row->cases % 8 == 1)
        note_conditioning(row, class, in);
}

static bool is_large(struct interpreter *in)
{
    for (int t = 0; t < (int)interpreter_tensor_count(in); t++)
        if (ref_elements(interpreter_tensor(in, t)) > ELEMENTS_MAX)
            return true;
    return false;
}

/* The set of the class, or another that the case has. */
static enum data_set set_of(const struct test_case *c, enum data_set set)
{
    while (!case_has_set(c, set))
        set = (set + 1) % SET_COUNT;
    return set;
}

static void sum_up_case(const struct test_case *c)
{
    const struct interpreter_options options = { .preserve_all = true, .num_threads = -1 };
    char name[NAME_BYTES];

    for (size_t k = 0; k < CLASSES; k++) {
        const enum data_set set = set_of(c, classes[k].set);
        const struct case_request request = { .set = set,
                                              .seed = 1,
                                              .half = bounds_half(classes[k].floats) };
        struct case_instance x CLOSED_BY(case_instance_close) = { .input_count = 0 };
        struct model m CLOSED_BY(model_close) = { .subgraph_count = 0 };
        struct outputs exposed CLOSED_BY(outputs_close) = { .count = 0 };
        struct outputs hidden CLOSED_BY(outputs_close) = { .count = 0 };
        struct interpreter *in = NULL;

        KIT_OK(case_build(c, &request, &x, &err));
        KIT_OK(tflite_read(&m, x.file.bytes, x.file.count, &err));
        KIT_OK(interpreter_open(&in, &m, &options, &err));
        KIT_OK(interpreter_allocate(in, &err));
        if (is_large(in) && !x.every_half) {
            interpreter_close(in);
            return;
        }
        KIT_OK(inputs_write(in, &x, 0, &err));
        KIT_OK(interpreter_invoke(in, &err));
        KIT_OK(outputs_copy(&hidden, in, &err));
        KIT_OK(outputs_copy(&exposed, in, &err));
        add_outputs(in, &exposed);
        snprintf(name, sizeof name, "%s %s", c->op, classes[k].name);
        sum_up(row_named(name), &classes[k], set, &x, in, &exposed, &hidden);
        interpreter_close(in);
    }
}

/* ---- faults of mocks ---- */

/* Of every kind of bound, state, structure and type. */
static const char *const samples[] = {
    "relu.f32.c5",
    "pad.f32.hw_end",
    "add.f32.linear_b",
    "mean.f32.hw_c5",
    "softmax.f32.tail1001_4d",
    "gap.f32.softmax_batch7_c13",
    "gap.f32.reshape_batch3",
    "conv_2d.f32.c5",
    "conv_2d.f16.c5",
    "conv_2d.u8.c4",
    "add.i8.c31",
    "depthwise_conv_2d.f32.c5_m3",
    "dequantize.f16.two",
    "fully_connected.f32.rank4_flat_c5",
    "fully_connected.f32.absent_bias",
    "gap.f32.conv_2d_after_sub_c3",
    "lstm.f32.a3",
    "unidirectional_sequence_lstm.f32.n1_t1_d1_a2",
    "composite.f32.canary_softmax",
    "reverse_v2.f32.batch",
};

/* Not what ends the process or takes time, nor what depends on it or on addresses of memory. */
static bool is_repeatable(const char *fault)
{
    static const char *const others[] = { "crash", "abort",   "exit",  "hang",   "fork",
                                          "leak",  "some",    "rare",  "loaded", "in_time",
                                          "addr",  "resized", "no_dev" };

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strstr(fault, others[i]))
            return false;
    return true;
}

static void judge_samples(const char *name, const char *spec, const char *fault, enum bounds bounds,
                          uint64_t runs)
{
    char option[64];
    const char *items[] = { option, "ulps=8" };
    struct judge_stage stage = { .set = -1 };
    const struct judge_options how = { .seed = 1, .stage = &stage, .repeat = { runs, 60 } };
    struct subject subject CLOSED_BY(subject_close);
    struct habit_choice choice;
    struct judge *judge = NULL;
    struct row *const row = row_named(name);

    snprintf(option, sizeof option, "fault=%s", fault);
    KIT_OK(habits_parse("all", &choice, &err));
    KIT_OK(strchr(spec, '?')
               ? subject_parse(&subject, spec, &err)
               : subject_init(&subject, spec, &(struct string_list){ items, 2 }, &err));
    KIT_OK(judge_open(&judge, &subject, &how, &err));
    subject.bounds = bounds;
    exchanges = 0;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        struct test_case c = *kit_case(samples[i]);
        struct case_result r;

        c.habits = choice.habits;
        noted = &row->limits;
        judge_case(judge, &c, &r);
        noted = NULL;
        note_result(row, &r);
        row->cases++;
    }
    note(&row->figures, (double)exchanges);
    judge_close(judge);
}

/* At the end of a line. */
static void judge_agent(const char *fault, uint64_t runs)
{
    char agent[PATH_MAX], spec[3 * PATH_MAX], name[NAME_BYTES];

    snprintf(agent, sizeof agent, "%s", build_path("", "assay-agent"));
    snprintf(spec, sizeof spec, "exec:exec %s --subject=delegate:%s?fault=%s", agent,
             mock_path("delegate.so"), fault);
    snprintf(name, sizeof name, "agent fault=%s runs=%d", fault, (int)runs);
    judge_samples(name, spec, fault, BOUNDS_FP32, runs);
}

static void judge_faults(void)
{
    static const char *const faults[] = {
#define X(name, text) text,
        FAULT_LIST(X)
#undef X
    };

    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i += KIT_EACH(8)) {
        if (!is_repeatable(faults[i]))
            continue;
        for (int ours = 0; ours < 2; ours++) {
            const char *const mock = ours ? "gpu.so" : "delegate.so";
            char name[NAME_BYTES];

            snprintf(name, sizeof name, "%s fault=%s", mock, faults[i]);
            judge_samples(name, mock_path(mock), faults[i],
                          strstr(faults[i], "half") ? BOUNDS_FP16 : BOUNDS_FP32, 0);
        }
    }
    judge_agent("none", 0);
    judge_agent("none", 3);
    judge_agent("run_40", 0);
    judge_agent("odd_input", 0);
}

static void judge_all(void)
{
    struct random_row *graphs = NULL;
    struct test_case *cases = NULL;
    size_t count = 0;

    for (size_t i = 0; i < kit_case_count; i += KIT_EACH(16))
        sum_up_case(&kit_cases[i]);
    KIT_OK(random_cases_append(1, GRAPHS, &cases, &count, &graphs, &err));
    for (size_t i = 0; i < count; i += KIT_EACH(16))
        sum_up_case(&cases[i]);
    judge_faults();
    mem_free(cases);
    mem_free(graphs);
}

/* ---- the file ---- */

static void print_sums(FILE *f, const struct sums *s)
{
    fprintf(f, "\t%zu\t%zu\t%zu\t%.4f", s->count, s->zero, s->infinite, s->bits);
}

static void print_row(FILE *f, const struct row *r)
{
    fprintf(f, "%s\t%zu", r->name, r->cases);
    print_sums(f, &r->limits);
    fprintf(f, "\t%zu", r->failed);
    print_sums(f, &r->figures);
    fprintf(f, "\t%016" PRIx64 "\n", r->words);
}

static int keep(int argc, char **argv)
{
    FILE *f;

    if (argc != 2 || strcmp(argv[1], "keep") != 0)
        return -1;
    kit_cases_open(NULL);
    judge_all();
    kit_cases_close(NULL);
    if (!(f = fopen(file_name, "w"))) {
        perror(file_name);
        return 1;
    }
    fprintf(f, "# conformance/tests/test_verdicts.c writes it, and says what the columns are.\n");
    for (size_t i = 0; i < row_count; i++)
        print_row(f, &rows[i]);
    return fclose(f) == 0 ? 0 : 1;
}

static bool read_sums(const char **at, struct sums *s)
{
    int length = 0;

    if (sscanf(*at, "%zu %zu %zu %lf%n", &s->count, &s->zero, &s->infinite, &s->bits, &length) != 4)
        return false;
    *at += length;
    return true;
}

static bool read_row(const char *line, struct row *r)
{
    int length = 0;

    if (sscanf(line, "%63[^\t] %zu%n", r->name, &r->cases, &length) != 2)
        return false;
    line += length;
    if (!read_sums(&line, &r->limits) || sscanf(line, "%zu%n", &r->failed, &length) != 1)
        return false;
    line += length;
    return read_sums(&line, &r->figures) && sscanf(line, "%" SCNx64, &r->words) == 1;
}

/* The last bits of functions of another C library move logarithms by 1e-7 each. */
static bool are_same(const struct sums *a, const struct sums *b)
{
    return a->count == b->count && a->zero == b->zero && a->infinite == b->infinite &&
           fabs(a->bits - b->bits) <= 1e-3 + 1e-7 * (double)a->count;
}

static bool are_kept(const struct row *kept, const struct row *now)
{
    return kept->cases == now->cases && kept->failed == now->failed &&
           are_same(&kept->limits, &now->limits) && are_same(&kept->figures, &now->figures) &&
           kept->words == now->words;
}

/* Sanitizers run a part of it, and registers of 80 bits round elsewhere. */
static const bool compares = !KIT_SANITIZED && FLT_EVAL_METHOD == 0;

TEST(nothing_has_moved)
{
    FILE *const f = fopen(file_name, "r");
    char line[1024];
    size_t kept = 0, moved = 0;

    assert_non_null(f);
    judge_all();
    while (fgets(line, sizeof line, f)) {
        struct row r;

        if (line[0] == '#')
            continue;
        if (!read_row(line, &r))
            fail_msg("%s: no row: %s", file_name, line);
        kept++;
        if (!compares || are_kept(&r, row_named(r.name)))
            continue;
        moved++;
        print_error("expected %s   found ", line);
        print_row(stderr, row_named(r.name));
    }
    fclose(f);
    assert_true(kept > 0);
    if (compares)
        assert_int_equal(kept, row_count);
    if (moved)
        fail_msg("%zu of %zu rows of %s are others: `build/tests/conformance test_verdicts keep` "
                 "writes it anew, and TOLERANCES.md says why limits moved",
                 moved, kept, file_name);
}

TEST_FILE(.setup = kit_cases_open, .teardown = kit_cases_close, .main = keep);
