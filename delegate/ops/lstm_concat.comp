// LSTM, basic: x [B,D] and h [B,A] side by side as [B,D+A].
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"

WRITES(0, dst);
READS(1, x);
READS(2, h);

layout(push_constant) uniform Args {
    uint count; // slices of dst
    uint x_channels, x_slices, h_channels, h_slices, slices;
} args;

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint row = i / args.slices;
    const uint first = i % args.slices * 4u;
    vec4 v = vec4(0.0);
    for (uint lane = 0u; lane < 4u; lane++) {
        const uint c = first + lane;
        if (c < args.x_channels)
            v[lane] = vec4(x[row * args.x_slices + c / 4u])[c % 4u];
        else if (c - args.x_channels < args.h_channels)
            v[lane] = vec4(h[row * args.h_slices + (c - args.x_channels) / 4u])
                [(c - args.x_channels) % 4u];
    }
    dst[i] = STORED(v);
}
