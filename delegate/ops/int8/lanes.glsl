// Products of two slices of signed bytes, lane by lane; dot.glsl comes before.
ivec4 lane_products(uint x, uint w)
{
#if DOT
    const uvec4 lane = w & uvec4(0xffu, 0xff00u, 0xff0000u, 0xff000000u);
    return ivec4(dot4(x, lane.x), dot4(x, lane.y), dot4(x, lane.z), dot4(x, lane.w));
#else
    return unpacked(x, true) * unpacked(w, true);
#endif
}
