/* 8-bit data movement, picking and pooling on the device: PAD, STRIDED_SLICE, CONCATENATION,
 * MAXIMUM, MINIMUM, pools.  Skipped where there is no device. */
#include "delegate/tests/kit/exact_kit.h"
#include "reference/tests/kit/test.h"

static const char *const types[] = { "i8", "u8" };

EXACT_TEST(pad, "fp32", 1, 60)
{
    const char *const type = types[seed % 2];
    const int rank = 1 + (int)(seed % 6);
    struct exact_quant q = exact_random_quant(&m->random, type);
    int32_t in[6], pads[12];

    if (seed % 7 == 0)
        q.scale = 0; /* plain integers */
    for (int i = 0; i < rank; i++) {
        in[i] = 1 + kit_below(&m->random, i == rank - 1 ? 67 : 4);
        pads[2 * i] = kit_below(&m->random, 3) ? kit_below(&m->random, 6) : 0;
        pads[2 * i + 1] = kit_below(&m->random, 6);
    }
    exact_add(m, "PAD:2 %s %s -> y:%s", exact_text(type, q, rank, in),
              exact_ints(2, (int32_t[]){ rank, 2 }, pads), exact_text(type, q, -1, NULL));
}

EXACT_TEST(strided_slice, "fp32", 1, 60)
{
    const char *const type = types[seed % 2];
    const int32_t rank = 1 + (int)(seed % 5);
    const struct exact_quant q = exact_random_quant(&m->random, type);
    int32_t in[5], begin[5], stop[5], strides[5];

    for (int i = 0; i < rank; i++) {
        const bool back = kit_below(&m->random, 4) == 0;
        int32_t out;

        in[i] = 1 + kit_below(&m->random, i == rank - 1 ? 67 : 6);
        out = 1 + kit_below(&m->random, in[i]);
        strides[i] = out > 1 ? 1 + kit_below(&m->random, (in[i] - 1) / (out - 1)) : 1;
        begin[i] = kit_below(&m->random, in[i] - (out - 1) * strides[i]);
        stop[i] = begin[i] + (out - 1) * strides[i] + 1;
        if (back) { /* the same cells from the last on; the end is before the first */
            const int last = stop[i] - 1;

            stop[i] = begin[i] > 0 ? begin[i] - 1 : -in[i] - 1;
            begin[i] = last;
            strides[i] = -strides[i];
        }
    }
    exact_add(m, "STRIDED_SLICE:2 {} %s %s %s %s -> y:%s", exact_text(type, q, rank, in),
              exact_ints(1, &rank, begin), exact_ints(1, &rank, stop),
              exact_ints(1, &rank, strides), exact_text(type, q, -1, NULL));
}

/* Inputs of other scales where they may have them (u8), constants among them. */
EXACT_TEST(concatenation, "fp32", 1, 80)
{
    const char *const type = types[seed % 2];
    const int rank = 1 + (int)(seed % 4), axis = (int)(seed / 4) % rank;
    const int count = 1 + (int)(seed / 16) % 5;
    const struct exact_quant q = exact_random_quant(&m->random, type);
    int32_t dims[4];

    for (int i = 0; i < rank; i++)
        dims[i] = 1 + kit_below(&m->random, i == rank - 1 ? 23 : 4);
    exact_add(m, "CONCATENATION:2 {axis=%d}", seed % 3 ? axis : axis - rank);
    for (int i = 0; i < count; i++) {
        struct exact_quant of = q;

        if (type[0] == 'u' && kit_below(&m->random, 3))
            of = exact_random_quant(&m->random, type);
        dims[axis] = 1 + kit_below(&m->random, 13);
        exact_add(m, " %s",
                  i > 0 && kit_below(&m->random, 4) == 0
                      ? exact_constant(&m->random, type, of, rank, dims)
                      : exact_text(type, of, rank, dims));
    }
    exact_add(m, " -> y:%s", exact_text(type, q, -1, NULL));
}

EXACT_TEST(maximum_minimum, "fp32", 1, 60)
{
    const char *const type = types[seed % 2];
    const int rank = 1 + (int)(seed % 5);
    const struct exact_quant q = exact_random_quant(&m->random, type);
    int32_t shape[2][5];

    for (int i = 0; i < rank; i++) {
        const int which = kit_below(&m->random, 6);

        shape[0][i] = shape[1][i] = 1 + kit_below(&m->random, i == rank - 1 ? 67 : 4);
        if (which < 2)
            shape[which][i] = 1;
    }
    exact_add(m, "%s:2", seed % 4 < 2 ? "MAXIMUM" : "MINIMUM");
    for (int i = 0; i < 2; i++)
        exact_add(m, " %s",
                  seed % 3 == 0 && i == (int)(seed / 3) % 2
                      ? exact_constant(&m->random, type, q, rank, shape[i])
                      : exact_text(type, q, rank, shape[i]));
    exact_add(m, " -> y:%s", exact_text(type, q, -1, NULL));
}

static const char *const activations[] = { "NONE", "RELU", "RELU_N1_TO_1", "RELU6" };

EXACT_TEST(pools, "fp32", 1, 80)
{
    const char *const type = types[seed % 2];
    const bool same = seed % 3 == 0;
    const struct exact_quant q = exact_random_quant(&m->random, type);
    int32_t in[] = { 1 + kit_below(&m->random, 2), 0, 0, 1 + kit_below(&m->random, 67) };
    int filter[2], stride[2];

    for (int i = 0; i < 2; i++) {
        in[1 + i] = 1 + kit_below(&m->random, 12);
        filter[i] = 1 + kit_below(&m->random, same ? 14 : in[1 + i]);
        stride[i] = 1 + kit_below(&m->random, 2);
    }
    exact_add(m,
              "%s:2 {padding=%s filter_height=%d filter_width=%d stride_h=%d stride_w=%d "
              "fused_activation_function=%s} %s -> y:%s",
              seed % 4 < 2 ? "AVERAGE_POOL_2D" : "MAX_POOL_2D", same ? "SAME" : "VALID", filter[0],
              filter[1], stride[0], stride[1], activations[seed / 4 % 4],
              exact_text(type, q, 4, in), exact_text(type, q, -1, NULL));
}

/* Over the whole image a workgroup makes the sum. */
EXACT_TEST(pools_of_all, "fp32", 1, 48)
{
    const char *const type = types[seed % 2];
    const struct exact_quant q = exact_random_quant(&m->random, type);
    int32_t in[4];

    for (int i = 0; i < 4; i++)
        in[i] = 1 + kit_below(&m->random, i == 0 ? 3 : i == 3 ? 67 : 17);
    exact_add(m,
              "AVERAGE_POOL_2D:2 {padding=VALID filter_height=%d filter_width=%d stride_h=%d "
              "stride_w=1 fused_activation_function=%s} %s -> y:%s",
              in[1], in[2], 1 + kit_below(&m->random, 3), activations[seed / 2 % 4],
              exact_text(type, q, 4, in), exact_text(type, q, -1, NULL));
}
