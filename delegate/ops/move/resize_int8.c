/* RESIZE_BILINEAR of i8 and i16, in integers, and of u8, in floats that round as the CPU's.
 * Meaning: reference/ops/resize.c */
#include "delegate/accept/refusal.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/move/resize_int8.args.h"
#include "delegate/plan/planner.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>
#include <string.h>

/* The place of an output pixel on an axis of the input: it lies between pixels low and high, and
 * weight is that of high: the bits of an f32 (u8), or units of 1/1024. */
enum { PLACE_WORDS = 3 };
struct place {
    uint32_t low, high, weight;
};

static bool accept_resize(struct check *c)
{
    const struct graph_tensor *y = graph_output(c->graph, c->node, 0);
    const uint64_t bytes = ((uint64_t)y->dims[1] + (uint64_t)y->dims[2]) * sizeof(struct place);

    return bytes <= c->limits->max_storage_buffer_range ||
           refuse_bytes(c, RULE_LIMITS_CONSTANT_BYTES, c->node->outputs[0], bytes);
}

static struct place float_place(const TfLiteResizeBilinearParams *params, int32_t in, int32_t out,
                                int32_t o)
{
    const float scale = params->align_corners && out > 1 ? (float)(in - 1) / (float)(out - 1)
                                                         : (float)in / (float)out;
    const float at =
        params->half_pixel_centers ? ((float)o + 0.5f) * scale - 0.5f : (float)o * scale;
    /* Rounding may put the last output on pixel `in`. */
    const int32_t low = at < 0 ? 0 : at >= (float)in ? in - 1 : (int32_t)floorf(at);
    const int32_t high = ceilf(at) >= (float)in ? in - 1 : at < 0 ? 0 : (int32_t)ceilf(at);
    const float weight = (float)((double)at - low);
    struct place place = { (uint32_t)low, (uint32_t)high, 0 };

    memcpy(&place.weight, &weight, sizeof weight);
    return place;
}

/* Computes in units of 1/1024, to which the scale is rounded, too. */
static struct place fixed_place(const TfLiteResizeBilinearParams *params, int32_t in, int32_t out,
                                int32_t o)
{
    const int64_t unit = 1024;
    const int64_t scale = params->align_corners && out > 1
                              ? (unit * (in - 1) + (out - 1) / 2) / (out - 1)
                              : (unit * in + out / 2) / out;
    const int64_t at = o * scale + (params->half_pixel_centers ? scale / 2 - unit / 2 : 0);
    const int64_t low = at / unit > 0 ? at / unit : 0, high = (at + unit - 1) / unit;

    /* The rounded scale may put the last outputs behind the last pixel. */
    return (struct place){ (uint32_t)(low < in ? low : in - 1),
                           (uint32_t)(high < in ? high : in - 1),
                           (uint32_t)(int32_t)(at - unit * low) };
}

/* Places of all output rows, then of all output columns. */
static enum status pack_places(struct planner *p, const struct graph_node *n, struct packed *packed)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0), *y = graph_output(p->graph, n, 0);
    uint64_t at = 0;

    TRY(planner_pack_table(p, ((uint64_t)y->dims[1] + (uint64_t)y->dims[2]) * PLACE_WORDS, packed));
    for (int axis = 1; axis <= 2 && planner_packs(p); axis++)
        for (int32_t o = 0; o < y->dims[axis]; o++) {
            const struct place place = (y->type == kTfLiteUInt8 ? float_place : fixed_place)(
                n->params, x->dims[axis], y->dims[axis], o);

            planner_put_word(p, packed, at++, place.low);
            planner_put_word(p, packed, at++, place.high);
            planner_put_word(p, packed, at++, place.weight);
        }
    return STATUS_OK;
}

static enum status plan_resize(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0), *y = graph_output(p->graph, n, 0);
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct plan_step *s = planner_step(p, INTEGER_SHADER(y, "resize_int8"), n, WORKGROUP, 1, 1);
    struct resize_int8_args args;
    struct packed places;

    if (src < 0 || dst < 0 || !s)
        return STATUS_NO_MEMORY;
    TRY(pack_places(p, n, &places));
    args = (struct resize_int8_args){
        .in_h = (uint32_t)x->dims[1],
        .in_w = (uint32_t)x->dims[2],
        .out_h = (uint32_t)y->dims[1],
        .out_w = (uint32_t)y->dims[2],
        .slices = p->plan->tensors[dst].slices,
    };
    args.count = p->plan->tensors[dst].rows * args.slices;
    step_spec(s, RESIZE_INT8_SPEC_SIGNED, y->type != kTfLiteUInt8);
    step_thawable(s, RESIZE_INT8_SPEC_SIGNED, RESIZE_INT8_SPEC_SIGNED);
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_constants(s, 2, &places);
    return step_items(p, s, args.count);
}

const struct gpu_exact exact_resize = { accept_resize, plan_resize };
