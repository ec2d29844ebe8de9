/* BATCH_MATMUL.  x [..., M, K], y [..., K, N], ranks 2 to 5; the dimensions before the last two
 * broadcast.  adj_x, adj_y: the operand has its last two dimensions swapped.
 *
 *     z[b,m,n] = sum x[b,m,k] * y[b,k,n]
 *
 * f32; f32 with i8 y, which is dequantized here (the runtime quantizes x as well, and is coarser);
 * i8, whose exact sums of products are requantized in fixed point; i16 with i16 or i8 y, whose sums
 * have 64 bits, and all zero points are 0. Meaning:
 * tflite/kernels/batch_matmul.cc, tflite/kernels/internal/reference/batch_matmul.h */
#include "reference/base/memory.h"
#include "reference/kernels/quantized.h"

#include <math.h>

enum { RANK_MIN = 2, RANK_MAX = 5, BATCH_RANK = RANK_MAX - 2 };

static void read_params(const struct options *options, void *params)
{
    TfLiteBatchMatMulParams *p = params;

    p->adj_x = options_int(options, "adj_x") != 0;
    p->adj_y = options_int(options, "adj_y") != 0;
    p->asymmetric_quantize_inputs = options_int(options, "asymmetric_quantize_inputs") != 0;
}

/* Dimension i of BATCH_RANK before the last two, aligned at the last one. */
static int32_t batch_dim(const TfLiteTensor *t, int i)
{
    const int d = i - BATCH_RANK + ref_rank(t) - 2;

    return d < 0 ? 1 : ref_dim(t, d);
}

/* The rows (0) or columns (1) of the operand's matrices, as they are multiplied. */
static int32_t matrix_dim(const TfLiteTensor *t, bool swapped, int i)
{
    return ref_dim(t, ref_rank(t) - 2 + (swapped ? 1 - i : i));
}

static enum status check_types(const struct ref_call *call, struct diag *diag)
{
    TfLiteType type;

    TRY(ref_check_in_types(call, diag, 0, "x", REF_TYPE(Float32) | REF_TYPE(Int8) | REF_TYPE(Int16),
                           RANK_MIN, RANK_MAX));
    type = call->in[0]->type;
    TRY(ref_check_in_types(call, diag, 1, "y", 1u << type | REF_TYPE(Int8), RANK_MIN, RANK_MAX));
    return ref_check_out(call, diag, 0, type);
}

/* The runtime multiplies the scales in f32. */
static enum status read_factor(const struct ref_call *call, struct diag *diag,
                               struct fixed_multiplier *m)
{
    const float product = (float)ref_scale(call->in[0]) * (float)ref_scale(call->in[1]);

    return ref_check_multiplier(call, diag, "scale of x * scale of y / output scale",
                                product / ref_scale(call->out[0]), m);
}

static enum status check_scales(const struct ref_call *call, struct diag *diag)
{
    struct fixed_multiplier m;

    if (call->in[1]->type != kTfLiteFloat32)
        TRY(ref_check_scale_in(call, diag, 1, "y"));
    if (call->in[0]->type == kTfLiteFloat32)
        return STATUS_OK;
    TRY(ref_check_scale_in(call, diag, 0, "x"));
    TRY(ref_check_scale_out(call, diag, 0));
    TRY(ref_check_symmetric(call, diag));
    if (call->in[0]->type == kTfLiteInt16 && ref_zero_point(call->in[1]) != 0)
        return ref_fail(call, diag, STATUS_INVALID, "input 1 (y): zero point is %d, expected 0",
                        ref_zero_point(call->in[1]));
    return read_factor(call, diag, &m);
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteBatchMatMulParams *p = call->params;
    struct ref_shape *const shape = &call->out_shape[0];
    const TfLiteTensor *x, *y;
    int rank;

    TRY(check_types(call, diag));
    x = call->in[0];
    y = call->in[1];
    TRY(check_scales(call, diag));
    if (matrix_dim(x, p->adj_x, 1) != matrix_dim(y, p->adj_y, 0))
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (y): %d rows of a matrix, expected %d, the columns of x%s%s",
                        matrix_dim(y, p->adj_y, 0), matrix_dim(x, p->adj_x, 1),
                        p->adj_x ? ", with adj_x" : "", p->adj_y ? ", with adj_y" : "");
    rank = ref_rank(x) > ref_rank(y) ? ref_rank(x) : ref_rank(y);
    *shape = (struct ref_shape){ .rank = rank };
    for (int i = BATCH_RANK - (rank - 2), d = 0; i < BATCH_RANK; i++, d++) {
        const int32_t a = batch_dim(x, i), b = batch_dim(y, i);

        if (a != b && a != 1 && b != 1)
            return ref_fail(call, diag, STATUS_INVALID,
                            "inputs 0 and 1 do not broadcast: %d and %d in dimension %d of %d", a,
                            b, d, rank);
        shape->dims[d] = a == 1 ? b : a;
    }
    shape->dims[rank - 2] = matrix_dim(x, p->adj_x, 0);
    shape->dims[rank - 1] = matrix_dim(y, p->adj_y, 1);
    return STATUS_OK;
}

/* One operand: its real values, or its integers less the zero point. */
struct operand {
    float *values;
    size_t row_step, column_step; /* of its matrices, as they are multiplied */
    size_t matrix;                /* elements of a matrix */
};

static struct operand open_operand(const TfLiteTensor *t, bool swapped, bool exact)
{
    const size_t columns = (size_t)ref_dim(t, ref_rank(t) - 1);
    const size_t count = ref_elements(t);
    struct operand o = { .row_step = swapped ? 1 : columns,
                         .column_step = swapped ? columns : 1,
                         .matrix = columns * (size_t)ref_dim(t, ref_rank(t) - 2) };

    if (t->type != kTfLiteFloat32) {
        o.values = ref_floats_of(t, ref_zero_point(t));
        for (size_t i = 0; o.values && !exact && i < count; i++)
            o.values[i] = (float)(ref_scale(t) * (double)o.values[i]);
        return o;
    }
    o.values = mem_alloc(count, sizeof *o.values);
    for (size_t i = 0; o.values && i < count; i++)
        o.values[i] = t->data.f[i];
    return o;
}

/* The first element of the operand's matrix at a position of the batch. */
static size_t matrix_at(const TfLiteTensor *t, const struct operand *o, const int32_t *index)
{
    size_t at = 0;

    for (int i = 0; i < BATCH_RANK; i++) {
        const int32_t dim = batch_dim(t, i);

        at = at * (size_t)dim + (size_t)(dim == 1 ? 0 : index[i]);
    }
    return at * o->matrix;
}

static void store(struct ref_call *call, size_t at, struct fixed_multiplier m, double sum,
                  double magnitude, double terms)
{
    const TfLiteTensor *const z = call->out[0];
    int64_t whole;
    double steps;

    if (z->type == kTfLiteFloat32) {
        ref_store(call, 0, at, sum, magnitude, terms);
        return;
    }
    whole = (int64_t)sum; /* exact */
    steps = ref_scale(call->in[0]) * ref_scale(call->in[1]) / ref_scale(z);
    ref_store_quant(call, 0, at, ref_type_range(z->type),
                    (int64_t)ref_zero_point(z) + (z->type == kTfLiteInt16
                                                      ? fixed_multiply_wide(whole, m)
                                                      : fixed_multiply(fixed_wrap(whole), m)),
                    sum * steps + ref_zero_point(z), magnitude * steps, terms);
}

static void multiply(struct ref_call *call, const struct operand *x, const struct operand *y,
                     struct fixed_multiplier m)
{
    const TfLiteBatchMatMulParams *p = call->params;
    const size_t rows = (size_t)matrix_dim(call->in[0], p->adj_x, 0);
    const size_t depth = (size_t)matrix_dim(call->in[0], p->adj_x, 1);
    const size_t columns = (size_t)matrix_dim(call->in[1], p->adj_y, 1);
    int32_t dims[BATCH_RANK], index[BATCH_RANK] = { 0 };
    size_t at = 0;

    for (int i = 0; i < BATCH_RANK; i++)
        dims[i] = batch_dim(call->out[0], i);
    do {
        const float *const a = x->values + matrix_at(call->in[0], x, index);
        const float *const b = y->values + matrix_at(call->in[1], y, index);

        for (size_t r = 0; r < rows; r++) {
            for (size_t c = 0; c < columns; c++) {
                double sum = 0, magnitude = 0;

                for (size_t k = 0; k < depth; k++) {
                    /* Exact. */
                    const double product = (double)a[r * x->row_step + k * x->column_step] *
                                           b[k * y->row_step + c * y->column_step];

                    sum += product;
                    magnitude += fabs(product);
                }
                store(call, at++, m, sum, magnitude, (double)depth);
            }
        }
    } while (ref_step(BATCH_RANK, dims, index));
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteBatchMatMulParams *p = call->params;
    const bool exact = call->in[0]->type != kTfLiteFloat32;
    struct fixed_multiplier m = { 0 };
    struct operand x, y;
    enum status s = STATUS_OK;

    if (ref_elements(call->out[0]) == 0)
        return STATUS_OK;
    if (exact)
        TRY(read_factor(call, diag, &m));
    x = open_operand(call->in[0], p->adj_x, exact);
    y = open_operand(call->in[1], p->adj_y, exact);
    if (x.values && y.values)
        multiply(call, &x, &y, m);
    else
        s = ref_fail(call, diag, STATUS_NO_MEMORY, "operands: out of memory");
    mem_free(x.values);
    mem_free(y.values);
    return s;
}

static const struct ref_op ops[] = {
    { REF_OP("batch_matmul", BATCH_MATMUL, 4, OPTIONS_BatchMatMulOptions),
      REF_PARAMS(TfLiteBatchMatMulParams, read_params), REF_RUN(prepare, eval) },
};

const struct ref_family ref_batch_matmul = { ops, sizeof ops / sizeof ops[0] };
