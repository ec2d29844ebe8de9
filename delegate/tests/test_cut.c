/* Constants that exceed a storage buffer of the device are cut into runs of rows: products and
 * tables of each kernel, by a limit that is lowered far below what Vulkan guarantees.  The models
 * hold small integers and scales that are powers of two: the delegate must give the bits of the
 * reference. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/accept/decide.h"
#include "delegate/runtime/kernel.h"

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

struct cut_case {
    struct transform_case c;
    uint64_t limit; /* bytes of a buffer */
    const char *shader;
    int runs;
    bool same; /* bytes in fp16, where floats have half as many */
};

/* clang-format off */
#define FC(weights, bias) "FULLY_CONNECTED {fused_activation_function=RELU6} x " weights " " bias " -> y"
#define SCALES(shape)     "tensors s:f16[" shape "]=0.5,0.25,0.03125,0.5,0.125,0.0625,0.25; "
#define EIGHT             "0.125|0.25|0.125|0.125|0.0625|0.25|0.03125|0.125"
#define IDS               "ABS x -> a; ABS z -> b; MUL {} a f32[]=9 -> c; ADD {} b c -> d; CAST d -> ids:i32; " /* 0 to 40 */
#define QUANTIZED(type, fc)                                                                        \
    "QUANTIZE x -> q:" type "q(0.5); FULLY_CONNECTED {} q " fc "; DEQUANTIZE p -> y:f32; outputs y"

static const struct cut_case cases[] = {
    /* 20, 20 and 5 rows of 64 bytes. */
    { { "floats", { 1, 16 }, 0, NULL, FC("f32[45,16]=~3(-4..4)", "f32[45]=~4(-2..2)") }, 1300, "fully_connected", 3, false },
    { { "no bias", { 3, 16 }, 0, NULL, FC("f32[24,16]=~3(-4..4)", "-") }, 1300, "fully_connected", 2, false },
    { { "whole", { 1, 16 }, 0, NULL, FC("f32[20,16]=~3(-4..4)", "f32[20]=~4(-2..2)") }, 1300, "fully_connected", 1, false },
    { { "halves", { 2, 16 }, 0, NULL, /* runs of floats */
      "DEQUANTIZE f16[45,16]=~3(-4..4) -> w:f32; " FC("w", "f32[45]=~4(-2..2)") }, 1300, "fully_connected", 3, false },
    { { "dims", { 1, 3, 16 }, 0, NULL,
      "FULLY_CONNECTED {keep_num_dims=true} x f32[45,16]=~3(-4..4) f32[45]=~4(-2..2) -> y" }, 1300, "fully_connected", 3, false },
    { { "bytes", { 2, 16 }, 0, NULL, FC("i8[45,16]=~3(-16..15)q(0.25)", "f32[45]=~4(-2..2)") }, 1300, "fully_connected", 3, false },
    { { "bytes, a scale a row", { 2, 16 }, 0, NULL,
      FC("i8[45,16]=~3(-2..1)q(" EIGHT "|" EIGHT "|" EIGHT "|" EIGHT "|" EIGHT "|0.25|0.125|0.125|0.25|0.125)", "f32[45]=~4(0..2)") }, 1300, "fully_connected", 3, false },
    { { "blocks", { 1, 64 }, 0, NULL, /* 32 rows of 32 bytes */
      SCALES("75,2") FC("i4[75,64]=~3(-8..7)blocks(s,32)", "f32[75]=~4(-2..2)") }, 1300, "packed_product", 3, true },
    { { "odd rows", { 3, 67 }, 0, NULL,
      FC("i4[65,67]=~3(-8..7)q(0.5)", "f32[65]=~4(-2..2)") }, 2048, "packed_product", 3, true },
    { { "i2", { 1, 130 }, 0, NULL, FC("i2[33,130]=~3(-2..1)q(0.25)", "-") }, 2000, "packed_product", 2, true },
    { { "many scales", { 1, 32 }, 0, NULL, /* 68 bytes of scales and a bias a row, and 16 of weights */
      SCALES("40,32") FC("i4[40,32]=~3(-8..7)blocks(s,1)", "f32[40]=~4(-2..2)") }, 2200, "packed_product", 2, true },
    { { "integers", { 3, 16 }, 0, NULL, /* 64 rows, whose sums become outputs by 20 bytes each */
      QUANTIZED("i8[3,16]", "i8[95,16]=~3(-127..127)q(0.5) i32[95]=~4(-9..9)q(0.25) -> p:i8q(64)") }, 1300, "conv_2d_int8", 2, true },
    { { "integers of 16 bits", { 1, 260 }, 0, NULL, /* QUANTIZE has a table of 262140 bytes */
      QUANTIZED("i16[1,260]", "i8[1200,260]=~3(-9..9)q(0.5) i64[1200]=~4(-9..9)q(0.25) -> p:i16q(0.25)") }, 300000, "dot_int16.i16", 2, true },
    { { "table", { 7 }, 0, NULL, IDS "EMBEDDING_LOOKUP ids f32[41,16]=~3(-4..4) -> y:f32" }, 1300, "gather", 3, false },
    { { "table of matrices", { 6 }, 0, NULL, IDS "EMBEDDING_LOOKUP ids f32[41,3,5]=~3(-4..4) -> y:f32" }, 1300, "gather", 4, false },
    { { "table of halves", { 7 }, 0, NULL,
      "DEQUANTIZE f16[41,16]=~3(-4..4) -> w:f32; " IDS "EMBEDDING_LOOKUP ids w -> y:f32" }, 1300, "gather", 3, false },
    { { "table of i4", { 7 }, 0, NULL,
      SCALES("75,2") IDS "EMBEDDING_LOOKUP ids i4[75,64]=~3(-8..7)blocks(s,32) -> y:f32" }, 1900, "embedding_lookup", 3, true },
    { { "table of i8", { 7 }, 0, NULL,
      IDS "EMBEDDING_LOOKUP ids i8[41,16]=~3(-128..127)q(0.5) -> y:f32" }, 1300, "embedding_lookup", 3, false },
    { { "gather", { 7 }, 0, NULL, IDS "GATHER {} f32[41,16]=~3(-4..4) ids -> y:f32" }, 1300, "gather", 3, false },
    { { "gather of matrices", { 6 }, 0, NULL, IDS "GATHER {} f32[41,3,5]=~3(-4..4) ids -> y:f32" }, 1300, "gather", 4, false },
    { { "gather of bytes", { 7 }, 0, NULL, /* 80 rows of 16 bytes */
      IDS "GATHER {} i8[99,16]=~3(-4..4)q(0.5) ids -> r:i8[7,16]q(0.5); DEQUANTIZE r -> y:f32" }, 1300, "gather.byte", 2, true },
    { { "gather of integers", { 7 }, 0, NULL,
      IDS "GATHER {} i32[41,16]=~3(-9..9) ids -> r:i32; CAST r -> y:f32" }, 1300, "gather.word", 3, true },
};

/* Of another axis than the first, or fewer than 4 rows; a bias that is computed has no runs. */
static const struct transform_case refused[] = {
    { "columns", { 7 }, 0, NULL, IDS "GATHER {axis=1} f32[2,400]=~3 ids -> y:f32" },
    { "a row", { 7 }, 0, NULL, IDS "GATHER {} f32[400]=~3 ids -> y:f32" },
    { "long rows", { 1, 84 }, 0, NULL, FC("f32[45,84]=~3", "-") },
    { "a computed bias", { 1, 45 }, 0, NULL, "RESHAPE x i32[1]=45 -> b; " FC("f32[45,45]=~3", "b") },
};
/* clang-format on */

static void run(const struct cut_case *row, bool half, const char *poison, const char *no_transform)
{
    DELEGATE_BY(d, transform_delegate(half ? "fp16" : "fp32", poison, no_transform));
    struct gpu_delegate *inside = d->data_;
    uint64_t *const limit = &inside->device->limits.max_storage_buffer_range;
    const uint64_t before = *limit;
    char what[64];

    snprintf(what, sizeof what, "%s, poison %s", half ? "fp16" : "fp32", poison);
    MODEL_BY(m, transform_model(&row->c, &m));
    INTERPRETER_BY(truth, transform_run(&m, NULL));
    interpreter_close(transform_run(&m, d)); /* after which the device has been tested */
    *limit = half && !row->same ? row->limit / 2 : row->limit;
    INTERPRETER_BY(got, transform_run(&m, d));
    *limit = before;
    if (interpreter_partition_count(got) != 1)
        fail_msg("%s: %s: expected 1 partition, found %d: %s", row->c.name, what,
                 (int)interpreter_partition_count(got), transform_said);
    if (gpu_steps_of(d, row->shader) != row->runs)
        fail_msg("%s: %s: expected %d steps of %s, found %d", row->c.name, what, row->runs,
                 row->shader, gpu_steps_of(d, row->shader));
    transform_equal(&row->c, what, truth, got);
}

TEST(results)
{
    if (!transform_device)
        skip();
    for (size_t i = 0; i < COUNT(cases); i++) {
        run(&cases[i], false, "nan", NULL);
        run(&cases[i], true, "inf", "all");
    }
}

/* ---- without a device ---- */

/* The weights of the last product are the table of the embedding: both are packed once. */
static const struct transform_case tied = {
    "tied",
    { 1, 64 },
    0,
    NULL,
    "CAST z -> i:i32; SLICE i i32[2]=0,0 i32[2]=1,5 -> j; RESHAPE j i32[1]=5 -> ids; "
    "EMBEDDING_LOOKUP ids w:i4[75,64]=~3(-8..7)q(0.5) -> rows:f32[5,64]; "
    "FULLY_CONNECTED {} x w - -> y"
};

static void look_refused(struct graph *g, void *user)
{
    struct device_limits limits = gpu_large_limits();
    OPTIONS(o, NULL);
    const struct graph_node *const n = &g->nodes[g->node_count - 1];
    struct refusal refusal;

    (void)user;
    assert_true(decision_of_node(g, n, &o, &limits, &refusal));
    limits.max_storage_buffer_range = 1300;
    assert_false(decision_of_node(g, n, &o, &limits, &refusal));
    assert_string_equal(refusal.rule, "limits.constant_bytes");
}

TEST(others_are_refused)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        MODEL_BY(m, transform_model(&refused[i], &m));
        gpu_look(&m, look_refused, NULL);
    }
}

static void look_tied(struct graph *g, void *user)
{
    struct device_limits limits = gpu_large_limits();
    OPTIONS(o, NULL);
    size_t *const bytes = user;

    for (int cut = 0; cut < 2; cut++) {
        limits.max_storage_buffer_range = cut ? 1300 : 1u << 27;
        struct plan p CLOSED_BY(plan_close);
        gpu_plan_graph(&p, g, &o, &limits, &err);
        bytes[cut] = p.constant_bytes;
    }
}

TEST(a_table_is_packed_once)
{
    size_t bytes[2];
    struct model m;

    transform_model(&tied, &m);
    gpu_look(&m, look_tied, bytes);
    model_close(&m);
    /* Weights of 96 rows, and the padding of what two products and two tables have besides. */
    assert_true(bytes[0] > 96 * 32 && bytes[1] < bytes[0] + 96 * 32);
}

/* The float view has more tensors and nodes; each allocation fails once. */
static void look_float_view(struct graph *g, void *user)
{
    const struct cut_case *const row = user;
    const char *const pairs[] = { "quantized", "float_view", NULL };
    struct gpu_options o CLOSED_BY(options_close) = gpu_options_of(pairs);
    struct device_limits limits = gpu_large_limits();
    int nodes[KIT_TENSORS];
    const struct transform_request r = transform_request_all(g, &o, &limits, nodes);

    limits.max_storage_buffer_range = row->limit;
    transform_allocations_fail(&r);
}

TEST(no_memory)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        MODEL_BY(m, transform_model(&cases[i].c, &m));
        gpu_look(&m, look_float_view, (void *)(uintptr_t)&cases[i]);
    }
}

TEST_FILE(.before = transform_find_device);
