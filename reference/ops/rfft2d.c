/* RFFT2D: the discrete Fourier transform of matrices of f32.  x [..., H, W], fft_length [2] i32 =
 * M, N, powers of two; y [..., M, N / 2 + 1] c64.
 *
 *     y[u,v] = sum over i < min(H, M), j < min(W, N) of x[i,j] e^(-2 pi i (u i / M + v j / N))
 *
 * x is cut off, or continued with zeros.  It is computed in double and rounded once.
 *
 * COMPLEX_ABS: y = |x|, x c64 of any shape, y f32; computed in double.
 *
 * An fft_length that is not constant makes the output dynamic.
 * Meaning: tflite/kernels/rfft2d.cc, tflite/kernels/complex_support.cc */
#include "reference/base/memory.h"
#include "reference/kernels/check.h"

#include <math.h>

enum { LENGTH_MAX = 1 << 24 };

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    struct ref_shape *const shape = &call->out_shape[0];

    TRY(ref_check_in(call, diag, 0, "input", kTfLiteFloat32, 2, REF_MAX_RANK));
    TRY(ref_check_in(call, diag, 1, "fft_length", kTfLiteInt32, 1, 1));
    TRY(ref_check_out(call, diag, 0, kTfLiteComplex64));
    if (ref_dim(call->in[1], 0) != 2)
        return ref_fail(call, diag, STATUS_INVALID, "input 1 (fft_length): %d elements, expected 2",
                        ref_dim(call->in[1], 0));
    ref_same_shape(shape, call->in[0]);
    if (!ref_known(call, 1)) {
        shape->dynamic = true;
        return STATUS_OK;
    }
    TRY(ref_check_data(call, diag, 1, "fft_length"));
    for (int d = 0; d < 2; d++) {
        const int32_t n = (int32_t)ref_load_int(call->in[1], (size_t)d);

        /* The runtime's transform of one column is wrong. */
        if (n < 1 + d || n > LENGTH_MAX || (n & (n - 1)) != 0)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (fft_length): element %d is %d, expected a power of two from "
                            "%d to 2^24",
                            d, n, 1 + d);
        shape->dims[shape->rank - 2 + d] = d == 0 ? n : n / 2 + 1;
    }
    return STATUS_OK;
}

struct complex_double {
    double re, im;
};

/* The transform of n = 2^k numbers in place, which lie `step` apart: Cooley and Tukey's, of a
 * sequence in the order of its turned indices. */
static void transform(struct complex_double *x, size_t n, size_t step)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n >> 1;

        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            const struct complex_double t = x[i * step];

            x[i * step] = x[j * step];
            x[j * step] = t;
        }
    }
    for (size_t length = 2; length <= n; length *= 2) {
        for (size_t k = 0; k < length / 2; k++) {
            const double angle = -2 * 3.14159265358979323846 * (double)k / (double)length;
            const double c = cos(angle), s = sin(angle);

            for (size_t i = k; i < n; i += length) {
                struct complex_double *const a = &x[i * step], *const b =
                                                                   &x[(i + length / 2) * step];
                const struct complex_double t = { b->re * c - b->im * s, b->re * s + b->im * c };

                *b = (struct complex_double){ a->re - t.re, a->im - t.im };
                *a = (struct complex_double){ a->re + t.re, a->im + t.im };
            }
        }
    }
}

/* A matrix of x with rows of the transform's length, cut off or continued with zeros; returns the
 * sum of its magnitudes. */
static double load_matrix(const struct ref_call *call, size_t matrix, size_t rows, size_t columns,
                          struct complex_double *to)
{
    const TfLiteTensor *const x = call->in[0];
    const size_t height = (size_t)ref_dim(x, ref_rank(x) - 2);
    const size_t width = (size_t)ref_dim(x, ref_rank(x) - 1);
    double sum = 0;

    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            const double v =
                i < height && j < width ? x->data.f[(matrix * height + i) * width + j] : 0;

            to[i * columns + j] = (struct complex_double){ v, 0 };
            sum += fabs(v);
        }
    }
    return sum;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const size_t rows = (size_t)ref_load_int(call->in[1], 0);
    const size_t columns = (size_t)ref_load_int(call->in[1], 1), half = columns / 2 + 1;
    const size_t matrices = ref_elements(call->out[0]) / (rows * half);
    struct complex_double *const z = mem_alloc(rows * columns, sizeof *z);
    float *y = (float *)call->out[0]->data.raw;

    if (!z)
        return ref_fail(call, diag, STATUS_NO_MEMORY, "no memory for a matrix of %zu by %zu", rows,
                        columns);
    for (size_t m = 0; m < matrices; m++) {
        const double magnitude = load_matrix(call, m, rows, columns, z);

        for (size_t i = 0; i < rows; i++)
            transform(z + i * columns, columns, 1);
        for (size_t j = 0; j < half; j++)
            transform(z + j, rows, columns);
        for (size_t i = 0; i < rows * half; i++) {
            const struct complex_double *const f = &z[i / half * columns + i % half];

            *y++ = (float)f->re;
            *y++ = (float)f->im;
            ref_store_detail(call, 0, m * rows * half + i, hypot(f->re, f->im), magnitude, 1);
        }
    }
    mem_free(z);
    return STATUS_OK;
}

static enum status prepare_abs(struct ref_call *call, struct diag *diag)
{
    TRY(ref_check_in(call, diag, 0, "input", kTfLiteComplex64, 0, REF_MAX_RANK));
    TRY(ref_check_out(call, diag, 0, kTfLiteFloat32));
    ref_same_shape(&call->out_shape[0], call->in[0]);
    return STATUS_OK;
}

static enum status eval_abs(struct ref_call *call, struct diag *diag)
{
    const float *const x = (const float *)call->in[0]->data.raw_const;
    const size_t count = ref_elements(call->in[0]);

    (void)diag;
    for (size_t i = 0; i < count; i++) {
        const double y = hypot((double)x[2 * i], (double)x[2 * i + 1]);

        ref_store(call, 0, i, y, y, 1);
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("rfft2d", RFFT2D, 1, OPTIONS_Rfft2dOptions), REF_RUN(prepare, eval) },
    { REF_OP("complex_abs", COMPLEX_ABS, 1, 0), REF_RUN(prepare_abs, eval_abs) },
};

const struct ref_family ref_rfft2d = { ops, sizeof ops / sizeof ops[0] };
