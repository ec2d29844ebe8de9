/* SSDLite on MobileNet v2 at 300x300: the expansion in block 13 and the last layer of the
 * classifier, four more feature maps, 1917 anchors, 90 classes of objects. */
#include "conformance/suite/models/ssd_mobilenet_v2.h"

#include "conformance/suite/models/mobilenet_v2.h"
#include "conformance/suite/models/net_ssd.h"

static enum status build(struct zoo_net *net, const struct zoo_options *options, struct diag *diag)
{
    const struct zoo_tensor in = zoo_input(net, "input", (int32_t)options->channels);
    struct zoo_ssd ssd = { .lite = true };

    ssd.maps[1] = zoo_mobilenet_v2_head(net, zoo_mobilenet_v2_blocks(net, in, 0, &ssd.maps[0]));
    return zoo_ssd(net, in, &ssd, diag);
}

const struct zoo_entry zoo_ssd_mobilenet_v2 = { .name = "ssd_mobilenet_v2",
                                                .summary = "SSDLite on MobileNet v2, detector",
                                                .width = 1,
                                                .resolution = 300,
                                                .resolution_min = 60,
                                                .resolution_step = 20,
                                                .resolution_max = 1020,
                                                .channels = 3,
                                                .classes = 90,
                                                .batch_max = 1,
                                                .build = build };
