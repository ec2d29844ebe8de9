/* RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR: enlarging and reducing, the flags, to and from one
 * pixel, channels in slices. */
#include "conformance/suite/cases/axes.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_node.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/cases/sweep.h"
#include "conformance/suite/suites/gaps.h"
#include "conformance/suite/suites/lanes.h"

struct row {
    struct op_case base;
    struct shape in; /* N H W C */
    struct {
        int32_t h, w;
    } size;
    bool align, half; /* align_corners, half_pixel_centers */
};

static bool add_random(struct case_builder *m, struct random_call *call)
{
    const struct value x = call->in[0].value;
    const bool to_5x3 = random_choice(call, 0, 2);
    const int32_t h = to_5x3 ? 5 : 2 * x.shape.d[1], w = to_5x3 ? 3 : 2 * x.shape.d[2];
    const int flag = random_choice(call, 1, 2);

    if (x.shape.rank != 4)
        return false;
    call->out.value = call->member->code == BUILTIN_RESIZE_BILINEAR
                          ? graph_add_resize_bilinear(m, x, h, w, flag)
                          : graph_add_resize_nearest(m, x, h, w, flag);
    return true;
}

static const struct suite_member members[] = {
    { SUITE_OP("resize_bilinear", RESIZE_BILINEAR, 1), .types = TYPE_BIT(CASE_F32) | TYPES_BYTES,
      .sets = SETS_ALL & ~SET_BIT(SET_INTEGERS) & ~SET_BIT(SET_CANCEL),
      .bound = { .kind = BOUND_RESIZE }, .random = { .operands = RANDOM_ONE, .add = add_random } },
    { SUITE_OP("resize_nearest_neighbor", RESIZE_NEAREST_NEIGHBOR, 1),
      .types = TYPE_BIT(CASE_F32) | TYPES_BYTES, .sets = SETS_MOVE, .bound = { .kind = BOUND_BITS },
      .random = { .operands = RANDOM_ONE, .add = add_random }, .draws_apart = true },
};

#define BILINEAR(...) ROW(__VA_ARGS__, .only = "resize_bilinear")
#define NEAREST(...)  ROW(__VA_ARGS__, .only = "resize_nearest_neighbor")
#define UP(c)                                                                                      \
    {                                                                                              \
        BILINEAR("up_c" #c, "channels in slices of four"), .in = DIMS(1, 3, 2, c), .size = {       \
            5,                                                                                     \
            7                                                                                      \
        }                                                                                          \
    }
#define DOWN(c)                                                                                    \
    {                                                                                              \
        BILINEAR("down_c" #c, "half-pixel centres and any channels", .version = 3),                \
            .in = DIMS(1, 7, 5, c), .size = { 3, 3 }, .half = true                                 \
    }

#define NEAREST_UP(c)                                                                              \
    {                                                                                              \
        NEAREST("up_c" #c, "channels in slices of four"), .in = DIMS(1, 3, 2, c), .size = { 5, 7 } \
    }

static const struct row rows[] = {
    CHANNEL_LIST(UP),
    CHANNEL_LIST(DOWN),
    { BILINEAR("double", "twice as large, neither align_corners nor half_pixel_centers"),
      .in = DIMS(1, 4, 5, 6), .size = { 8, 10 } },
    { BILINEAR("double_align", "twice as large, align_corners"), .in = DIMS(1, 4, 5, 6),
      .size = { 8, 10 }, .align = true },
    { BILINEAR("double_half", "twice as large, half_pixel_centers", .version = 3),
      .in = DIMS(1, 4, 5, 6), .size = { 8, 10 }, .half = true },
    { BILINEAR("deeplab_align", "to an odd size, as segmentation does"), .in = DIMS(1, 9, 9, 5),
      .size = { 33, 33 }, .align = true },
    { BILINEAR("to_one", "one pixel"), .in = DIMS(1, 5, 4, 5), .size = { 1, 1 } },
    { BILINEAR("to_one_align", "one pixel: no corner to align"), .in = DIMS(1, 5, 4, 5),
      .size = { 1, 1 }, .align = true },
    { BILINEAR("from_one", "every pixel is the first", .version = 3), .in = DIMS(1, 1, 1, 7),
      .size = { 4, 3 }, .half = true },
    { BILINEAR("same", "nothing changes", .version = 3), .in = DIMS(1, 5, 3, 5), .size = { 5, 3 },
      .half = true },
    { BILINEAR("batch3", "a batch of more than one image", .gap = GAP_BATCH),
      .in = DIMS(3, 3, 4, 5), .size = { 7, 5 } },
    { BILINEAR("third", "every third pixel"), .in = DIMS(1, 9, 12, 5), .size = { 3, 4 } },
    { BILINEAR("third_half", "the middle ones of three pixels", .version = 3),
      .in = DIMS(1, 9, 12, 5), .size = { 3, 4 }, .half = true },
    { BILINEAR("third_align", "the corners, and what lies between"), .in = DIMS(1, 9, 12, 5),
      .size = { 3, 4 }, .align = true },
    { BILINEAR("one_row", "one row: the other axis alone"), .in = DIMS(1, 1, 6, 5),
      .size = { 1, 11 }, .align = true },
    { BILINEAR("one_column", "one column to three, half-pixel centres", .version = 3),
      .in = DIMS(1, 6, 1, 5), .size = { 11, 3 }, .half = true },
    { BILINEAR("up_and_down", "taller and narrower"), .in = DIMS(1, 3, 13, 6), .size = { 11, 4 } },
    { BILINEAR("wide257", "one pixel more than a workgroup has invocations"),
      .in = DIMS(1, 1, 129, 2), .size = { 1, 257 }, .align = true },
    { BILINEAR("prime", "prime extents: no workgroup size divides them", .version = 3),
      .in = DIMS(1, 7, 11, 3), .size = { 13, 17 }, .half = true },
    { BILINEAR("far", "a tenth of the pixels", .version = 3), .in = DIMS(1, 30, 40, 3),
      .size = { 3, 4 }, .half = true },
    { BILINEAR("batch7", "an odd batch", .gap = GAP_BATCH, .version = 3), .in = DIMS(7, 2, 3, 3),
      .size = { 4, 5 }, .half = true },
    { BILINEAR("half_max", "near the largest f16: no sum may pass it", .gap = GAP_HALF_RANGE,
               .scale = 1000, .offset = 6e4, .overflow = true, .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 3, 4, 5), .size = { 5, 7 } },
    { BILINEAR("v", "every version of the op means the same for floats", .each_version = true),
      .in = DIMS(1, 2, 3, 5), .size = { 4, 5 } },
    { BILINEAR("version", "newer converters write higher versions of the op", .each_version = true,
               .gap = GAP_VERSION),
      .in = DIMS(1, 2, 3, 5), .size = { 4, 5 } },
    { BILINEAR("plain_up", "neither align_corners nor half_pixel_centers", .version = 1,
               .gap = GAP_RESIZE),
      .in = DIMS(1, 3, 5, 3), .size = { 7, 8 } },
    { BILINEAR("plain_down", "neither align_corners nor half_pixel_centers", .version = 1,
               .gap = GAP_RESIZE),
      .in = DIMS(1, 9, 7, 3), .size = { 4, 3 } },
    { BILINEAR("plain_odd", "neither align_corners nor half_pixel_centers", .version = 1,
               .gap = GAP_RESIZE),
      .in = DIMS(2, 4, 4, 5), .size = { 9, 11 } },
    { BILINEAR("plain_pixel", "neither align_corners nor half_pixel_centers", .version = 1,
               .gap = GAP_RESIZE),
      .in = DIMS(1, 4, 6, 3), .size = { 1, 1 } },
    { BILINEAR("plain_one", "neither align_corners nor half_pixel_centers", .version = 1,
               .gap = GAP_RESIZE),
      .in = DIMS(1, 1, 5, 3), .size = { 6, 1 } },
    { BILINEAR("plain_large", "neither align_corners nor half_pixel_centers", .version = 1,
               .gap = GAP_RESIZE),
      .in = DIMS(1, 17, 13, 2), .size = { 33, 65 } },
    { BILINEAR("align_up", "align_corners", .version = 1, .gap = GAP_RESIZE),
      .in = DIMS(1, 3, 5, 3), .size = { 7, 8 }, .align = true },
    { BILINEAR("align_down", "align_corners", .version = 1, .gap = GAP_RESIZE),
      .in = DIMS(1, 9, 7, 3), .size = { 4, 3 }, .align = true },
    { BILINEAR("align_odd", "align_corners", .version = 1, .gap = GAP_RESIZE),
      .in = DIMS(2, 4, 4, 5), .size = { 9, 11 }, .align = true },
    { BILINEAR("align_pixel", "align_corners", .version = 1, .gap = GAP_RESIZE),
      .in = DIMS(1, 4, 6, 3), .size = { 1, 1 }, .align = true },
    { BILINEAR("align_one", "align_corners", .version = 1, .gap = GAP_RESIZE),
      .in = DIMS(1, 1, 5, 3), .size = { 6, 1 }, .align = true },
    { BILINEAR("align_large", "align_corners", .version = 1, .gap = GAP_RESIZE),
      .in = DIMS(1, 17, 13, 2), .size = { 33, 65 }, .align = true },
    { BILINEAR("half_up", "half_pixel_centers", .version = 3, .gap = GAP_RESIZE),
      .in = DIMS(1, 3, 5, 3), .size = { 7, 8 }, .half = true },
    { BILINEAR("half_down", "half_pixel_centers", .version = 3, .gap = GAP_RESIZE),
      .in = DIMS(1, 9, 7, 3), .size = { 4, 3 }, .half = true },
    { BILINEAR("half_odd", "half_pixel_centers", .version = 3, .gap = GAP_RESIZE),
      .in = DIMS(2, 4, 4, 5), .size = { 9, 11 }, .half = true },
    { BILINEAR("half_pixel", "half_pixel_centers", .version = 3, .gap = GAP_RESIZE),
      .in = DIMS(1, 4, 6, 3), .size = { 1, 1 }, .half = true },
    { BILINEAR("half_one", "half_pixel_centers", .version = 3, .gap = GAP_RESIZE),
      .in = DIMS(1, 1, 5, 3), .size = { 6, 1 }, .half = true },
    { BILINEAR("half_large", "half_pixel_centers", .version = 3, .gap = GAP_RESIZE),
      .in = DIMS(1, 17, 13, 2), .size = { 33, 65 }, .half = true },
    { BILINEAR("wide4099", "coordinates that f16 has not: neighbours beyond 2,048"),
      .in = DIMS(1, 1, 3001, 1), .size = { 1, 4099 } },
    { BILINEAR("tall4099_half", "coordinates that f16 has not, half-pixel centres", .version = 3),
      .in = DIMS(1, 5003, 1, 1), .size = { 4099, 1 }, .half = true },
    { BILINEAR("every_16th", "a few results from a row of 70,001 pixels"),
      .in = DIMS(1, 1, 70001, 2), .size = { 1, 67 }, .align = true },
    /* Floats: sizes, values and attributes beyond the common ones. */
    { BILINEAR("places90000", "90,000 places", .types = TYPE_BIT(CASE_F32),
               .sets = SET_BIT(SET_POWERS), .period = LARGE_PERIOD),
      .in = DIMS(1, 150, 150, 3), .size = { 300, 300 } },
    { BILINEAR("from65536", "pixels beyond 65,536", .types = TYPE_BIT(CASE_F32),
               .sets = SET_BIT(SET_POSITIVE), .period = LARGE_PERIOD, .version = 3),
      .in = DIMS(1, 300, 301, 3), .size = { 30, 7 }, .half = true },
    { BILINEAR("wide7_4099", "seven pixels become 4,099: coordinates drift", .floats = true),
      .in = DIMS(1, 1, 7, 2), .size = { 1, 4099 } },
    { BILINEAR("wide7_4099_align", "the same with align_corners: the last one is met",
               .floats = true),
      .in = DIMS(1, 1, 7, 2), .size = { 1, 4099 }, .align = true },
    { BILINEAR("wide7_4099_half", "the same with half-pixel centres", .floats = true, .version = 3),
      .in = DIMS(1, 1, 7, 2), .size = { 1, 4099 }, .half = true },
    { BILINEAR("first_half",
               "half-pixel centres: the first pixels lie before the first cell's centre",
               .floats = true, .version = 3),
      .in = DIMS(1, 3, 2, 5), .size = { 17, 19 }, .half = true },
    { BILINEAR("down3_half", "half-pixel centres: the first share is not zero", .floats = true,
               .version = 3),
      .in = DIMS(2, 11, 17, 5), .size = { 4, 3 }, .half = true },
    { BILINEAR("times12_align", "4 x 5 to 90 x 110, as segmentation ends", .floats = true),
      .in = DIMS(1, 4, 5, 3), .size = { 90, 110 }, .align = true },
    /* A dimension of 0. */
    { BILINEAR("empty_batch", "no image at all", EMPTY), .in = DIMS(0, 3, 2, 5), .size = { 5, 4 } },
    NEAREST_UP(1),
    NEAREST_UP(3),
    NEAREST_UP(4),
    NEAREST_UP(5),
    NEAREST_UP(8),
    NEAREST_UP(17),
    { NEAREST("double", "twice as large, as feature pyramids do"), .in = DIMS(1, 4, 5, 6),
      .size = { 8, 10 } },
    { NEAREST("double_align", "twice as large, align_corners: the nearest, not the one below"),
      .in = DIMS(1, 4, 5, 6), .size = { 8, 10 }, .align = true },
    { NEAREST("double_half", "twice as large, half_pixel_centers", .version = 3),
      .in = DIMS(1, 4, 5, 6), .size = { 8, 10 }, .half = true },
    { NEAREST("double_both", "both flags", .version = 3), .in = DIMS(1, 4, 5, 6), .size = { 8, 10 },
      .align = true, .half = true },
    { NEAREST("down", "seven pixels to three"), .in = DIMS(1, 7, 5, 5), .size = { 3, 2 } },
    { NEAREST("down_align", "align_corners: halves are rounded away from zero"),
      .in = DIMS(1, 7, 9, 5), .size = { 3, 5 }, .align = true },
    { NEAREST("down_half", "half_pixel_centers", .version = 3), .in = DIMS(1, 7, 5, 5),
      .size = { 3, 2 }, .half = true },
    { NEAREST("down_both", "both flags", .version = 3), .in = DIMS(1, 7, 5, 5), .size = { 3, 2 },
      .align = true, .half = true },
    { NEAREST("to_one", "one pixel"), .in = DIMS(1, 5, 4, 5), .size = { 1, 1 } },
    { NEAREST("to_one_align", "one pixel: no corner to align"), .in = DIMS(1, 5, 4, 5),
      .size = { 1, 1 }, .align = true },
    { NEAREST("from_one", "every pixel is the first"), .in = DIMS(1, 1, 1, 7), .size = { 4, 3 } },
    { NEAREST("same", "nothing changes"), .in = DIMS(1, 5, 3, 5), .size = { 5, 3 } },
    { NEAREST("batch3", "a batch of more than one image"), .in = DIMS(3, 3, 4, 5),
      .size = { 7, 5 } },
    { NEAREST("up_and_down", "taller and narrower"), .in = DIMS(1, 3, 13, 6), .size = { 11, 4 } },
    { NEAREST("prime", "prime extents", .version = 3), .in = DIMS(1, 7, 11, 3), .size = { 13, 17 },
      .half = true },
    { NEAREST("wide", "coordinates that f16 has not", .floats = true), .in = DIMS(1, 1, 3001, 1),
      .size = { 1, 4099 } },
    { NEAREST("wide_rounded", "1 / 49 of 49 pixels rounds below one in f32: the CPU's f32 decides",
              .floats = true),
      .in = DIMS(1, 1, 49, 1), .size = { 1, 2401 } },
    { NEAREST("v", "every version of the op means the same", .each_version = true),
      .in = DIMS(1, 2, 3, 5), .size = { 4, 5 } },
    { NEAREST("empty_batch", "no image at all", EMPTY), .in = DIMS(0, 3, 2, 5), .size = { 5, 4 } },
    /* The ends of each type, and what is no number. */
    { ROW("lanes_special", LANES_SPECIAL, .only = "resize_nearest_neighbor"), .in = SPECIAL_DIMS,
      .size = { 16, 12 } },
    { ROW("lanes_denormal", LANES_DENORMAL), .in = DENORMAL_DIMS, .size = { 12, 12 },
      .half = true },
    { ROW("lanes_ends", LANES_END(TYPES_BYTES)), .in = END_DIMS, .size = { 4, 12 }, .half = true },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("batch66001", "a batch of 66,001", LARGE_POSITIVE(TYPE_BIT(CASE_F32))),
      .in = DIMS(66001, 1, 2, 1), .size = { 1, 3 } },
    { ROW("height66001", "a height of 66,001",
          LARGE_POSITIVE(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 132002, 1, 1), .size = { 66001, 1 } },
    { ROW("width66001", "a width of 66,001", LARGE_POSITIVE(TYPE_BIT(CASE_F32))),
      .in = DIMS(1, 1, 132002, 1), .size = { 1, 66001 } },
    { ROW("channels66001", "66,001 channels",
          LARGE_POSITIVE(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 1, 2, 66001), .size = { 1, 3 } },
    { ROW("lanes_special_up", LANES_SPECIAL, .only = "resize_bilinear"), .in = SPECIAL_DIMS,
      .size = { 8, 12 } },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill any = { .terms = 1, .factors = 1 };
    const struct shape vector = DIMS(2);
    const struct shape out = DIMS(r->in.d[0], r->size.h, r->size.w, r->in.d[3]);
    struct options options;
    int in[2];

    options_init(&options, m->c->code == BUILTIN_RESIZE_BILINEAR
                               ? OPTIONS_ResizeBilinearOptions
                               : OPTIONS_ResizeNearestNeighborOptions);
    options_set_int(&options, "align_corners", r->align);
    options_set_int(&options, "half_pixel_centers", r->half);
    in[0] = case_input(m, "x", &r->in, &any);
    in[1] = case_constant_i32(m, "size", &vector, (const int32_t[]){ r->size.h, r->size.w });
    case_judged_op(m, &options, 2, in, case_output(m, "y", &out));
}

/* ---- sweep: sizes of both axes, up and down, and every kind of coordinate ---- */

static const struct pairwise_level ins[] = {
    { "i1", 1, 1 }, { "i2x3", 2, 3 }, { "i5x4", 5, 4 }, { "i8x1", 8, 1 }, { "i3x11", 3, 11 },
};
static const struct pairwise_level heights[] = {
    { "h1", 1, 0 }, { "h2", 2, 0 }, { "h3", 3, 0 },
    { "h5", 5, 0 }, { "h8", 8, 0 }, { "h13", 13, 0 },
};
static const struct pairwise_level widths[] = {
    { "w1", 1, 0 }, { "w2", 2, 0 }, { "w4", 4, 0 }, { "w7", 7, 0 }, { "w10", 10, 0 },
};
static const struct pairwise_level coordinates[] = { { "", false, false },
                                                     { "align", true, false },
                                                     { "half", false, true } };
enum { IN, HEIGHT, WIDTH, CHANNEL, BATCH, COORDINATES };
static const struct pairwise_axis axes[] = {
    PAIRWISE_AXIS(ins), PAIRWISE_AXIS(heights), PAIRWISE_AXIS(widths),
    AXIS_CHANNELS,      AXIS_BATCHES,           PAIRWISE_AXIS(coordinates),
};

static struct row swept_row(const struct pairwise_row *p)
{
    const struct pairwise_level *const *const level = p->level;

    return (struct row){
        .base = { .name = p->name,
                  .only = "resize_bilinear",
                  .why = "pairwise: sizes, coordinates, channels, batch",
                  .version = level[COORDINATES]->y ? 3 : 1,
                  .floats = p->index % 3 != 0 },
        .in = DIMS(level[BATCH]->x, level[IN]->x, level[IN]->y, level[CHANNEL]->x),
        .size = { level[HEIGHT]->x, level[WIDTH]->x },
        .align = level[COORDINATES]->x,
        .half = level[COORDINATES]->y,
    };
}

SUITE_SWEEP(sweep, SWEEP_PART(swept_row, axes))
SUITE_SWEPT(resize, members, rows, build, sweep);
