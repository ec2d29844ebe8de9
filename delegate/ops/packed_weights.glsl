// Weights of 8, 4 or 2 bits, as packed_weights.h lays them out.  A chunk is 16 bytes of one
// output's weights.  The shader has the specialization constant BITS.
#ifndef PACKED_WEIGHTS_GLSL
#define PACKED_WEIGHTS_GLSL

const uint WORD_WEIGHTS = 32u / BITS, CHUNK_WEIGHTS = 4u * WORD_WEIGHTS;

// Weight i of a word.  In memory are w + 2^(BITS-1), which is not negative.  Such bits in the
// significand of a float that is a power of two are their number added to it, so that no integer
// need be converted, which GPUs do at a quarter of the rate of additions; both steps are exact.
float weight_at(uint word, uint i)
{
    const uint half_word = WORD_WEIGHTS / 2u, at = BITS * (i % half_word);
    const uint bits = (i < half_word ? word : word >> 16u) & ((1u << BITS) - 1u) << at;
    const float power = uintBitsToFloat(150u - at << 23u); // 2^(23 - at)
    return uintBitsToFloat(bits | floatBitsToUint(power)) - (power + float(1u << BITS - 1u));
}

// 4 weights of a word, from 4 * quarter on.
vec4 weights_of(uint word, uint quarter)
{
    const uint i = 4u * quarter;
    return vec4(weight_at(word, i), weight_at(word, i + 1u), weight_at(word, i + 2u),
                weight_at(word, i + 3u));
}

// A positive finite f16 as f32, exactly, whatever the device does with subnormal numbers: as the
// significand of one, 2^-14 is added and taken away again.
float scale_of(uint half_bits)
{
    const uint bits = half_bits << 13u;
    return half_bits < 0x400u ? uintBitsToFloat(bits + 0x38800000u) - uintBitsToFloat(0x38800000u)
                              : uintBitsToFloat(bits + 0x38000000u);
}

// Those of the 4 outputs of a slice.
vec4 scales_of(uvec2 halves)
{
    return vec4(scale_of(halves.x & 0xffffu), scale_of(halves.x >> 16u),
                scale_of(halves.y & 0xffffu), scale_of(halves.y >> 16u));
}

#endif
