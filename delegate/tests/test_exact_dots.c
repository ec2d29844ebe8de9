/* Sums of products of bytes, and of i16 and bytes, on the device that is there, with its packed dot
 * product and without: random models, whose outputs are the reference interpreter's to the last
 * bit, whatever padded lanes hold.  Skipped where there is no device. */
#include "delegate/tests/kit/dots_kit.h"
#include "delegate/tests/kit/dots_net.h"

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
static void sums_of_shorts(void **state)
{
    bool (*const makes[])(
        struct net *, struct model *) = { net_make_conv,   net_make_grouped, net_make_depthwise,
                                          net_make_padded, net_make_dense,   net_make_transpose };

    NEEDS_DEVICE;
    for (size_t i = 0; i < sizeof makes / sizeof makes[0]; i++)
        same_of(makes[i], 12, true);
}

static void convolutions(void **state)
{
    NEEDS_DEVICE;
    same_as_reference(net_make_conv, 40);
}

static void grouped_convolutions(void **state)
{
    NEEDS_DEVICE;
    same_as_reference(net_make_grouped, 12);
}

static void depthwise_convolutions(void **state)
{
    NEEDS_DEVICE;
    same_as_reference(net_make_depthwise, 24);
}

static void padded_convolutions(void **state)
{
    NEEDS_DEVICE;
    same_as_reference(net_make_padded, 20);
    assert_int_equal(dots_merged, 1);
}

static void products(void **state)
{
    NEEDS_DEVICE;
    same_as_reference(net_make_dense, 40);
}

static void transposed_convolutions(void **state)
{
    NEEDS_DEVICE;
    same_as_reference(net_make_transpose, 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions),
        cmocka_unit_test(grouped_convolutions),
        cmocka_unit_test(depthwise_convolutions),
        cmocka_unit_test(padded_convolutions),
        cmocka_unit_test(products),
        cmocka_unit_test(transposed_convolutions),
        cmocka_unit_test(sums_of_shorts),
    };

    kit_find_device("sums of bytes");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
