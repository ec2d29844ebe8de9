/* 8-bit data movement, picking and pooling on the device: PAD, STRIDED_SLICE, CONCATENATION,
 * MAXIMUM, MINIMUM, pools.  Skipped where there is no device. */
#include "delegate/tests/kit/exact_kit.h"
#include "reference/tests/kit/test.h"

static const int32_t types[] = { TENSOR_INT8, TENSOR_UINT8 };

static void end(struct exact_model *m, TfLiteDelegate *d, size_t count, const int *inputs, int y,
                int times)
{
    builder_inputs(&m->b, count, inputs);
    builder_outputs(&m->b, 1, &y);
    exact_check(m, d, times, NULL);
}

TEST(pad)
{
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp32");
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const int32_t type = types[seed % 2];
        const int rank = 1 + (int)(seed % 6);
        int32_t in[6], out[6], pads[12];
        struct exact_model m;
        struct exact_quant q;
        int x, p, y;

        exact_begin(&m, seed);
        q = exact_random_quant(&m.random, type);
        if (seed % 7 == 0)
            q.scale = 0; /* plain integers */
        for (int i = 0; i < rank; i++) {
            in[i] = 1 + kit_below(&m.random, i == rank - 1 ? 67 : 4);
            pads[2 * i] = kit_below(&m.random, 3) ? kit_below(&m.random, 6) : 0;
            pads[2 * i + 1] = kit_below(&m.random, 6);
            out[i] = pads[2 * i] + in[i] + pads[2 * i + 1];
        }
        x = exact_tensor(&m, type, q, (size_t)rank, in);
        y = exact_tensor(&m, type, q, (size_t)rank, out);
        p = builder_constant(&m.b, TENSOR_INT32, "p", 2, (int32_t[]){ rank, 2 }, pads,
                             (size_t)rank * 8);
        builder_op(&m.b, BUILTIN_PAD, 2, NULL, 2, (int[]){ x, p }, 1, &y);
        end(&m, d, 1, &x, y, 1);
    }
    tflite_plugin_destroy_delegate(d);
}

TEST(strided_slice)
{
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp32");
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const int32_t type = types[seed % 2];
        const int rank = 1 + (int)(seed % 5);
        int32_t in[5], out[5], begin[5], stop[5], strides[5];
        struct options o;
        struct exact_model m;
        struct exact_quant q;
        int x, k[3], y;

        exact_begin(&m, seed);
        q = exact_random_quant(&m.random, type);
        for (int i = 0; i < rank; i++) {
            const bool back = kit_below(&m.random, 4) == 0;

            in[i] = 1 + kit_below(&m.random, i == rank - 1 ? 67 : 6);
            out[i] = 1 + kit_below(&m.random, in[i]);
            strides[i] = out[i] > 1 ? 1 + kit_below(&m.random, (in[i] - 1) / (out[i] - 1)) : 1;
            begin[i] = kit_below(&m.random, in[i] - (out[i] - 1) * strides[i]);
            stop[i] = begin[i] + (out[i] - 1) * strides[i] + 1;
            if (back) { /* the same cells from the last on; the end is before the first */
                const int last = stop[i] - 1;

                stop[i] = begin[i] > 0 ? begin[i] - 1 : -in[i] - 1;
                begin[i] = last;
                strides[i] = -strides[i];
            }
        }
        x = exact_tensor(&m, type, q, (size_t)rank, in);
        y = exact_tensor(&m, type, q, (size_t)rank, out);
        for (int i = 0; i < 3; i++)
            k[i] = builder_constant(&m.b, TENSOR_INT32, "k", 1, (int32_t[]){ rank },
                                    i == 0   ? begin
                                    : i == 1 ? stop
                                             : strides,
                                    (size_t)rank * 4);
        options_init(&o, OPTIONS_StridedSliceOptions);
        builder_op(&m.b, BUILTIN_STRIDED_SLICE, 2, &o, 4, (int[]){ x, k[0], k[1], k[2] }, 1, &y);
        end(&m, d, 1, &x, y, 1);
    }
    tflite_plugin_destroy_delegate(d);
}

/* Inputs of other scales where they may have them (u8), constants among them. */
TEST(concatenation)
{
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp32");
    for (uint64_t seed = 1; seed <= 80; seed++) {
        const int32_t type = types[seed % 2];
        const int rank = 1 + (int)(seed % 4), axis = (int)(seed / 4) % rank;
        const int count = 1 + (int)(seed / 16) % 5;
        int in[5], inputs[5], input_count = 0;
        int32_t dims[4], out[4];
        struct options o;
        struct exact_model m;
        struct exact_quant q;
        int y;

        exact_begin(&m, seed);
        q = exact_random_quant(&m.random, type);
        for (int i = 0; i < rank; i++)
            out[i] = dims[i] = 1 + kit_below(&m.random, i == rank - 1 ? 23 : 4);
        out[axis] = 0;
        for (int i = 0; i < count; i++) {
            struct exact_quant of = q;

            if (type == TENSOR_UINT8 && kit_below(&m.random, 3))
                of = exact_random_quant(&m.random, type);
            dims[axis] = 1 + kit_below(&m.random, 13);
            out[axis] += dims[axis];
            if (i > 0 && kit_below(&m.random, 4) == 0) {
                in[i] = exact_constant(&m, type, of, (size_t)rank, dims);
                continue;
            }
            in[i] = inputs[input_count++] = exact_tensor(&m, type, of, (size_t)rank, dims);
        }
        y = exact_tensor(&m, type, q, (size_t)rank, out);
        options_init(&o, OPTIONS_ConcatenationOptions);
        options_set_int(&o, "axis", seed % 3 ? axis : axis - rank);
        builder_op(&m.b, BUILTIN_CONCATENATION, 2, &o, (size_t)count, in, 1, &y);
        end(&m, d, (size_t)input_count, inputs, y, 1);
    }
    tflite_plugin_destroy_delegate(d);
}

/* Shapes that broadcast to dims, for ops of two operands. */
static void broadcast_of(uint64_t *random, int rank, const int32_t *dims, int32_t *a, int32_t *b)
{
    for (int i = 0; i < rank; i++) {
        const int which = kit_below(random, 6);

        a[i] = which == 0 ? 1 : dims[i];
        b[i] = which == 1 ? 1 : dims[i];
    }
}

TEST(maximum_minimum)
{
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp32");
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const int32_t type = types[seed % 2];
        const int rank = 1 + (int)(seed % 5);
        int32_t dims[5], a[5], b[5];
        int in[2], inputs[2], count = 0, y;
        struct exact_model m;
        struct exact_quant q;

        exact_begin(&m, seed);
        q = exact_random_quant(&m.random, type);
        for (int i = 0; i < rank; i++)
            dims[i] = 1 + kit_below(&m.random, i == rank - 1 ? 67 : 4);
        broadcast_of(&m.random, rank, dims, a, b);
        for (int i = 0; i < rank; i++)
            dims[i] = a[i] > b[i] ? a[i] : b[i];
        for (int i = 0; i < 2; i++) {
            const int32_t *const shape = i ? b : a;

            if (seed % 3 == 0 && i == (int)(seed / 3) % 2)
                in[i] = exact_constant(&m, type, q, (size_t)rank, shape);
            else
                in[i] = inputs[count++] = exact_tensor(&m, type, q, (size_t)rank, shape);
        }
        y = exact_tensor(&m, type, q, (size_t)rank, dims);
        builder_op(&m.b, seed % 4 < 2 ? BUILTIN_MAXIMUM : BUILTIN_MINIMUM, 2, NULL, 2, in, 1, &y);
        end(&m, d, (size_t)count, inputs, y, 1);
    }
    tflite_plugin_destroy_delegate(d);
}

TEST(pools)
{
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp32");
    for (uint64_t seed = 1; seed <= 80; seed++) {
        const int32_t type = types[seed % 2];
        const bool same = seed % 3 == 0;
        int32_t in[4], out[4] = { 0 };
        int filter[2], stride[2], x, y;
        struct options o;
        struct exact_model m;
        struct exact_quant q;

        exact_begin(&m, seed);
        q = exact_random_quant(&m.random, type);
        in[0] = out[0] = 1 + kit_below(&m.random, 2);
        in[3] = out[3] = 1 + kit_below(&m.random, 67);
        for (int i = 0; i < 2; i++) {
            in[1 + i] = 1 + kit_below(&m.random, 12);
            filter[i] = 1 + kit_below(&m.random, same ? 14 : in[1 + i]);
            stride[i] = 1 + kit_below(&m.random, 2);
            out[1 + i] = (in[1 + i] - (same ? 1 : filter[i])) / stride[i] + 1;
        }
        x = exact_tensor(&m, type, q, 4, in);
        y = exact_tensor(&m, type, q, 4, out);
        options_init(&o, OPTIONS_Pool2DOptions);
        options_set_int(&o, "padding", same ? 0 : 1);
        options_set_int(&o, "filter_height", filter[0]);
        options_set_int(&o, "filter_width", filter[1]);
        options_set_int(&o, "stride_h", stride[0]);
        options_set_int(&o, "stride_w", stride[1]);
        options_set_int(&o, "fused_activation_function", (int)(seed / 4) % 4);
        builder_op(&m.b, seed % 4 < 2 ? BUILTIN_AVERAGE_POOL_2D : BUILTIN_MAX_POOL_2D, 2, &o, 1, &x,
                   1, &y);
        end(&m, d, 1, &x, y, 1);
    }
    tflite_plugin_destroy_delegate(d);
}

/* Over the whole image a workgroup makes the sum. */
TEST(pools_of_all)
{
    TfLiteDelegate *d;

    EXACT_NEEDS_DEVICE;
    d = exact_delegate("fp32");
    for (uint64_t seed = 1; seed <= 48; seed++) {
        const int32_t type = types[seed % 2];
        int32_t in[4], out[4];
        struct exact_quant q;
        struct exact_model m;
        struct options o;
        int x, y;

        exact_begin(&m, seed);
        q = exact_random_quant(&m.random, type);
        for (int i = 0; i < 4; i++)
            in[i] = 1 + kit_below(&m.random, i == 0 ? 3 : i == 3 ? 67 : 17);
        memcpy(out, in, sizeof out);
        out[1] = out[2] = 1;
        x = exact_tensor(&m, type, q, 4, in);
        y = exact_tensor(&m, type, q, 4, out);
        options_init(&o, OPTIONS_Pool2DOptions);
        options_set_int(&o, "padding", 1);
        options_set_int(&o, "filter_height", in[1]);
        options_set_int(&o, "filter_width", in[2]);
        options_set_int(&o, "stride_h", 1 + kit_below(&m.random, 3));
        options_set_int(&o, "stride_w", 1);
        options_set_int(&o, "fused_activation_function", (int)(seed / 2) % 4);
        builder_op(&m.b, BUILTIN_AVERAGE_POOL_2D, 2, &o, 1, &x, 1, &y);
        end(&m, d, 1, &x, y, 1);
    }
    tflite_plugin_destroy_delegate(d);
}
