/* Plans of products of bytes by matrix units, for devices that need not be here: which products,
 * tiles within the limits, weights in the order of the device. */
#include "delegate/tests/kit/plan_look.h"
#include "reference/tests/kit/closed.h"
#include "reference/tests/kit/test.h"

#include "delegate/cache/cache.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/requantize.args.h"
#include "delegate/ops/product/matrix.args.h"
#include "delegate/shaders/spirv.h"
#include "tensorflow/lite/c/builtin_op_data.h"

enum { ROWS = 32, COLUMNS = 16, ELEMENTS = ROWS * COLUMNS };

/* A device like an H200.  The order of its elements has no structure. */
static struct device_limits nvidia(void)
{
    struct device_limits l = gpu_large_limits();
    uint64_t random = 11;

    l.device_class = DEVICE_NVIDIA;
    l.max_shared_memory_bytes = 49152;
    l.matrix = (struct device_matrix){
        .kind = MATRIX_NV, .tile = 16, .subgroup_size = 32, .bytes = true, .byte_fragments = true
    };
    for (int i = 0; i < ELEMENTS; i++)
        l.matrix.byte_order[i] = (uint16_t)i;
    for (int i = ELEMENTS - 1; i > 0; i--) {
        const int j = kit_below(&random, i + 1);
        const uint16_t kept = l.matrix.byte_order[i];

        l.matrix.byte_order[i] = l.matrix.byte_order[j];
        l.matrix.byte_order[j] = kept;
    }
    return l;
}

struct request {
    struct device_limits limits;
    int side, inputs, outputs, kernel;
    TfLiteType type;
    float scale; /* of the weights: the output multiplier */
    int variant;
    uint32_t no_kernel;
};

static struct request conv(int side, int inputs, int outputs, int kernel)
{
    return (struct request){ .limits = nvidia(),
                             .side = side,
                             .inputs = inputs,
                             .outputs = outputs,
                             .kernel = kernel,
                             .type = kTfLiteInt8,
                             .scale = 0.01f };
}

static struct graph_tensor tensor_of(const struct request *r, int n, int side, int channels,
                                     const void *data, const float *scale)
{
    static const int32_t zero = 0;
    const size_t elements = (size_t)n * (size_t)side * (size_t)side * (size_t)channels;

    return (struct graph_tensor){ .name = "",
                                  .type = r->type,
                                  .rank = 4,
                                  .dims = { n, side, side, channels },
                                  .elements = elements,
                                  .data = data,
                                  .producer = -1,
                                  .quant = { .scale = scale, &zero, 1, elements, 0 },
                                  .dequantized_from = -1 };
}

static void plan_conv(struct plan *plan, const struct request *r, const void *weights)
{
    static const float one = 1;
    static const int nodes[] = { 0 }, in[] = { 0, 1 }, out[] = { 2 };
    const TfLiteConvParams params = { .padding = kTfLitePaddingSame,
                                      .stride_width = 1,
                                      .stride_height = 1,
                                      .dilation_width_factor = 1,
                                      .dilation_height_factor = 1 };
    struct graph_tensor t[] = {
        tensor_of(r, 1, r->side, r->inputs, NULL, &one),
        tensor_of(r, r->outputs, r->kernel, r->inputs, weights, &r->scale),
        tensor_of(r, 1, r->side, r->outputs, NULL, &one),
    };
    struct graph_node node = { .op = gpu_op_find(BUILTIN_CONV_2D),
                               .code = BUILTIN_CONV_2D,
                               .version = 1,
                               .name = "CONV_2D",
                               .params = &params,
                               .inputs = in,
                               .outputs = out,
                               .input_count = 2,
                               .output_count = 1 };
    const struct graph graph = { .tensors = t, .tensor_count = 3, .nodes = &node, .node_count = 1 };
    const struct gpu_options options = { .workgroup_variant = r->variant,
                                         .no_kernel = r->no_kernel };
    const struct plan_request request = { .graph = &graph,
                                          .options = &options,
                                          .limits = &r->limits,
                                          .nodes = nodes,
                                          .node_count = 1,
                                          .inputs = in,
                                          .input_count = 1,
                                          .outputs = out,
                                          .output_count = 1,
                                          .reasons = true };

    t[2].producer = 0;
    KIT_OK(plan_make(plan, &request, &err));
}

/* The step that computes the convolution. */
static const struct plan_step *step_of(const struct plan *p)
{
    for (int i = 0; i < p->step_count; i++)
        if (p->steps[i]->node >= 0)
            return p->steps[i];
    fail_msg("no step of the convolution");
    return NULL;
}

static int8_t *some_weights(const struct request *r)
{
    const size_t count = (size_t)r->outputs * (size_t)(r->kernel * r->kernel * r->inputs);
    int8_t *w = malloc(count);
    uint64_t random = 5;

    assert_non_null(w);
    for (size_t i = 0; i < count; i++)
        w[i] = (int8_t)kit_random(&random);
    return w;
}

static bool is_matrix(const struct request *r)
{
    int8_t *w CLOSED_BY(kit_free) = some_weights(r);
    bool is;
    struct plan p CLOSED_BY(plan_close);

    plan_conv(&p, r, w);
    is = strcmp(step_of(&p)->shader, "matrix.nvbytes") == 0;
    return is;
}

/* Elements past the last output, or the last term of the sum, are 0. */
TEST(weights_lie_in_order)
{
    static const int shapes[][2] = { { 16, 16 }, { 46, 19 }, { 18, 5 } };

    for (int i = 0; i < 12; i++) {
        struct request r = conv(5, shapes[i % 3][0], shapes[i % 3][1], i < 6 ? 1 : 3);
        const uint32_t slices = ((uint32_t)r.inputs + 3) / 4,
                       taps = (uint32_t)(r.kernel * r.kernel);
        const uint32_t deep = (taps * slices * 4 + ROWS - 1) / ROWS;
        const uint32_t wide = ((uint32_t)r.outputs + COLUMNS - 1) / COLUMNS;
        int8_t *w CLOSED_BY(kit_free) = some_weights(&r);
        const struct plan_step *s;
        const int8_t *packed;

        r.variant = 1;
        r.limits.matrix.byte_fragments = i % 2;
        struct plan p CLOSED_BY(plan_close);
        plan_conv(&p, &r, w);
        s = step_of(&p);
        assert_string_equal(s->shader, "matrix.nvbytes");
        assert_int_equal((s->spec[MATRIX_SPEC_FLAGS] & MATRIX_FRAGMENTS) != 0, i % 2);
        assert_int_equal((s->spec[MATRIX_SPEC_FLAGS] & MATRIX_EVEN) != 0, slices % 4 == 0);
        assert_int_equal(s->spec[MATRIX_SPEC_FLAGS] >> MATRIX_REQUANTIZE_SHIFT, REQUANTIZE_SMALL);
        assert_int_equal(s->spec[MATRIX_SPEC_CHANNELS], r.inputs);
        packed = (const int8_t *)(p.constants + s->bindings[2].offset);
        assert_int_equal(s->bindings[2].bytes, ELEMENTS * deep * wide);
        for (uint32_t at = 0; at < s->bindings[2].bytes; at++) {
            const uint32_t place = at % ELEMENTS;
            const uint32_t element =
                i % 2 ? r.limits.matrix.byte_order[place] : place % ROWS * COLUMNS + place / ROWS;
            const uint32_t k = at / ELEMENTS % deep * ROWS + element / COLUMNS;
            const uint32_t o = at / ELEMENTS / deep * COLUMNS + element % COLUMNS;
            const uint32_t tap = k / (4 * slices), input = k % (4 * slices);
            const int expected = o < (uint32_t)r.outputs && tap < taps && input < (uint32_t)r.inputs
                                     ? w[(o * taps + tap) * (uint32_t)r.inputs + input]
                                     : 0;

            if (packed[at] != expected)
                fail_msg("plan %d: element %u: expected %d, found %d", i, at, expected, packed[at]);
        }
    }
}

/* Layers of nets for which the units were faster on an H200, and some for which they were not. */
TEST(where_it_is_faster)
{
    static const struct {
        int side, inputs, outputs, kernel;
        uint32_t columns, shares; /* of a workgroup; 0: the packed dot product is faster */
    } layers[] = {
        { 28, 256, 256, 1, 2, 4 },  { 14, 512, 512, 1, 2, 4 }, { 7, 1024, 1024, 1, 1, 8 },
        { 56, 64, 64, 3, 2, 4 },    { 14, 256, 256, 3, 2, 8 }, { 7, 512, 512, 3, 1, 16 },
        { 14, 1024, 256, 1, 1, 8 }, { 7, 2048, 512, 1, 1, 8 }, { 112, 32, 64, 1, 0, 0 },
        { 56, 128, 128, 1, 0, 0 },  { 7, 960, 320, 1, 0, 0 },  { 14, 576, 96, 1, 0, 0 },
        { 1, 1024, 1000, 1, 0, 0 }, { 224, 3, 32, 3, 0, 0 },
    };

    assert_non_null(spirv_find("matrix.nvbytes"));
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        const struct request r =
            conv(layers[i].side, layers[i].inputs, layers[i].outputs, layers[i].kernel);
        int8_t *w CLOSED_BY(kit_free) = some_weights(&r);
        const struct plan_step *s;

        struct plan p CLOSED_BY(plan_close);
        plan_conv(&p, &r, w);
        s = step_of(&p);
        assert_int_equal(strcmp(s->shader, "matrix.nvbytes") == 0, layers[i].columns > 0);
        if (layers[i].columns > 0) {
            assert_int_equal(s->spec[MATRIX_SPEC_SUBGROUPS],
                             1 | layers[i].columns << 8 | layers[i].shares << 16);
            assert_int_equal(s->groups[0] * 16 * layers[i].columns, layers[i].outputs);
            assert_int_equal(s->groups[1], (layers[i].side * layers[i].side + 15) / 16);
        }
    }
}

TEST(falls_back)
{
    const struct request good = conv(28, 256, 256, 1);
    struct request r = good;

    assert_true(is_matrix(&r));
    r.no_kernel = 1u << KERNEL_matrix_int8;
    assert_false(is_matrix(&r));
    r = good;
    r.limits.matrix.bytes = false;
    assert_false(is_matrix(&r));
    r = good;
    r.limits.matrix.kind = MATRIX_KHR;
    assert_false(is_matrix(&r));
    r = good;
    r.type = kTfLiteUInt8; /* the zero point of its weights is that of bytes without a sign */
    assert_false(is_matrix(&r));
    r = good;
    r.limits.max_workgroup_count[1] = 48; /* of 16 pixels each */
    assert_false(is_matrix(&r));
    r.limits.max_workgroup_count[1] = 49;
    assert_true(is_matrix(&r));
    r = good;
    r.limits.max_workgroup_invocations = 128; /* two subgroups with two shares each */
    assert_true(is_matrix(&r));
    r = conv(4, 64, 17, 1); /* four tiles of weights, for 1280 bytes that the plain kernel has */
    r.variant = 1;
    r.limits.max_storage_buffer_range = 4 * ELEMENTS - 1;
    assert_false(is_matrix(&r));
    r.limits.max_storage_buffer_range = 4 * ELEMENTS;
    assert_true(is_matrix(&r));
}

TEST(says_why)
{
    struct request r = conv(28, 256, 256, 1);
    static const char *const texts[] = { "no matrix units for bytes that were tested",
                                         "it multiplies i8, by weights whose zero point is 0",
                                         "input channels, fewer than 16", "terms: from",
                                         "no tile of it fits the device" };

    for (int i = 0; i < 5; i++) {
        const char *found;

        r = conv(28, i == 2 ? 12 : 256, i == 3 ? 64 : 256, i == 2 ? 9 : 1);
        if (i == 0)
            r.limits.matrix.bytes = false;
        if (i == 1)
            r.type = kTfLiteUInt8;
        if (i == 4)
            r.limits.max_workgroup_count[1] = 48;
        int8_t *w CLOSED_BY(kit_free) = some_weights(&r);
        struct plan p CLOSED_BY(plan_close);
        plan_conv(&p, &r, w);
        found = plan_look_reason(&p, REASON_KERNEL, KERNEL_matrix_int8, texts[i]);
        if (!found || !strstr(found, texts[i]))
            fail_msg("%d: expected \"%s\", found \"%s\"", i, texts[i], found ? found : "none");
    }
}

/* Weights that are packed for one device or kernel are not read for another. */
TEST(keys_differ)
{
    struct request requests[3] = { conv(28, 256, 256, 1), conv(28, 256, 256, 1),
                                   conv(28, 256, 256, 1) };
    struct checksum hash[3];

    requests[1].limits.matrix.byte_fragments = false;
    requests[2].limits.matrix.bytes = false;
    for (int i = 0; i < 3; i++) {
        int8_t *const w = some_weights(&requests[i]);
        struct plan p;

        plan_conv(&p, &requests[i], w);
        hash[i] = cache_hash_plan(&p);
        plan_close(&p);
        free(w);
        for (int j = 0; j < i; j++)
            assert_memory_not_equal(&hash[i], &hash[j], sizeof hash[i]);
    }
}
