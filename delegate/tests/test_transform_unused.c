/* Nodes whose outputs are not read are removed. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

/* clang-format off */
static const struct transform_case cases[] = {
    /* Tensors that are neither read nor outputs of the partition are not computed. */
    { "dead end", { 1, 2, 3, 5 }, 2, "ADD ",
      "RELU x -> u; PAD u i32[4,2]=0,0,1,1,0,0,0,0 -> p; RELU6 p -> u2; ADD {} u z -> b; "
      "outputs b" },
    { "all are read", { 1, 2, 3, 5 }, 0, "RELU ",
      "RELU x -> u; ADD {} u z -> b" },
    { "an output", { 1, 2, 3, 5 }, 0, "PAD ",
      "RELU x -> u; PAD u i32[4,2]=0,0,1,1,0,0,0,0 -> p; outputs u p" },
};
/* clang-format on */
TRANSFORM_TESTS(TRANSFORM_unused, cases)

TEST_FILE(.before = transform_find_device);
