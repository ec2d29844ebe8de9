// Sums of four products of signed bytes, by SPV_KHR_integer_dot_product where the device has it
// (DOT).
#if DOT
#extension GL_EXT_spirv_intrinsics : require
// clang-format off
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019],
                  id = 4450) // OpSDot of packed 4x8 bits
int signed_dot(uint a, uint b, spirv_literal int format);
// clang-format on
int dot4(uint a, uint b) { return signed_dot(a, b, 0); }
#else
int dot4(uint a, uint b)
{
    const ivec4 v = unpacked(a, true) * unpacked(b, true);
    return v.x + v.y + v.z + v.w;
}
#endif

// Of x with the weights of 4 outputs.
ivec4 dots(uvec4 w, uint x)
{
    return ivec4(dot4(w.x, x), dot4(w.y, x), dot4(w.z, x), dot4(w.w, x));
}

const uint ONES = 0x01010101u;
// 1 in each lane of slice s that has a channel, 0 in the others.
uint ones(uint s, uint channels)
{
    return 4u * s + 4u > channels ? ONES & (1u << 8u * (channels % 4u)) - 1u : ONES;
}
