/* Weights that stay packed on the device (packed_product.comp, embedding_lookup.comp): edges of
 * rows, slices, chunks, blocks and planes, and when the kernels are chosen.  The models hold small
 * integers and scales that are powers of two, so that every sum is exact and the delegate must give
 * the bits of the reference. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/sanitized.h"
#include "reference/tests/kit/test.h"

#include "delegate/ops/product/packed_product.args.h"
#include "delegate/runtime/kernel.h"

/* clang-format off */
#define FC(weights, bias)                                                                          \
    "FULLY_CONNECTED {fused_activation_function=RELU6} x " weights " " bias " -> y"
#define SCALES(shape) "tensors s:f16[" shape "]=0.5,0.25,0.03125,0.5,0.125,0.0625,0.25; "
#define IDS           "ABS x -> a; CAST a -> ids:i32; "

static const struct transform_case products[] = {
    { "blocks", { 1, 256 }, 0, NULL,
      SCALES("261,8") FC("i4[261,256]=~3(-8..7)blocks(s,32)", "f32[261]=~4(-2..2)") },
    { "no bias", { 1, 192 }, 0, NULL, SCALES("5,2") FC("i4[5,192]=~3(-8..7)blocks(s,96)", "-") },
    { "i2 blocks", { 1, 160 }, 0, NULL, /* the last chunk has one block of its two */
      SCALES("6,5") FC("i2[6,160]=~3(-2..1)blocks(s,32)", "f32[6]=~4(-2..2)") },
    { "i2 wide blocks", { 1, 256 }, 0, NULL,
      SCALES("18,2") FC("i2[18,256]=~3(-2..1)blocks(s,128)", "f32[18]=~4(-2..2)") },
    { "blocks of 16", { 3, 80 }, 0, NULL,
      SCALES("7,5") FC("i4[7,80]=~3(-8..7)blocks(s,16)", "f32[7]=~4(-2..2)") },
    { "blocks of 3", { 1, 57 }, 0, NULL,
      SCALES("5,19") FC("i4[5,57]=~3(-8..7)blocks(s,3)", "f32[5]=~4(-2..2)") },
    { "odd rows", { 1, 67 }, 0, NULL, /* a row begins within a byte */
      FC("i4[3,67]=~3(-8..7)q(0.5|0.25|0.125)", "f32[3]=~4(-2..2)") },
    { "odd rows of i2", { 1, 133 }, 0, NULL,
      FC("i2[9,133]=~3(-2..1)q(0.5)", "f32[9]=~4(-2..2)") },
    { "rows", { 5, 96 }, 0, NULL,
      SCALES("13,3") FC("i4[13,96]=~3(-8..7)blocks(s,32)", "f32[13]=~4(-2..2)") },
    { "many rows", { 19, 130 }, 0, NULL, FC("i2[9,130]=~3(-2..1)q(0.25)", "f32[9]=~4(-2..2)") },
    /* More chunks than all planes load at once. */
    { "deep", { 1, 4165 }, 0, NULL, FC("i4[17,4165]=~3(-8..7)q(0.0625)", "f32[17]=~4(-2..2)") },
    { "one unit", { 2, 32 }, 0, NULL, FC("i4[1,32]=~3(-8..7)q(0.5)", "f32[1]=~4(-2..2)") },
    { "one input", { 3, 1 }, 0, NULL, FC("i4[4,1]=~3(-8..7)q(0.5)", "f32[4]=~4(-2..2)") },
    { "residual", { 1, 70 }, 0, NULL,
      "RELU z -> u; FULLY_CONNECTED {} x i4[70,70]=~3(-8..7)q(0.5) f32[70]=~4(-2..2) -> a; "
      "ADD {fused_activation_function=RELU6} a u -> y" },
    { "residuals of rows", { 11, 67 }, 0, NULL,
      "RELU z -> u; FULLY_CONNECTED {} x i2[67,67]=~3(-2..1)q(0.25) f32[67]=~4(-2..2) -> a; "
      "ADD {} a u -> y" },
    { "dequantized", { 1, 70 }, 0, NULL,
      "DEQUANTIZE i4[6,70]=~3(-8..7)q(0.25) -> w:f32; " FC("w", "f32[6]=~4(-2..2)") },
};
static const struct transform_case of_bytes = {
    "bytes", { 2, 290 }, 0, NULL, FC("i8[403,290]=~3(-128..127)q(0.03125)", "f32[403]=~4(-2..2)")
};
/* A sum with -infinity is the lowest number, as ADD makes it, so that SOFTMAX is no NaN. */
static const struct transform_case masked_whole = {
    "masked whole", { 1, 64 }, 0, NULL,
    "ABS z -> p; ADD {} p f32[]=1 -> q; MUL {} q f32[]=-inf -> u; "
    "FULLY_CONNECTED {} x i4[64,64]=~3(-8..7)q(0.5) f32[64]=~4(-2..2) -> a; ADD {} a u -> b; "
    "SOFTMAX {beta=1} b -> y"
};
static const struct transform_case tables[] = {
    { "table", { 7 }, 0, NULL, IDS "EMBEDDING_LOOKUP ids i4[37,67]=~3(-8..7)q(0.5) -> y:f32" },
    { "table of blocks", { 5 }, 0, NULL,
      SCALES("7,3") IDS "EMBEDDING_LOOKUP ids i4[7,96]=~3(-8..7)blocks(s,32) -> y:f32" },
    { "table of blocks of 3", { 5 }, 0, NULL,
      SCALES("7,9") IDS "EMBEDDING_LOOKUP ids i4[7,27]=~3(-8..7)blocks(s,3) -> y:f32" },
    { "table of i2", { 5 }, 0, NULL, SCALES("5,3")
      IDS "EMBEDDING_LOOKUP ids i2[5,96]=~3(-2..1)blocks(s,32) -> y:f32" },
    { "table of i8", { 9 }, 0, NULL,
      IDS "EMBEDDING_LOOKUP ids i8[5,21]=~3(-128..127)q(0.5|1|0.25|2|0.125) -> y:f32" },
};
/* clang-format on */
static const struct transform_case computed_bias = { "computed bias",
                                                     { 1, 64 },
                                                     0,
                                                     NULL,
                                                     "RESHAPE x i32[1]=64 -> b; " FC(
                                                         "i4[64,64]=~3(-8..7)q(0.5)", "b") };
#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

/* ---- on the device ---- */

static void check(const struct transform_case *c, const char *shader, bool half, const char *poison,
                  bool any_device)
{
    TfLiteDelegate *d = transform_delegate(half ? "fp16" : "fp32", poison, NULL);
    struct gpu_delegate *inside = d->data_;
    char what[64];

    inside->options.any_device = any_device;
    snprintf(what, sizeof what, "%s, poison %s, %s", half ? "fp16" : "fp32", poison,
             any_device ? "shares" : "no shares");
    if (transform_agree(c, what, d, shader, 0) != 1)
        fail_msg("%s: %s: expected a step of %s", c->name, what, shader);
    assay_gpu_delegate_destroy(d);
}

/* half_shares: any_device, of f16. */
static void check_all(const struct transform_case *c, const char *shader, bool any_device,
                      bool half_shares)
{
    check(c, shader, false, "nan", any_device);
    check(c, shader, false, "inf", any_device);
    check(c, shader, true, "nan", half_shares);
}

/* Each product in shares in one precision, and in one piece in the other. */
TEST(results)
{
    if (!transform_device)
        skip();
    for (size_t i = 0; i < COUNT(products); i += KIT_EACH(3))
        check_all(&products[i], "packed_product", i % 2, i % 2 == 0);
    check_all(&of_bytes, "packed_product", true, true);
    check_all(&masked_whole, "packed_product", true, true);
}

TEST(rows_of_tables)
{
    if (!transform_device)
        skip();
    for (size_t i = 0; i < COUNT(tables); i++)
        check_all(&tables[i], "embedding_lookup", false, false);
}

/* ---- without a device ---- */

TEST(chosen)
{
    /* clang-format off */
    static const struct {
        const struct transform_case *c;
        struct transform_look look;
        bool packed;
    } rows[] = {
        { &products[0], { .device_class = DEVICE_NVIDIA }, true },
        { &products[0], { .device_class = DEVICE_SOFTWARE }, true },
        { &products[0], { .device_class = DEVICE_OTHER }, true },
        { &products[0], { DEVICE_NVIDIA, .no_kernel = "packed" }, false },
        { &computed_bias, { .device_class = DEVICE_NVIDIA }, false },
        { &of_bytes, { .device_class = DEVICE_NVIDIA }, true },
        { &of_bytes, { .device_class = DEVICE_SOFTWARE }, false },
        { &of_bytes, { DEVICE_NVIDIA, .no_kernel = "packed_shares" }, false },
    };
    /* clang-format on */

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct transform_look got = transform_planned(rows[i].c, rows[i].look);

        if ((strcmp(got.shader, "packed_product") == 0) != rows[i].packed)
            fail_msg("%s: planned as %s", rows[i].c->name, got.shader);
    }
}

/* A workgroup is within the limits of the device, no plane of it is without a chunk, and those of a
 * row alone have an output an invocation where few would have four.  Planes need be no power of
 * two. */
TEST(workgroups)
{
    static const uint32_t allowed[] = { 0, 256, 200, 128, 64 };
    int single = 0, odd = 0;

    for (size_t i = 0; i < COUNT(allowed); i++)
        for (size_t c = 0; c < COUNT(products); c++) {
            const struct transform_look got = transform_planned(
                &products[c], (struct transform_look){ DEVICE_NVIDIA, .invocations = allowed[i] });
            const uint32_t *const spec = got.step.spec, x = spec[0];
            const uint32_t rows = spec[PACKED_PRODUCT_SPEC_ROWS];
            const uint32_t outputs = spec[PACKED_PRODUCT_SPEC_OUTPUTS];
            const uint32_t planes = spec[PACKED_PRODUCT_SPEC_PLANES];
            const uint32_t slices = spec[PACKED_PRODUCT_SPEC_COLUMNS] * planes;
            const uint32_t inputs = (uint32_t)products[c].dims[1];

            assert_string_equal(got.shader, "packed_product");
            assert_true(x > 0 && x <= (allowed[i] > 0 && allowed[i] < 512 ? allowed[i] : 512));
            assert_true(rows <= 8 && (outputs == 4 || (outputs == 1 && rows == 1)));
            assert_int_equal(x, slices * (4 / outputs));
            assert_int_equal(got.step.shared_bytes, 16 * slices * rows);
            assert_true(planes <= (inputs * spec[PACKED_PRODUCT_SPEC_BITS] + 127) / 128);
            single += outputs == 1;
            odd += (planes & (planes - 1)) != 0;
        }
    assert_in_range(single, 1, COUNT(allowed) * COUNT(products) - 1);
    assert_true(odd > 0);
}

/* 261 x 256 weights of 4 bits and 8 scales of each row, with what pads them, not floats. */
TEST(memory)
{
    const size_t expected = 264 * (256 / 2 + 8 * 2 + 4);

    for (int d = 0; d < DEVICE_CLASSES; d++) {
        const size_t bytes =
            transform_planned(&products[0],
                              (struct transform_look){ .device_class = (enum device_class)d })
                .constant_bytes;

        if (bytes < expected || bytes > expected * 5 / 4)
            fail_msg("class %d: expected some %zu bytes of constants, found %zu", d, expected,
                     bytes);
    }
}

TEST_FILE(.before = transform_find_device);
