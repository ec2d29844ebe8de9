/* Nodes whose outputs are not read are removed. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

/* Tensors that are neither read nor outputs of the partition are not computed. */
static void dead_end(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    const struct kit_tensor t = kit_unary(b, BUILTIN_RELU, x);

    kit_unary(b, BUILTIN_RELU6, kit_pad(b, t, (const int32_t[]){ 0, 0, 1, 1, 0, 0, 0, 0 }));
    out[0] = kit_binary(b, BUILTIN_ADD, t, z.index, kTfLiteActNone);
}

static void all_read(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    out[0] = kit_binary(b, BUILTIN_ADD, kit_unary(b, BUILTIN_RELU, x), z.index, kTfLiteActNone);
}

static void output_unread(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                          struct kit_tensor out[3])
{
    (void)z;
    out[0] = kit_unary(b, BUILTIN_RELU, x);
    out[1] = kit_pad(b, out[0], (const int32_t[]){ 0, 0, 1, 1, 0, 0, 0, 0 });
}

static const struct transform_case cases[] = {
    { "dead end", dead_end, { 1, 2, 3, 5 }, 2, "ADD " },
    { "all are read", all_read, { 1, 2, 3, 5 }, 0, "RELU " },
    { "an output", output_unread, { 1, 2, 3, 5 }, 0, "PAD " },
};
TRANSFORM_TESTS(TRANSFORM_unused, cases)

TEST_FILE(.before = transform_find_device);
