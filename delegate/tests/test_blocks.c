/* Blocks of device memory that are kept for the next request; skipped without a device. */
#include "reference/tests/kit/test.h"

#include "delegate/vulkan/blocks.h"
#include "delegate/vulkan/device.h"

#include <string.h>

enum { KIB = 1024, MIB = 1024 * KIB };

static struct device *d;
static uint32_t visible; /* a memory type that can be mapped */

static struct block take(VkDeviceSize bytes, bool map)
{
    struct block block;
    const char *call = NULL;

    assert_int_equal(blocks_take(&d->blocks, d->handle, visible, bytes, map, &block, &call),
                     VK_SUCCESS);
    assert_true(block.bytes >= bytes);
    assert_true((block.mapped != NULL) == map);
    if (map)
        memset(block.mapped, 0xa5, bytes);
    return block;
}

static void give(struct block *block)
{
    blocks_give(&d->blocks, d->handle, block);
    assert_true(block->memory == VK_NULL_HANDLE);
}

FIXTURE(setup)
{
    struct device_cost cost;

    if (device_acquire(&d, NULL, false, &cost, &err) != STATUS_OK) {
        d = NULL;
        return 0;
    }
    while (!(d->memory.memoryTypes[visible].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT))
        visible++;
    return 0;
}

FIXTURE(teardown)
{
    if (d)
        device_release(d);
    return 0;
}

static void need_device(void)
{
    if (!d) {
        print_message("no Vulkan device\n");
        skip();
    }
    blocks_clear(&d->blocks, d->handle);
    assert_int_equal(d->blocks.count, 0);
}

TEST(test_small_ones_are_taken_again)
{
    struct block a, b;
    VkDeviceMemory first;

    need_device();
    a = take(1000, true);
    first = a.memory;
    give(&a);
    assert_int_equal(d->blocks.count, 1);
    b = take(5000, true); /* has the same rounded size */
    assert_true(b.memory == first);
    assert_int_equal(d->blocks.count, 0);
    give(&b);
}

TEST(test_others_are_not)
{
    struct block a, unmapped, larger;
    VkDeviceMemory first;

    need_device();
    a = take(1000, true);
    first = a.memory;
    give(&a);
    unmapped = take(1000, false);
    larger = take(100 * KIB, true);
    assert_true(unmapped.memory != first && larger.memory != first);
    assert_int_equal(d->blocks.count, 1);
    give(&unmapped);
    give(&larger);
    assert_int_equal(d->blocks.count, 3);
}

TEST(test_large_ones_are_not_kept)
{
    struct block a;

    need_device();
    a = take(MIB + 1, true);
    give(&a);
    assert_int_equal(d->blocks.count, 0);
    a = take(MIB, true);
    give(&a);
    assert_int_equal(d->blocks.count, 1);
}

TEST(test_what_is_kept_is_bounded)
{
    struct block blocks[BLOCKS_KEPT + 3];
    VkDeviceMemory last;

    need_device();
    for (int i = 0; i < BLOCKS_KEPT + 3; i++)
        blocks[i] = take(64 * KIB, true);
    last = blocks[BLOCKS_KEPT + 2].memory;
    for (int i = 0; i < BLOCKS_KEPT + 3; i++)
        give(&blocks[i]);
    assert_int_equal(d->blocks.count, BLOCKS_KEPT);
    assert_true(d->blocks.kept[BLOCKS_KEPT - 1].memory == last);
    blocks_clear(&d->blocks, d->handle);
    assert_int_equal(d->blocks.count, 0);
}

/* A buffer that failed to open gives back no block. */
TEST(test_nothing)
{
    struct block none = { 0 };

    need_device();
    give(&none);
    assert_int_equal(d->blocks.count, 0);
}

TEST_FILE(.setup = setup, .teardown = teardown);
