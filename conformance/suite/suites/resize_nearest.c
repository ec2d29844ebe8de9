/* RESIZE_NEAREST_NEIGHBOR: enlarging and reducing, the four pairs of flags, channels in slices. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"

struct row {
    struct op_case base;
    struct shape in; /* N H W C */
    struct {
        int32_t h, w;
    } size;
    bool align, half; /* align_corners, half_pixel_centers */
};

static void options_of(struct options *options, bool align, bool half)
{
    options_init(options, OPTIONS_ResizeNearestNeighborOptions);
    options_set_int(options, "align_corners", align);
    options_set_int(options, "half_pixel_centers", half);
}

static bool add_random(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    const bool to_5x3 = random_choice(call, 0, 2);

    if (x.shape.rank != 4)
        return false;
    call->out.value =
        graph_add_resize_nearest(m, x, to_5x3 ? 5 : 2 * x.shape.d[1], to_5x3 ? 3 : 2 * x.shape.d[2],
                                 random_choice(call, 1, 2));
    return true;
}

static const struct suite_member members[] = {
    { .op = "resize_nearest_neighbor",
      .code = BUILTIN_RESIZE_NEAREST_NEIGHBOR,
      .version = 1,
      .types = TYPE_BIT(CASE_F32) | TYPES_BYTES,
      .sets = SETS_MOVE,
      .bound = { .kind = BOUND_BITS },
      .random = { .operands = RANDOM_ONE, .add = add_random } },
};

#define UP(c)                                                                                      \
    {                                                                                              \
        ROW("up_c" #c, "channels in slices of four"), .in = DIMS(1, 3, 2, c), .size = { 5, 7 }     \
    }

static const struct row rows[] = {
    UP(1),
    UP(3),
    UP(4),
    UP(5),
    UP(8),
    UP(17),
    { ROW("double", "twice as large, as feature pyramids do"), .in = DIMS(1, 4, 5, 6),
      .size = { 8, 10 } },
    { ROW("double_align", "twice as large, align_corners: the nearest, not the one below"),
      .in = DIMS(1, 4, 5, 6), .size = { 8, 10 }, .align = true },
    { ROW("double_half", "twice as large, half_pixel_centers", .version = 3),
      .in = DIMS(1, 4, 5, 6), .size = { 8, 10 }, .half = true },
    { ROW("double_both", "both flags", .version = 3), .in = DIMS(1, 4, 5, 6), .size = { 8, 10 },
      .align = true, .half = true },
    { ROW("down", "seven pixels to three"), .in = DIMS(1, 7, 5, 5), .size = { 3, 2 } },
    { ROW("down_align", "align_corners: halves are rounded away from zero"), .in = DIMS(1, 7, 9, 5),
      .size = { 3, 5 }, .align = true },
    { ROW("down_half", "half_pixel_centers", .version = 3), .in = DIMS(1, 7, 5, 5),
      .size = { 3, 2 }, .half = true },
    { ROW("down_both", "both flags", .version = 3), .in = DIMS(1, 7, 5, 5), .size = { 3, 2 },
      .align = true, .half = true },
    { ROW("to_one", "one pixel"), .in = DIMS(1, 5, 4, 5), .size = { 1, 1 } },
    { ROW("to_one_align", "one pixel: no corner to align"), .in = DIMS(1, 5, 4, 5),
      .size = { 1, 1 }, .align = true },
    { ROW("from_one", "every pixel is the first"), .in = DIMS(1, 1, 1, 7), .size = { 4, 3 } },
    { ROW("same", "nothing changes"), .in = DIMS(1, 5, 3, 5), .size = { 5, 3 } },
    { ROW("batch3", "a batch of more than one image"), .in = DIMS(3, 3, 4, 5), .size = { 7, 5 } },
    { ROW("up_and_down", "taller and narrower"), .in = DIMS(1, 3, 13, 6), .size = { 11, 4 } },
    { ROW("prime", "prime extents", .version = 3), .in = DIMS(1, 7, 11, 3), .size = { 13, 17 },
      .half = true },
    { ROW("wide", "coordinates that f16 has not", .floats = true), .in = DIMS(1, 1, 3001, 1),
      .size = { 1, 4099 } },
    { ROW("wide_rounded", "1 / 49 of 49 pixels rounds below one in f32: the CPU's f32 decides",
          .floats = true),
      .in = DIMS(1, 1, 49, 1), .size = { 1, 2401 } },
    { ROW("v", "every version of the op means the same", .each_version = true),
      .in = DIMS(1, 2, 3, 5), .size = { 4, 5 } },
    { ROW("empty_batch", "no image at all", EMPTY), .in = DIMS(0, 3, 2, 5), .size = { 5, 4 } },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill any = { .terms = 1, .factors = 1 };
    const struct shape vector = DIMS(2);
    const struct shape out = DIMS(r->in.d[0], r->size.h, r->size.w, r->in.d[3]);
    struct options options;
    int in[2];

    options_of(&options, r->align, r->half);
    in[0] = case_input(m, "x", &r->in, &any);
    in[1] = case_constant_i32(m, "size", &vector, (const int32_t[]){ r->size.h, r->size.w });
    case_judged_op(m, &options, 2, in, case_output(m, "y", &out));
}

SUITE(resize_nearest, members, rows, build);
