/* `assay golden check`: the scalar reference against the answers of the real runtime.
 *
 * A case is rebuilt from its name, seed and data set; its hashes must be those of the golden.  Then
 * each node is run on the runtime's own values of its inputs and judged alone: floats by the bound
 * of the op (TOLERANCES.md 9), everything else must be identical.  State is the runtime's own, too:
 * a graph with variables is invoked twice, and the second invoke starts from the runtime's state.
 */
#include "conformance/suite/golden/golden.h"

#include "conformance/suite/bounds/bound.h"
#include "conformance/suite/bounds/compare.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/random_graph.h"
#include "conformance/suite/cases/select.h"
#include "conformance/suite/golden/file.h"
#include "conformance/suite/judge/hidden_limits.h"
#include "conformance/suite/judge/node_compare.h"
#include "conformance/suite/judge/node_limits.h"
#include "conformance/util/directory.h"
#include "conformance/util/progress.h"
#include "conformance/util/time_limit.h"
#include "reference/base/memory.h"
#include "reference/base/op_facts.h"
#include "reference/format/composite.h"
#include "reference/format/read.h"
#include "reference/runtime/interpreter.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char mint_again[] = "; mint the goldens again (make golden-mint)";

/* ---- the report ---- */

static int by_op(const void *list, const void *key, size_t item)
{
    return strcmp(key, ((const struct golden_op *)list)[item].name);
}

static struct golden_op *report_op(struct golden_report *r, const char *name)
{
    struct golden_op *more;

    const size_t known = lookup_find(&r->by_name, by_op, r->ops, name);

    if (known != SIZE_MAX)
        return &r->ops[known];
    more = mem_resize(r->ops, r->op_count + 1, sizeof *more);
    if (!more)
        return NULL;
    r->ops = more;
    if (!lookup_add(&r->by_name, by_op, more, name, r->op_count))
        return NULL;
    more = &r->ops[r->op_count++];
    *more = (struct golden_op){ .cases = 0 };
    snprintf(more->name, sizeof more->name, "%s", name);
    return more;
}

static enum status add_failure(struct golden_report *r, const char *name, const char *reason,
                               struct diag *diag)
{
    struct golden_failure *more =
        mem_resize(r->failures, r->failure_count + 1, sizeof *r->failures);

    if (!more)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: no memory for its failure", name);
    r->failures = more;
    more = &r->failures[r->failure_count++];
    snprintf(more->name, sizeof more->name, "%s", name);
    snprintf(more->reason, sizeof more->reason, "%s", reason);
    return STATUS_OK;
}

void golden_report_close(struct golden_report *report)
{
    mem_free(report->ops);
    lookup_close(&report->by_name);
    mem_free(report->failures);
    *report = (struct golden_report){ .cases = 0 };
}

/* ---- one tensor ---- */

/* A case while it is checked; checked_case_close frees all of it. */
struct checked_case {
    const struct golden_request *request;
    const struct test_case *c;
    const struct golden_case *g;
    struct golden_file *file;
    bool again; /* the answers are those of the second invoke */
    struct case_instance instance;
    struct model model;
    struct interpreter *in;
    struct ref_detail detail[REF_MAX_RANK]; /* one for each output of a node */
    int detail_count;
    double *added; /* of the node's output: node_limits_hybrid */
    double margin; /* the worst of the case */
    char element[64];
};

static void detail_close(struct checked_case *k)
{
    for (int i = 0; i < k->detail_count; i++) {
        mem_free(k->detail[i].value);
        mem_free(k->detail[i].magnitude);
        mem_free(k->detail[i].terms);
    }
    k->detail_count = 0;
    mem_free(k->added);
    k->added = NULL;
}

static void checked_case_close(struct checked_case *k)
{
    detail_close(k);
    interpreter_close(k->in);
    model_close(&k->model);
    case_instance_close(&k->instance);
}

static enum status detail_open(struct checked_case *k, const TfLiteNode *node, struct diag *diag)
{
    const int count = node->outputs->size;

    if (count > (int)(sizeof k->detail / sizeof k->detail[0]))
        return diag_fail(diag, STATUS_UNSUPPORTED, "a node with %d outputs", count);
    for (int i = 0; i < count; i++) {
        struct ref_detail *const d = &k->detail[k->detail_count++];
        const size_t n = ref_elements(interpreter_tensor(k->in, node->outputs->data[i]));

        *d = (struct ref_detail){ .value = mem_alloc(n, sizeof(double)),
                                  .magnitude = mem_alloc(n, sizeof(double)),
                                  .terms = mem_alloc(n, sizeof(double)) };
        if (!d->value || !d->magnitude || !d->terms)
            return diag_fail(diag, STATUS_NO_MEMORY, "no memory for %zu elements", n);
    }
    return STATUS_OK;
}

/* Reads the runtime's value of a tensor: outputs/K when it is an output of the graph, else
 * tensors/N. */
static enum status read_golden(const struct checked_case *k, int tensor, void *data, bool *there,
                               struct diag *diag)
{
    const TfLiteTensor *const t = interpreter_tensor(k->in, tensor);
    struct h5_array a = { .type = t->type, .rank = ref_rank(t), .data = data, .bytes = t->bytes };
    size_t count;
    const int *const outputs = interpreter_outputs(k->in, &count);

    if (a.rank > H5_RANK_MAX)
        return diag_fail(diag, STATUS_UNSUPPORTED, "tensor %d has rank %d", tensor, a.rank);
    for (int d = 0; d < a.rank; d++)
        a.dims[d] = ref_dim(t, d);
    if (t->type == kTfLiteComplex64) { /* its parts, in a last dimension */
        if (a.rank == H5_RANK_MAX)
            return diag_fail(diag, STATUS_UNSUPPORTED, "tensor %d has rank %d", tensor, a.rank);
        a.type = kTfLiteFloat32;
        a.dims[a.rank++] = 2;
    }
    for (size_t i = 0; i < count; i++) {
        if (outputs[i] == tensor) {
            if (there)
                *there = true;
            return golden_read(k->file, &(struct golden_place){ k->g, GOLDEN_OUTPUT, i, k->again },
                               &a, NULL, diag);
        }
    }
    return golden_read(k->file,
                       &(struct golden_place){ k->g, GOLDEN_TENSOR, (size_t)tensor, k->again }, &a,
                       there, diag);
}

/* The first byte that differs, as an element. */
static enum status compare_bytes(const TfLiteTensor *t, const void *golden, int tensor,
                                 struct diag *diag)
{
    const unsigned char *const a = t->data.data, *const b = golden;
    char where[64];

    for (size_t i = 0; i < t->bytes; i++) {
        if (a[i] == b[i])
            continue;
        compare_where(t->dims->data, t->dims->size, i / (runtime_type_bits(t->type) / 8), where,
                      sizeof where);
        return diag_fail(diag, STATUS_MISMATCH, "tensor %d at %s: not the runtime's value", tensor,
                         where);
    }
    return STATUS_OK;
}

/* Compares complex numbers of a transform (RFFT2D), which runtime and reference compute in double,
 * with the sum of the input's magnitudes as magnitude: both parts are rounded once, and what double
 * leaves is far below 2^-44 of the sum.  What only moves them has no magnitude, and the same bits.
 */
static enum status compare_complex(const struct checked_case *k, int node, const TfLiteTensor *t,
                                   const float *golden, int tensor, const struct ref_detail *detail,
                                   struct diag *diag)
{
    const struct op_facts *const facts = op_facts_find(interpreter_node_op(k->in, node)->code);
    const float *const own = (const float *)t->data.raw_const;
    char where[64];

    if (facts && facts->view)
        return compare_bytes(t, golden, tensor, diag);
    for (size_t i = 0; i < ref_elements(t); i++) {
        const double limit = 0x1p-23 * detail->value[i] + 0x1p-44 * detail->magnitude[i];

        for (size_t part = 0; part < 2; part++) {
            const double error = fabs((double)golden[2 * i + part] - own[2 * i + part]);

            if (error <= limit)
                continue;
            compare_where(t->dims->data, t->dims->size, i, where, sizeof where);
            return diag_fail(diag, STATUS_MISMATCH,
                             "tensor %d at %s, %s part: the runtime has %.9g, the reference %.9g; "
                             "limit %.3g",
                             tensor, where, part ? "imaginary" : "real",
                             (double)golden[2 * i + part], (double)own[2 * i + part], limit);
        }
    }
    return STATUS_OK;
}

/* Compares a float output by its rule: what the runtime has, or what the reference has where it
 * was asked for no detail. */
static enum status compare_floats(struct checked_case *k, const struct bound_rule *rule,
                                  const TfLiteTensor *t, const void *got, int tensor,
                                  const struct ref_detail *detail, struct diag *diag)
{
    const bool own = got == t->data.data;
    const struct compare_request request = {
        .rule = rule,
        .added = k->added,
        .bounds = t->type == kTfLiteFloat16 ? BOUNDS_FP16 : k->request->bounds,
        .integers = k->g->set == SET_INTEGERS,
        .runtime = !k->request->delegate,
        .type = t->type,
        .got = got,
        .dims = t->dims->data,
        .rank = t->dims->size,
        .detail = detail,
        /* Answers of a delegate that rounds inputs and constants itself. */
        .full_mantissas = k->request->delegate && k->instance.full_mantissas &&
                          bounds_half(k->request->bounds) && t->type == kTfLiteFloat32,
    };
    struct comparison result;

    TRY(compare_tensor(&request, &result, diag));
    if (result.margin > k->margin && !own) {
        k->margin = result.margin;
        snprintf(k->element, sizeof k->element, "tensor %d", tensor);
    }
    if (result.pass)
        return STATUS_OK;
    if (!result.has_element)
        return diag_fail(diag, STATUS_MISMATCH, "tensor %d: %s", tensor, result.text);
    return diag_fail(diag, STATUS_MISMATCH,
                     "tensor %d at %s: %s: %s has %.9g, the reference %.17g; difference "
                     "%.3g, limit %.3g; %zu of %zu elements differ",
                     tensor, result.where, result.text, own ? "an inference" : "the runtime",
                     result.got, result.want, result.error, result.limit, result.wrong,
                     result.elements);
}

/* ---- one node ---- */

/* Where the node has written an output to a variable as its state, the runtime's value goes there,
 * too. */
static void replace_state(const struct checked_case *k, const TfLiteNode *node,
                          const TfLiteTensor *t, const void *golden)
{
    for (int i = 0; i < node->inputs->size; i++) {
        const int tensor = node->inputs->data[i];
        TfLiteTensor *const state = tensor >= 0 ? interpreter_tensor(k->in, tensor) : NULL;

        if (state && state->is_variable && state->bytes == t->bytes &&
            memcmp(state->data.raw, t->data.raw, t->bytes) == 0)
            memcpy(state->data.raw, golden, t->bytes);
    }
}

/* Judges output `o` of a node that was just run, and replaces it by the runtime's value, on which
 * the following nodes are run. */
static enum status check_output(struct checked_case *k, int node, int o, bool *judged,
                                struct diag *diag)
{
    const struct bound_rule *const rule = node_compare_rule(k->in, node, o);
    const int tensor = interpreter_node(k->in, node)->outputs->data[o];
    TfLiteTensor *const t = interpreter_tensor(k->in, tensor);
    const bool is_float = t->type == kTfLiteFloat32 || t->type == kTfLiteFloat16;
    void *const golden = mem_alloc(t->bytes, 1);
    bool there = false;
    enum status s;

    if (!golden)
        return diag_fail(diag, STATUS_NO_MEMORY, "tensor %d: no memory", tensor);
    s = read_golden(k, tensor, golden, &there, diag);
    if (s == STATUS_OK && !there) {
        /* Not stored are results of constants, values of variables, and those between custom ops,
         * which XNNPACK keeps to itself: they are seen through the nodes behind them. */
        if (rule && t->allocation_type != kTfLitePersistentRo &&
            !builtin_is_custom_row(interpreter_node_op(k->in, node)->code))
            s = diag_fail(diag, STATUS_IO, "no tensors/%d, the result of node %d", tensor, node);
        goto end;
    }
    *judged = true;
    if (s == STATUS_OK && !rule)
        s = diag_fail(diag, STATUS_UNSUPPORTED, "node %d: its op has no suite, and so no bound",
                      node);
    if (s == STATUS_OK && is_float && !k->request->delegate)
        s = compare_floats(k, rule, t, t->data.data, tensor, &k->detail[o], diag);
    if (s == STATUS_OK)
        s = is_float ? compare_floats(k, rule, t, golden, tensor, &k->detail[o], diag)
            : t->type == kTfLiteComplex64
                ? compare_complex(k, node, t, golden, tensor, &k->detail[o], diag)
                : compare_bytes(t, golden, tensor, diag);
    if (s == STATUS_OK && t->bytes > 0) {
        replace_state(k, interpreter_node(k->in, node), t, golden);
        memcpy(t->data.raw, golden, t->bytes);
    }
end:
    mem_free(golden);
    return s;
}

static bool has_state(const struct checked_case *k, const TfLiteNode *node)
{
    for (int i = 0; i < node->inputs->size; i++) {
        const int tensor = node->inputs->data[i];

        if (tensor >= 0 && interpreter_tensor(k->in, tensor)->is_variable)
            return true;
    }
    return false;
}

static enum status check_nodes(struct checked_case *k, struct diag *diag)
{
    bool judged = false;

    for (int node = 0; node < (int)interpreter_node_count(k->in); node++) {
        const TfLiteNode *const abi = interpreter_node(k->in, node);
        enum status s = detail_open(k, abi, diag);

        if (s == STATUS_OK && !k->request->delegate)
            s = node_limits_hybrid(k->in, node, false, &k->added, diag);
        k->detail[0].rounded = k->added;
        if (s == STATUS_OK)
            s = interpreter_eval_node(k->in, node, k->detail, diag);
        /* Inferences ask for no detail, for which some ops have another loop: it is judged. */
        if (s == STATUS_OK && !k->request->delegate && !has_state(k, abi)) {
            /* LSTM writes to its state, which may be an input of the graph. */
            s = inputs_write(k->in, &k->instance, 0, diag);
            if (s == STATUS_OK)
                s = interpreter_eval_node(k->in, node, NULL, diag);
        }
        for (int o = 0; s == STATUS_OK && o < abi->outputs->size; o++)
            s = check_output(k, node, o, &judged, diag);
        /* All tensors lie in one block, where no sanitizer sees a write past the end of one. */
        if (s == STATUS_OK)
            s = diag_prefix(diag, interpreter_check_guards(k->in, diag), "written out of bounds");
        detail_close(k);
        if (s != STATUS_OK)
            return diag_prefix(diag, s, "node %d (%s)", node,
                               builtin_name(interpreter_node_op(k->in, node)->code));
    }
    if (!judged)
        return diag_fail(diag, STATUS_IO, "nothing in it was compared");
    return STATUS_OK;
}

/* ---- one case ---- */

static enum status check_stored(const struct checked_case *k, enum golden_kind kind, size_t index,
                                const struct h5_array *a, const void *rebuilt, struct diag *diag)
{
    enum status s =
        golden_read(k->file, &(struct golden_place){ k->g, kind, index, false }, a, NULL, diag);

    if (s == STATUS_OK && a->bytes > 0 && memcmp(a->data, rebuilt, a->bytes) != 0)
        s = diag_fail(diag, STATUS_IO, "the stored %s is not what its hash says",
                      kind == GOLDEN_MODEL ? "model" : "input");
    return s;
}

/* Compares model and inputs, where the golden stores them. */
static enum status check_all_stored(const struct checked_case *k, struct diag *diag)
{
    const struct model_subgraph *const graph = &k->model.subgraphs[0];
    const size_t size = k->instance.file.count;
    enum status s;
    void *data;

    if (!k->g->stored)
        return STATUS_OK;
    data = mem_alloc(size, 1);
    if (!data)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for a model of %zu bytes", size);
    s = check_stored(k, GOLDEN_MODEL, 0,
                     &(struct h5_array){ .type = kTfLiteUInt8,
                                         .rank = 1,
                                         .dims = { (int32_t)size },
                                         .data = data,
                                         .bytes = size },
                     k->instance.file.bytes, diag);
    mem_free(data);
    for (size_t i = 0; s == STATUS_OK && i < k->instance.input_count; i++) {
        const struct model_tensor *const t = &graph->tensors[graph->inputs.data[i]];
        struct h5_array a = { .type = k->instance.inputs[i].type,
                              .rank = (int)t->shape.count,
                              .bytes = k->instance.inputs[i].bytes };

        for (int d = 0; d < a.rank && d < H5_RANK_MAX; d++)
            a.dims[d] = t->shape.data[d];
        a.data = mem_alloc(a.bytes, 1);
        if (!a.data || a.rank > H5_RANK_MAX)
            s = diag_fail(diag, STATUS_NO_MEMORY, "input %zu: no memory", i);
        else
            s = check_stored(k, GOLDEN_INPUT, i, &a, k->instance.inputs[i].data[0], diag);
        mem_free(a.data);
    }
    return s;
}

static enum status check_identity(const struct checked_case *k, struct diag *diag)
{
    char model[SHA256_HEX_BYTES], inputs[SHA256_HEX_BYTES];

    if (k->g->builtin_code != k->c->code || k->g->op_version != k->c->version)
        return diag_fail(diag, STATUS_MISMATCH,
                         "the case changed: op %d version %d, the golden is of op %d version %d%s",
                         k->c->code, k->c->version, k->g->builtin_code, k->g->op_version,
                         mint_again);
    TRY(golden_hash(&k->instance, model, inputs, diag));
    if (strcmp(model, k->g->model_sha256) != 0)
        return diag_fail(diag, STATUS_MISMATCH, "the case changed: its model has another hash%s",
                         mint_again);
    if (strcmp(inputs, k->g->inputs_sha256) != 0)
        return diag_fail(diag, STATUS_MISMATCH, "the case changed: its inputs have another hash%s",
                         mint_again);
    return STATUS_OK;
}

static enum status write_inputs(const struct checked_case *k, struct diag *diag)
{
    size_t count;
    const int *const inputs = interpreter_inputs(k->in, &count);

    for (size_t i = 0; i < count && i < k->instance.input_count; i++) {
        TfLiteTensor *const t = interpreter_tensor(k->in, inputs[i]);

        if (t->bytes != k->instance.inputs[i].bytes)
            return diag_fail(diag, STATUS_INVALID, "input %zu has %zu bytes, its data %zu", i,
                             t->bytes, k->instance.inputs[i].bytes);
        if (t->bytes > 0)
            memcpy(t->data.raw, k->instance.inputs[i].data[0], t->bytes);
    }
    return STATUS_OK;
}

/* Runs the whole graph once, after which shapes that depend on values are known. */
static enum status run_case(struct checked_case *k, struct diag *diag)
{
    const struct interpreter_options options = { .preserve_all = true,
                                                 .guard_bytes = 64,
                                                 .num_threads = 1 };

    TRY(interpreter_open(&k->in, &k->model, &options, diag));
    TRY(interpreter_allocate(k->in, diag));
    TRY(write_inputs(k, diag));
    return interpreter_invoke(k->in, diag);
}

/* Of a model with composites: the runtime kept what is inside of them to itself, so its outputs are
 * held to the limits of all nodes. */
static enum status check_whole(struct checked_case *k, struct diag *diag)
{
    const struct node_compare_request request = { .instance = &k->instance,
                                                  .bounds = k->request->bounds,
                                                  .set = (enum data_set)k->g->set };
    struct case_result result = { .status = CASE_PASS };
    struct outputs got;
    enum status s;

    TRY(outputs_copy(&got, k->in, diag));
    for (size_t i = 0; i < got.count; i++) {
        if ((s = read_golden(k, got.items[i].tensor, got.items[i].data, NULL, diag)) != STATUS_OK)
            goto end;
    }
    s = hidden_limits_compare(k->in, &request, &got, &k->margin, &result, diag);
    if (s == STATUS_OK && result.status != CASE_PASS)
        s = diag_fail(
            diag, STATUS_MISMATCH,
            "output %d at %s: the runtime has %.9g, the reference %.17g; difference %.3g, "
            "limit %.3g",
            result.output, result.where, result.got, result.want, result.error, result.limit);
end:
    outputs_close(&got);
    return s;
}

/* Repeats the runtime's invokes, from the inputs on: nodes may have written to them. */
static enum status check_invokes(struct checked_case *k, struct diag *diag)
{
    size_t variables;

    interpreter_variables(k->in, &variables);
    if (interpreter_reset_state(k->in) != STATUS_OK)
        return diag_fail(diag, STATUS_INVALID, "a variable has no memory");
    TRY(write_inputs(k, diag));
    if (composite_is(k->c->code))
        return check_whole(k, diag);
    TRY(check_nodes(k, diag));
    if (variables == 0)
        return STATUS_OK;
    TRY(write_inputs(k, diag));
    k->again = true;
    return diag_prefix(diag, check_nodes(k, diag), "second invoke");
}

/* The answer of the runtime is marked as wrong: the reference must not agree. */
static enum status check_wrong(const struct checked_case *k, enum status s, struct diag *diag)
{
    if (s == STATUS_OK)
        return diag_fail(diag, STATUS_MISMATCH,
                         "the golden calls the runtime's answer wrong (%s), but the reference has "
                         "the same one",
                         k->g->wrong);
    if (s != STATUS_MISMATCH)
        return s;
    *diag = (struct diag){ .status = STATUS_OK };
    return STATUS_OK;
}

/* STATUS_MISMATCH: the reference and the runtime differ, or the golden is of another case. */
static enum status check_case(struct checked_case *k, struct diag *diag)
{
    const struct case_request request = { .set = (enum data_set)k->g->set,
                                          .seed = k->g->seed,
                                          .half = bounds_half(k->request->bounds) };

    TRY(case_build(k->c, &request, &k->instance, diag));
    TRY(check_identity(k, diag));
    TRY(tflite_read(&k->model, k->instance.file.bytes, k->instance.file.count, diag));
    TRY(check_all_stored(k, diag));
    TRY(run_case(k, diag));
    return k->g->wrong[0] ? check_wrong(k, check_invokes(k, diag), diag) : check_invokes(k, diag);
}

/* ---- all cases ---- */

struct checker {
    const struct golden_request *request;
    struct test_case *cases;
    bool *found; /* a golden was seen, for each case */
    size_t case_count;
    struct lookup by_name; /* of cases */
    struct golden_report *report;
    struct progress progress;
    size_t seen; /* cases of files, so far */
};

static bool wanted(const struct checker *checker, const char *name)
{
    return select_matches(name, &checker->request->filters);
}

static int by_case(const void *list, const void *key, size_t item)
{
    return strcmp(key, ((const struct test_case *)list)[item].name);
}

static enum status index_cases(struct checker *checker, struct diag *diag)
{
    const struct test_case *const cases = checker->cases;

    checker->found = mem_alloc(checker->case_count, sizeof *checker->found);
    for (size_t i = 0; i < checker->case_count; i++)
        if (!checker->found || !lookup_add(&checker->by_name, by_case, cases, cases[i].name, i))
            return diag_fail(diag, STATUS_NO_MEMORY, "no memory for %zu cases",
                             checker->case_count);
    return STATUS_OK;
}

static const struct test_case *find_case(struct checker *checker, const char *name)
{
    const size_t at = lookup_find(&checker->by_name, by_case, checker->cases, name);

    if (at == SIZE_MAX)
        return NULL;
    checker->found[at] = true;
    return &checker->cases[at];
}

static enum status count_case(struct checker *checker, struct golden_file *file,
                              const struct golden_case *g, struct diag *diag)
{
    struct golden_report *const r = checker->report;
    struct checked_case k = { .request = checker->request, .g = g, .file = file };
    struct golden_op *op;
    struct diag why = { .status = STATUS_OK };
    char name[CASE_NAME_BYTES];
    enum status s;

    k.c = find_case(checker, g->name);
    snprintf(name, sizeof name, "%s", g->name);
    *strchr(name, '.') = '\0';
    op = report_op(r, name);
    if (!op)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: no memory for a report", g->name);
    if (g->skipped[0]) {
        op->skipped++;
        r->skipped++;
        return STATUS_OK;
    }
    op->cases++;
    r->cases++;
    r->wrong += g->wrong[0] != '\0';
    s = k.c ? check_case(&k, &why)
            : diag_fail(&why, STATUS_MISMATCH, "the suite has no such case%s", mint_again);
    if (k.margin > op->margin && !g->wrong[0]) {
        op->margin = k.margin;
        memcpy(op->worst_case, g->name, sizeof op->worst_case);
        memcpy(op->element, k.element, sizeof op->element);
    }
    checked_case_close(&k);
    if (s == STATUS_OK)
        return STATUS_OK;
    /* A damaged file says nothing about the reference. */
    if (s == STATUS_IO || s == STATUS_NO_MEMORY) {
        *diag = why;
        return diag_prefix(diag, s, "%s: %s", file->path, g->name);
    }
    op->failed++;
    r->failed++;
    return add_failure(r, g->name, why.text, diag);
}

/* How many cases the golden files are expected to have: those of the suite. */
static size_t count_wanted(const struct checker *checker)
{
    size_t count = 0;

    for (size_t i = 0; i < checker->case_count; i++)
        count += wanted(checker, checker->cases[i].name);
    return count;
}

/* A kernel that loops for ever ends the check: the largest case takes a second, and a minute with
 * sanitizers. */
enum { CASE_SECONDS = 120 };

/* The report names the runtime, and what answers in its place only where nothing else does. */
static void name_runtime(struct golden_report *r, const struct golden_head *head)
{
    if (r->runtime[0] && strcmp(head->resolver, "float64") == 0)
        return;
    memcpy(r->runtime, head->runtime, sizeof r->runtime);
    memcpy(r->runtime_version, head->runtime_version, sizeof r->runtime_version);
    memcpy(r->resolver, head->resolver, sizeof r->resolver);
}

static enum status check_file(struct checker *checker, const char *path, struct diag *diag)
{
    struct golden_report *const r = checker->report;
    struct golden_file file;
    enum status s = STATUS_OK;

    TRY(golden_open(&file, path, diag));
    for (size_t i = 0; i < file.head.count && s == STATUS_OK; i++) {
        if (!wanted(checker, file.cases[i].name))
            continue;
        name_runtime(r, &file.head);
        progress_update(&checker->progress, (double)checker->seen++, "%s", file.cases[i].name);
        time_limit_begin(CASE_SECONDS, file.cases[i].name);
        s = count_case(checker, &file, &file.cases[i], diag);
    }
    time_limit_end();
    golden_close(&file);
    return s;
}

/* Counts the cases of the suite that have no golden. */
static enum status count_missing(struct checker *checker, struct diag *diag)
{
    struct golden_report *const r = checker->report;

    for (size_t i = 0; i < checker->case_count; i++) {
        const struct test_case *const c = &checker->cases[i];
        struct golden_op *op;

        if (checker->found[i] || !wanted(checker, c->name))
            continue;
        op = report_op(r, c->op);
        if (!op)
            return diag_fail(diag, STATUS_NO_MEMORY, "%s: no memory for a report", c->name);
        op->missing++;
        r->missing++;
        TRY(add_failure(r, c->name, "no golden; mint the goldens again (make golden-mint)", diag));
    }
    return STATUS_OK;
}

enum status golden_check(const struct golden_request *request, struct golden_report *report,
                         struct diag *diag)
{
    struct checker checker = { .request = request, .report = report };
    struct random_row *graphs = NULL;
    char **paths;
    size_t count;
    enum status s;

    *report = (struct golden_report){ .cases = 0 };
    TRY(golden_list_files(request->directory, &paths, &count, diag));
    s = cases_list(&checker.cases, &checker.case_count, diag);
    if (s == STATUS_OK)
        s = random_cases_append(request->seed, request->graphs, &checker.cases, &checker.case_count,
                                &graphs, diag);
    if (s == STATUS_OK)
        s = index_cases(&checker, diag);
    progress_begin(&checker.progress, "golden check", (double)count_wanted(&checker),
                   request->quiet);
    for (size_t i = 0; i < count && s == STATUS_OK; i++)
        s = check_file(&checker, paths[i], diag);
    progress_end(&checker.progress);
    if (s == STATUS_OK && !request->delegate)
        s = count_missing(&checker, diag);
    if (s == STATUS_OK && report->cases + report->skipped + report->missing == 0)
        s = diag_fail(diag, STATUS_USAGE, "no case matches the filter '%s'",
                      request->filters.count ? request->filters.items[0] : "");
    lookup_close(&checker.by_name);
    mem_free(checker.found);
    mem_free(checker.cases);
    mem_free(graphs);
    directory_free(paths, count);
    if (s != STATUS_OK)
        golden_report_close(report);
    return s;
}
