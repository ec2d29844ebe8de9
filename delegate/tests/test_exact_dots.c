/* Sums of products of bytes, and of i16 and bytes, on the device that is there, with its packed dot
 * product and without: random models, whose outputs are the reference interpreter's to the last
 * bit, whatever padded lanes hold.  Skipped where there is no device. */
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/dots_kit.h"
#include "delegate/tests/kit/dots_net.h"
#include "reference/tests/kit/test.h"

/* `make` false: the shapes of the seed do not fit each other.  What is the same for all elements
 * proves little. */
static void same_of(bool (*make)(struct net *, struct model *), int models, bool shorts)
{
    int telling = 0;

    for (int i = 0, seed = 0; i < models; seed++) {
        struct model m;
        struct net n;

        net_begin(&n, (uint64_t)seed, shorts);
        if (!make(&n, &m))
            continue;
        telling += dots_check(&m, seed) > 2;
        model_close(&m);
        i++;
    }
    assert_true(2 * telling >= models);
}

static void same_as_reference(bool (*make)(struct net *, struct model *), int models)
{
    same_of(make, models, false);
}

/* Each op with activations of i16. */
TEST(sums_of_shorts)
{
    bool (*const makes[])(
        struct net *, struct model *) = { net_make_conv,   net_make_grouped, net_make_depthwise,
                                          net_make_padded, net_make_dense,   net_make_transpose };

    for (size_t i = 0; i < sizeof makes / sizeof makes[0]; i++)
        same_of(makes[i], 12, true);
}

TEST(convolutions)
{
    same_as_reference(net_make_conv, 40);
}

TEST(grouped_convolutions)
{
    same_as_reference(net_make_grouped, 12);
}

TEST(depthwise_convolutions)
{
    same_as_reference(net_make_depthwise, 24);
}

TEST(padded_convolutions)
{
    same_as_reference(net_make_padded, 20);
    assert_int_equal(dots_merged, 1);
}

TEST(products)
{
    same_as_reference(net_make_dense, 40);
}

TEST(transposed_convolutions)
{
    same_as_reference(net_make_transpose, 24);
}

TEST_FILE(KIT_HOLDS_DEVICE, .before = kit_find_device, .needs = &kit_device);
