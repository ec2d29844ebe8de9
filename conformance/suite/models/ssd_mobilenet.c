/* Single-shot detectors: behind a backbone smaller and smaller feature maps, anchors, heads for
 * boxes and classes, TFLite_Detection_PostProcess.
 *
 * Feature maps, anchors and heads after Liu et al., "SSD: Single Shot MultiBox Detector", arXiv
 * 1512.02325, with the sizes of the published mobile detectors: depths 512, 256, 256 and 128, three
 * anchors on the first map and six on each other, scales from 0.2 to 0.95.  SSDLite: arXiv
 * 1801.04381, section 6.2. */
#include "conformance/suite/models/mobilenet_v1.h"
#include "conformance/suite/models/mobilenet_v2.h"
#include "conformance/suite/models/net_block.h"
#include "conformance/suite/models/net_conv.h"
#include "conformance/suite/models/net_ops.h"
#include "conformance/suite/models/net_weights.h"
#include "reference/base/memory.h"
#include "reference/format/flexbuffer.h"

#include <math.h>
#include <stdio.h>

enum { ZOO_SSD_MAPS = 6 };

struct zoo_ssd {
    struct zoo_tensor maps[ZOO_SSD_MAPS]; /* the first two are the backbone's */
    bool lite; /* depthwise and 1x1 convolutions in the place of 3x3, in heads too */
};

enum { ANCHORS_FIRST = 3, ANCHORS = 6, DETECTIONS = 10 };

static const int32_t depths[ZOO_SSD_MAPS] = { 0, 0, 512, 256, 256, 128 };

static int32_t anchors_on(int map)
{
    return map == 0 ? ANCHORS_FIRST : ANCHORS;
}

/* ---- anchors ---- */

static double scale_of(int map)
{
    return map < ZOO_SSD_MAPS ? 0.2 + 0.75 * map / (ZOO_SSD_MAPS - 1) : 1;
}

/* Returns the height and width of an anchor, as shares of the image. */
static void anchor_size(int map, int32_t anchor, double *height, double *width)
{
    static const double ratios[ANCHORS] = { 1, 2, 0.5, 3, 1.0 / 3, 1 };
    double scale = scale_of(map);

    if (map == 0 && anchor == 0)
        scale = 0.1;
    if (anchor == ANCHORS - 1)
        scale = sqrt(scale * scale_of(map + 1));
    *height = scale / sqrt(ratios[anchor]);
    *width = scale * sqrt(ratios[anchor]);
}

static size_t put_anchors(const struct zoo_ssd *ssd, double *to)
{
    size_t n = 0;

    for (int map = 0; map < ZOO_SSD_MAPS; map++) {
        const struct zoo_tensor *const t = &ssd->maps[map];

        for (int32_t cell = 0; cell < t->h * t->w; cell++) {
            for (int32_t a = 0; a < anchors_on(map); a++, n++) {
                to[4 * n] = (cell / t->w + 0.5) / t->h;
                to[4 * n + 1] = (cell % t->w + 0.5) / t->w;
                anchor_size(map, a, &to[4 * n + 2], &to[4 * n + 3]);
            }
        }
    }
    return n;
}

static int anchors(struct zoo_net *net, const struct zoo_ssd *ssd, int32_t count)
{
    double *const values = mem_alloc(4 * (size_t)count, sizeof *values);
    const int32_t dims[] = { count, 4 };
    int tensor;

    if (!values) {
        net->status = STATUS_NO_MEMORY;
        return -1;
    }
    put_anchors(ssd, values);
    /* The op reads f32 or u8. */
    tensor = zoo_given(net, "anchors", 2, dims, values, 4 * (size_t)count,
                       net->options.type == TENSOR_INT8);
    mem_free(values);
    return tensor;
}

/* ---- heads ---- */

static struct zoo_tensor halve(struct zoo_net *net, const char *name, struct zoo_tensor x,
                               int32_t depth, bool lite)
{
    const double gain = zoo_gain(ZOO_RELU6);

    x = zoo_conv_2d(net, zoo_label(name, "reduce").text, x, depth / 2, 1, 1, ZOO_RELU6, gain);
    return lite ? zoo_separable(net, name, x, depth, 2, 1)
                : zoo_conv_2d(net, zoo_label(name, "conv").text, x, depth, 3, 2, ZOO_RELU6, gain);
}

/* Returns [batch, cells * anchors, values]. */
static int head(struct zoo_net *net, const char *name, const struct zoo_ssd *ssd, int map,
                int32_t values, double gain, double bias)
{
    struct zoo_tensor x = ssd->maps[map];
    const int32_t dims[] = { x.h * x.w * anchors_on(map), values };

    if (ssd->lite)
        x = zoo_depthwise_conv_2d(net, zoo_label(name, "depthwise").text, x, 3, 1, ZOO_RELU6,
                                  zoo_gain(ZOO_RELU6));
    x = zoo_conv(net, name, x,
                 &(struct zoo_conv){ .channels = anchors_on(map) * values,
                                     .kernel = 1,
                                     .stride = 1,
                                     .gain = gain,
                                     .bias = bias });
    return zoo_reshape(net, zoo_label(name, "rows").text, x.index, 2, dims);
}

static int heads(struct zoo_net *net, const char *what, const struct zoo_ssd *ssd, int32_t rows,
                 int32_t values, double gain, double bias)
{
    int parts[ZOO_SSD_MAPS];

    for (int map = 0; map < ZOO_SSD_MAPS; map++) {
        char name[32];

        snprintf(name, sizeof name, "%s_%d", what, map);
        parts[map] = head(net, name, ssd, map, values, gain, bias);
    }
    return zoo_concatenate_rows(net, what, ZOO_SSD_MAPS, parts, rows, values);
}

/* ---- the op behind them ---- */

static int real(struct zoo_net *net, const char *name, int in, int32_t rows, int32_t values)
{
    int out;

    if (net->options.type != TENSOR_INT8 || net->options.weights_only)
        return in;
    out = builder_tensor(&net->builder, TENSOR_FLOAT32, name, 3, (int32_t[]){ 1, rows, values });
    builder_op(&net->builder, BUILTIN_DEQUANTIZE, 2, NULL, 1, &in, 1, &out);
    return out;
}

static enum status put_options(struct zoo_net *net, uint8_t **bytes, size_t *count)
{
    struct flex_writer w = { .count = 0 };

    flex_write_int(&w, "max_detections", DETECTIONS);
    flex_write_int(&w, "max_classes_per_detection", 1);
    flex_write_int(&w, "detections_per_class", 100);
    flex_write_bool(&w, "use_regular_nms", false);
    flex_write_int(&w, "num_classes", (int64_t)net->options.classes);
    flex_write_float(&w, "nms_score_threshold", 0.3F);
    flex_write_float(&w, "nms_iou_threshold", 0.6F);
    flex_write_float(&w, "y_scale", 10);
    flex_write_float(&w, "x_scale", 10);
    flex_write_float(&w, "h_scale", 5);
    flex_write_float(&w, "w_scale", 5);
    return flex_write_finish(&w, bytes, count, NULL);
}

static void postprocess(struct zoo_net *net, const int inputs[3], int outputs[4])
{
    struct builder *const b = &net->builder;
    uint8_t *bytes;
    size_t count;
    enum status s;

    outputs[0] = builder_tensor(b, TENSOR_FLOAT32, "TFLite_Detection_PostProcess", 3,
                                (int32_t[]){ 1, DETECTIONS, 4 });
    outputs[1] = builder_tensor(b, TENSOR_FLOAT32, "TFLite_Detection_PostProcess:1", 2,
                                (int32_t[]){ 1, DETECTIONS });
    outputs[2] = builder_tensor(b, TENSOR_FLOAT32, "TFLite_Detection_PostProcess:2", 2,
                                (int32_t[]){ 1, DETECTIONS });
    outputs[3] =
        builder_tensor(b, TENSOR_FLOAT32, "TFLite_Detection_PostProcess:3", 1, (int32_t[]){ 1 });
    s = put_options(net, &bytes, &count);
    if (s != STATUS_OK) {
        net->status = s;
        return;
    }
    builder_custom(b, "TFLite_Detection_PostProcess", 1, bytes, count, 3, inputs, 4, outputs);
    mem_free(bytes);
}

/* Builds the rest of a detector of options.classes objects, and the outputs of the model: boxes,
 * classes, scores, count. */
static void zoo_ssd(struct zoo_net *net, struct zoo_tensor in, struct zoo_ssd *ssd)
{
    const int32_t classes = (int32_t)net->options.classes + 1; /* and the background */
    int inputs[3], outputs[4];
    int32_t rows = 0;

    for (int map = 0; map < ZOO_SSD_MAPS; map++) {
        char name[32];

        snprintf(name, sizeof name, "map_%d", map);
        if (map >= 2)
            ssd->maps[map] = halve(net, name, ssd->maps[map - 1],
                                   zoo_divisible(depths[map], net->options.width), ssd->lite);
        rows += ssd->maps[map].h * ssd->maps[map].w * anchors_on(map);
    }
    inputs[0] = heads(net, "boxes", ssd, rows, 4, 1, 0);
    inputs[1] = heads(net, "classes", ssd, rows, classes, 1.2, -5); /* few objects are there */
    inputs[1] = zoo_scores(net, "scores", inputs[1], 2, (int32_t[]){ rows, classes });
    inputs[0] = real(net, "boxes/real", inputs[0], rows, 4);
    inputs[1] = real(net, "scores/real", inputs[1], rows, classes);
    inputs[2] = anchors(net, ssd, rows);
    postprocess(net, inputs, outputs);
    zoo_outputs(net, in, 4, outputs);
}

/* SSD on MobileNet v1 at 300x300: blocks 11 and 13 of the classifier, four more feature maps, 1917
 * anchors, 90 classes of objects.  6.8 million parameters, 1.2 billion multiply-adds. */
static void build_v1(struct zoo_net *net)
{
    const struct zoo_tensor in = zoo_input(net, "input", (int32_t)net->options.channels);
    struct zoo_ssd ssd = { .lite = false };

    ssd.maps[1] = zoo_mobilenet_v1_features(net, in, 0, &ssd.maps[0]);
    zoo_ssd(net, in, &ssd);
}

const struct zoo_entry zoo_ssd_mobilenet_v1 =
    ZOO_ENTRY("ssd_mobilenet_v1", "SSD on MobileNet v1, detector", .width = 1,
              ZOO_RESOLUTION(300, 60, 20, 1020), .channels = 3, .classes = 90, .batch_max = 1,
              .build = build_v1);

/* SSDLite on MobileNet v2 at 300x300: the expansion in block 13 and the last layer of the
 * classifier, four more feature maps, 1917 anchors, 90 classes of objects. */
static void build_v2(struct zoo_net *net)
{
    const struct zoo_tensor in = zoo_input(net, "input", (int32_t)net->options.channels);
    struct zoo_ssd ssd = { .lite = true };

    ssd.maps[1] = zoo_mobilenet_v2_head(net, zoo_mobilenet_v2_blocks(net, in, 0, &ssd.maps[0]));
    zoo_ssd(net, in, &ssd);
}

const struct zoo_entry zoo_ssd_mobilenet_v2 =
    ZOO_ENTRY("ssd_mobilenet_v2", "SSDLite on MobileNet v2, detector", .width = 1,
              ZOO_RESOLUTION(300, 60, 20, 1020), .channels = 3, .classes = 90, .batch_max = 1,
              .build = build_v2);
