/* Specialization constants as push constants: the words of shaders, which plans have them, and that
 * such plans share their pipelines. */
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "delegate/ops/product/conv_2d.args.h"
#include "delegate/runtime/kernel.h"
#include "delegate/shaders/spirv.h"
#include "delegate/shaders/thaw.h"
#include "delegate/shaders/words.h"
#include "reference/base/memory.h"

#include <stdlib.h>

enum { AT = 256 }; /* behind every block */

static size_t next(const uint32_t *words, size_t i)
{
    return i + spirv_length(words + i);
}

/* Of the specialization constants from 3 on. */
static uint32_t ids_of(const uint32_t *words, size_t count)
{
    uint32_t ids = 0;

    for (size_t i = SPIRV_HEADER_WORDS; i < count; i = next(words, i))
        if (spirv_opcode(words + i) == OP_DECORATE && words[i + 2] == DECORATION_SPEC_ID &&
            words[i + 3] >= 3)
            ids |= 1u << words[i + 3];
    return ids;
}

/* The offsets of members of structs that are AT or more, as bits of words behind it. */
static uint32_t members_of(const uint32_t *words, size_t count)
{
    uint32_t members = 0;

    for (size_t i = SPIRV_HEADER_WORDS; i < count; i = next(words, i))
        if (spirv_opcode(words + i) == OP_MEMBER_DECORATE && spirv_length(words + i) == 5 &&
            words[i + 3] == DECORATION_OFFSET && words[i + 4] >= AT)
            members |= 1u << (words[i + 4] - AT) / 4;
    return members;
}

static uint32_t bits_of(uint32_t ids)
{
    uint32_t bits = 0;

    for (; ids; ids &= ids - 1)
        bits++;
    return bits;
}

/* Of every shader: those constants alone that size no array; and with all of them, each has a
 * member of its own, one load for each function that uses it at most, and no decoration is left of
 * it. */
TEST(all_shaders)
{
    size_t count, thawable = 0;

    for (size_t i = 0; i < spirv_shader_count; i++) {
        const struct spirv *s = &spirv_shaders[i];
        const uint32_t *words = spirv_code(s);
        const uint32_t ids = ids_of(words, s->count);
        uint32_t free_ids = 0, *thawed;

        for (uint32_t id = 3; id < 32; id++)
            if (ids >> id & 1 && (thawed = spirv_thaw(words, s->count, 1u << id, AT, &count))) {
                free_ids |= 1u << id;
                assert_int_equal(ids_of(thawed, count), ids & ~(1u << id));
                assert_int_equal(members_of(thawed, count), 1);
                mem_free(thawed);
            }
        if (!free_ids)
            continue;
        thawable += bits_of(free_ids);
        thawed = spirv_thaw(words, s->count, free_ids, AT, &count);
        assert_non_null(thawed);
        assert_true(spirv_well_formed(thawed, count));
        assert_int_equal(ids_of(thawed, count), ids & ~free_ids);
        assert_int_equal(members_of(thawed, count), (1ull << bits_of(free_ids)) - 1);
        mem_free(thawed);
    }
    assert_true(thawable > 300);
}

/* ROWS and COLUMNS of conv_2d.comp are sizes of arrays. */
TEST(sizes_of_arrays)
{
    const struct spirv *s = spirv_find("conv_2d.f32");
    size_t count;
    uint32_t *thawed = spirv_thaw(spirv_code(s), s->count, 1u << CONV_2D_SPEC_RESIDUAL, AT, &count);

    assert_non_null(thawed);
    mem_free(thawed);
    assert_null(spirv_thaw(spirv_code(s), s->count, 1u << CONV_TILE_SPEC_ROWS, AT, &count));
    assert_null(spirv_thaw(spirv_code(s), s->count, 1u << CONV_2D_SPEC_COLUMNS, AT, &count));
}

/* Whatever the words are, there is an answer within them (with AddressSanitizer). */
TEST(damaged)
{
    const struct spirv *s = spirv_find("conv_2d_int8.int");
    uint32_t *words CLOSED_BY(kit_free) = malloc(s->count * sizeof *words);
    uint64_t seed = 11;
    size_t count, refused = 0;

    assert_non_null(words);
    assert_null(spirv_thaw(spirv_code(s), 0, 8, AT, &count));
    assert_null(spirv_thaw(spirv_code(s), SPIRV_HEADER_WORDS + 1, 8, AT, &count));
    for (int i = 0; i < 4000; i++) {
        const size_t at = SPIRV_HEADER_WORDS + kit_below(&seed, s->count - SPIRV_HEADER_WORDS);

        memcpy(words, spirv_code(s), s->count * sizeof *words);
        words[at] = kit_below(&seed, 2) ? words[at] ^ (1u << kit_below(&seed, 32))
                                        : (uint32_t)kit_below(&seed, UINT32_MAX);
        uint32_t *thawed CLOSED_BY(kit_mem_free) = spirv_thaw(words, s->count, 0x7df8, AT, &count);
        refused += thawed == NULL;
    }
    assert_true(refused > 100);
}

/* ---- plans ---- */

struct look {
    enum device_class device_class;
    struct plan_step step; /* of the convolution */
};

static void look_at_plan(struct graph *g, void *user)
{
    struct look *look = user;
    OPTIONS(o, "no_kernel", "gemm,matvec");
    struct device_limits limits = gpu_large_limits();

    limits.device_class = look->device_class;
    struct plan p CLOSED_BY(plan_close);
    gpu_plan_graph(&p, g, &o, &limits, &err);
    for (int i = 0; i < p.step_count; i++)
        if (strcmp(p.steps[i]->shader, "conv_2d") == 0)
            look->step = *p.steps[i];
}

static void make_conv(struct model *m, int32_t size, int32_t channels, int32_t kernel)
{
    kit_text(m,
             "CONV_2D {padding=VALID stride_w=1 stride_h=1} f32[1,%d,%d,4] "
             "f32[%d,%d,%d,4]=~3(-2..2) f32[%d]=~4(-2..2) -> y",
             size, size, channels, kernel, kernel, channels);
}

static struct plan_step step_of(enum device_class device_class, int32_t size, int32_t kernel)
{
    struct look look = { device_class, { .shader = NULL } };
    struct model m CLOSED_BY(model_close);

    make_conv(&m, size, 12, kernel);
    gpu_look(&m, look_at_plan, &look);
    assert_non_null(look.step.shader);
    return look.step;
}

/* Small plans of software devices: the kernel is pushed behind the arguments.  A larger plan, and
 * other devices, have it as a constant. */
TEST(which_plans)
{
    const struct plan_step small = step_of(DEVICE_SOFTWARE, 9, 3);
    struct plan_step s;
    uint32_t kernel;

    assert_int_equal(small.thawed_at, sizeof(struct conv_2d_args));
    assert_int_equal(small.push_bytes, sizeof(struct conv_2d_args) + 4 * bits_of(small.thawed));
    assert_true(small.thawed >> WINDOW_SPEC_KERNEL_H & 1);
    memcpy(&kernel, small.push + small.thawed_at, sizeof kernel);
    assert_int_equal(kernel, 3);
    assert_int_equal(small.spec[WINDOW_SPEC_KERNEL_H], 0);
    s = step_of(DEVICE_SOFTWARE, 10, 2);
    assert_memory_equal(s.spec, small.spec, sizeof s.spec);
    s = step_of(DEVICE_SOFTWARE, 80, 3);
    assert_int_equal(s.thawed, 0);
    assert_int_equal(s.spec[WINDOW_SPEC_KERNEL_H], 3);
    for (int c = 0; c < DEVICE_CLASSES; c++) {
        if (c == DEVICE_SOFTWARE)
            continue;
        s = step_of((enum device_class)c, 9, 3);
        assert_int_equal(s.thawed, 0);
        assert_int_equal(s.push_bytes, sizeof(struct conv_2d_args));
        assert_int_equal(s.spec[WINDOW_SPEC_KERNEL_H], 3);
    }
}

/* A second model with another kernel and size needs no pipeline that the first has not made. */
TEST(shared)
{
    const struct kit_size {
        int32_t size, kernel;
    } sizes[] = { { 9, 3 }, { 7, 2 }, { 8, 1 } };
    struct interpreter *in[3];
    TfLiteDelegate *d;
    struct model m[3];
    uint64_t made = 0;

    NEEDS_DEVICE;
    d = kit_delegate(WITH("max_partitions", "0"));
    if (((struct gpu_delegate *)d->data_)->device->limits.device_class != DEVICE_SOFTWARE) {
        tflite_plugin_destroy_delegate(d);
        skip();
    }
    for (int i = 0; i < 3; i++) {
        make_conv(&m[i], sizes[i].size, 12, sizes[i].kernel);
        in[i] = kit_open(&m[i], d);
        if (i > 0)
            assert_int_equal(pipelines_made(), made);
        made = pipelines_made();
    }
    for (int i = 0; i < 3; i++) {
        interpreter_close(in[i]);
        model_close(&m[i]);
    }
    tflite_plugin_destroy_delegate(d);
}

TEST_FILE(.before = kit_find_device);
