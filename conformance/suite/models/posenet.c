/* PoseNet on MobileNet v1 0.75, output stride 16: the layers of the classifier, the last ones
 * dilated instead of strided, and four 1x1 convolutions: a heatmap for each keypoint, the offsets
 * of each keypoint, and displacements along the edges of a tree of keypoints, forward and backward.
 *
 * Topology: Papandreou et al., "PersonLab: Person Pose Estimation and Instance Segmentation with a
 * Bottom-Up, Part-Based, Geometric Embedding Model", arXiv 1803.08225, with the outputs of the
 * published mobile models. */
#include "conformance/suite/models/mobilenet_v1.h"
#include "conformance/suite/models/net_block.h"
#include "conformance/suite/models/net_conv.h"

enum { OUTPUT_STRIDE = 16 };

static void build(struct zoo_net *net)
{
    const int32_t keypoints = (int32_t)net->options.classes, edges = keypoints - 1;
    const struct zoo_tensor in = zoo_input(net, "input", (int32_t)net->options.channels);
    const struct zoo_tensor x = zoo_mobilenet_v1_features(net, in, OUTPUT_STRIDE, NULL);
    /* Logits, few of them above 0; the others are pixels of the input. */
    const struct zoo_conv heat = {
        .channels = keypoints, .kernel = 1, .stride = 1, .gain = 2, .bias = -4
    };
    const int outputs[] = {
        zoo_conv(net, "heatmaps", x, &heat).index,
        zoo_conv_2d(net, "offsets", x, 2 * keypoints, 1, 1, ZOO_NONE, ZOO_LOGIT_GAIN).index,
        zoo_conv_2d(net, "displacements_forward", x, 2 * edges, 1, 1, ZOO_NONE, ZOO_LOGIT_GAIN)
            .index,
        zoo_conv_2d(net, "displacements_backward", x, 2 * edges, 1, 1, ZOO_NONE, ZOO_LOGIT_GAIN)
            .index,
    };

    zoo_outputs(net, in, sizeof outputs / sizeof outputs[0], outputs);
}

const struct zoo_entry zoo_posenet = ZOO_ENTRY(
    "posenet", "PoseNet on MobileNet v1 0.75, keypoints", .classes_are = "keypoints", .width = 0.75,
    ZOO_RESOLUTION(257, 33, 16, 1025), .channels = 3, .classes = 17, .build = build);
