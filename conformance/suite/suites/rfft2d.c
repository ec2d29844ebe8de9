/* RFFT2D, and COMPLEX_ABS of what it gives: no case has complex numbers among its inputs and
 * outputs.  Frames of audio, transforms that cut off or continue their input, both dimensions. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"

struct row {
    struct op_case base;
    struct shape in;
    int32_t length[2];
    bool reshaped; /* a RESHAPE between the two drops the rows */
    bool cast;     /* CAST takes the real part, in the place of COMPLEX_ABS */
};

#define MEMBER(name, code_)                                                                        \
    {                                                                                              \
        .op = name, .code = BUILTIN_##code_, .version = 1, .types = TYPE_BIT(CASE_F32),            \
        .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE) | SET_BIT(SET_SPREAD), .bound = {      \
            .kind = BOUND_ROUNDED,                                                                 \
            .ulps = 4                                                                              \
        }                                                                                          \
    }

static const struct suite_member members[] = {
    MEMBER("rfft2d", RFFT2D),
    MEMBER("complex_abs", COMPLEX_ABS),
};

#define FFT .only = "rfft2d"
/* Transforms of h rows and w columns, each of a power of two; the last column is continued. */
#define LENGTHS(h, w)                                                                              \
    {                                                                                              \
        ROW("h" #h "_w" #w, "lengths that are powers of two"), .in = DIMS(2, h, w - 1),            \
                                                               .length = {                         \
                                                                   h,                              \
                                                                   w                               \
                                                               }                                   \
    }

static const struct row rows[] = {
    { ROW("frames", "frames of audio", FFT), .in = DIMS(3, 1, 64), .length = { 1, 64 } },
    { ROW("padded", "frames that are continued with zeros", FFT), .in = DIMS(2, 1, 25),
      .length = { 1, 32 } },
    { ROW("cut", "frames that are cut off", FFT), .in = DIMS(2, 1, 25), .length = { 1, 16 } },
    { ROW("square", "two dimensions", FFT), .in = DIMS(8, 8), .length = { 8, 8 } },
    { ROW("tall", "more rows than columns, both continued", FFT), .in = DIMS(2, 5, 3),
      .length = { 16, 4 } },
    { ROW("cut_rows", "rows are cut off", FFT), .in = DIMS(7, 5), .length = { 4, 8 } },
    { ROW("two", "the shortest transform", FFT), .in = DIMS(3, 1, 2), .length = { 1, 2 } },
    { ROW("rank5", "five dimensions", FFT), .in = DIMS(2, 1, 3, 2, 8), .length = { 2, 8 } },
    { ROW("n1024", "a long frame", FFT, .sets = SET_BIT(SET_RANDOM)), .in = DIMS(1, 1, 1024),
      .length = { 1, 1024 } },
    { ROW("v", "every version of the op", .each_version = true), .in = DIMS(2, 1, 8),
      .length = { 1, 8 } },
    { ROW("reshaped", "a RESHAPE of complex numbers in front", .only = "complex_abs"),
      .in = DIMS(3, 1, 16), .length = { 1, 16 }, .reshaped = true },
    { ROW("image", "magnitudes of a matrix", .only = "complex_abs"), .in = DIMS(2, 4, 8),
      .length = { 4, 8 } },
    LENGTHS(1, 2),
    LENGTHS(1, 4),
    LENGTHS(1, 8),
    LENGTHS(1, 16),
    LENGTHS(1, 32),
    LENGTHS(1, 64),
    LENGTHS(1, 128),
    LENGTHS(1, 256),
    LENGTHS(2, 2),
    LENGTHS(2, 4),
    LENGTHS(2, 8),
    LENGTHS(2, 16),
    LENGTHS(2, 32),
    LENGTHS(4, 2),
    LENGTHS(4, 4),
    LENGTHS(4, 8),
    LENGTHS(4, 16),
    LENGTHS(8, 2),
    LENGTHS(8, 4),
    LENGTHS(8, 16),
    LENGTHS(16, 2),
    LENGTHS(16, 4),
    LENGTHS(16, 16),
    LENGTHS(32, 8),
    { ROW("cast", "the real part of a spectrum", FFT), .in = DIMS(2, 1, 16), .length = { 1, 16 },
      .cast = true },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill values = { .terms = 1, .factors = 1 };
    const struct shape two = DIMS(2), flat = DIMS(r->in.d[0], r->length[1] / 2 + 1);
    struct shape y = r->in;
    struct options options;
    int in[2], spectrum;

    y.d[y.rank - 2] = r->length[0];
    y.d[y.rank - 1] = r->length[1] / 2 + 1;
    options_init(&options, OPTIONS_Rfft2dOptions);
    in[0] = case_input(m, "x", &r->in, &values);
    in[1] = case_constant_i32(m, "fft_length", &two, r->length);
    spectrum = case_tensor_of(m, "spectrum", &y, TENSOR_COMPLEX64);
    if (m->c->code == BUILTIN_RFFT2D)
        case_judged_op(m, &options, 2, in, spectrum);
    else
        case_op(m, BUILTIN_RFFT2D, 1, &options, 2, in, spectrum);
    if (r->reshaped) {
        y = flat;
        in[0] = spectrum;
        spectrum = case_tensor_of(m, "flat", &y, TENSOR_COMPLEX64);
        options_init(&options, OPTIONS_ReshapeOptions);
        options_set_ints(&options, "new_shape", y.d, (size_t)y.rank);
        case_op(m, BUILTIN_RESHAPE, 1, &options, 1, in, spectrum);
    }
    in[0] = spectrum;
    if (r->cast) {
        options_init(&options, OPTIONS_CastOptions);
        options_set_int(&options, "in_data_type", TENSOR_COMPLEX64);
        options_set_int(&options, "out_data_type", TENSOR_FLOAT32);
        case_op(m, BUILTIN_CAST, 1, &options, 1, in, case_output(m, "y", &y));
    } else if (m->c->code == BUILTIN_COMPLEX_ABS)
        case_judged_op(m, NULL, 1, in, case_output(m, "y", &y));
    else
        case_op(m, BUILTIN_COMPLEX_ABS, 1, NULL, 1, in, case_output(m, "y", &y));
}

SUITE(rfft2d, members, rows, build);
