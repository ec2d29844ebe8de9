/* RESIZE_BILINEAR: enlarging and reducing, both flags, to and from one pixel, channels in slices.
 */
#include "conformance/maker.h"
#include "conformance/suite.h"

struct row {
    struct op_case base;
    struct shape in; /* N H W C */
    struct {
        int32_t h, w;
    } size;
    bool align, half; /* align_corners, half_pixel_centers */
};

static const struct suite_member members[] = {
    { "resize_bilinear",
      BUILTIN_RESIZE_BILINEAR,
      1,
      TYPE_BIT(CASE_F32),
      SETS_ALL & ~SET_BIT(SET_INTEGERS) & ~SET_BIT(SET_CANCEL),
      { .kind = BOUND_RESIZE } },
};

#define UP(c)                                                                                      \
    {                                                                                              \
        ROW("up_c" #c, "channels in slices of four"), .in = DIMS(1, 3, 2, c), .size = { 5, 7 }     \
    }
#define DOWN(c)                                                                                    \
    {                                                                                              \
        ROW("down_c" #c, "half-pixel centres and any channels", .version = 3),                     \
            .in = DIMS(1, 7, 5, c), .size = { 3, 3 }, .half = true                                 \
    }

static const struct row rows[] = {
    CHANNEL_LIST(UP),
    CHANNEL_LIST(DOWN),
    { ROW("double", "twice as large, corners as they are"), .in = DIMS(1, 4, 5, 6),
      .size = { 8, 10 } },
    { ROW("double_align", "twice as large, corners stay"), .in = DIMS(1, 4, 5, 6),
      .size = { 8, 10 }, .align = true },
    { ROW("double_half", "twice as large, centres of pixels", .version = 3), .in = DIMS(1, 4, 5, 6),
      .size = { 8, 10 }, .half = true },
    { ROW("deeplab_align", "to an odd size, as segmentation does"), .in = DIMS(1, 9, 9, 5),
      .size = { 33, 33 }, .align = true },
    { ROW("to_one", "one pixel"), .in = DIMS(1, 5, 4, 5), .size = { 1, 1 } },
    { ROW("to_one_align", "one pixel: no corner to align"), .in = DIMS(1, 5, 4, 5),
      .size = { 1, 1 }, .align = true },
    { ROW("from_one", "every pixel is the first", .version = 3), .in = DIMS(1, 1, 1, 7),
      .size = { 4, 3 }, .half = true },
    { ROW("same", "nothing changes", .version = 3), .in = DIMS(1, 5, 3, 5), .size = { 5, 3 },
      .half = true },
    { ROW("batch3", "batch over 1"), .in = DIMS(3, 3, 4, 5), .size = { 7, 5 } },
};

static void build(struct maker *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct fill any = { .terms = 1, .factors = 1 };
    const struct shape vector = DIMS(2);
    const struct shape out = DIMS(r->in.d[0], r->size.h, r->size.w, r->in.d[3]);
    struct options options;
    int in[2];

    options_init(&options, OPTIONS_ResizeBilinearOptions);
    options_set_int(&options, "align_corners", r->align);
    options_set_int(&options, "half_pixel_centers", r->half);
    in[0] = maker_input(m, "x", &r->in, &any);
    in[1] = maker_ints(m, "size", &vector, (const int32_t[]){ r->size.h, r->size.w });
    maker_judged(m, &options, 2, in, maker_output(m, "y", &out));
}

SUITE(resize, members, rows, build);
