// Products of a slice of inputs with packed weights [.., inputs, slices of outputs]: a vec4 of 4
// outputs for each input.  The shader has the buffer `weights`.

// The weights of the 4 inputs of a slice, for 4 outputs.
struct Weights {
    vec4 x, y, z, w;
};

// at: those of the first input; pitch: slices of outputs.
Weights weights_at(uint at, uint pitch)
{
    return Weights(vec4(weights[at]), vec4(weights[at + pitch]), vec4(weights[at + 2u * pitch]),
                   vec4(weights[at + 3u * pitch]));
}

vec4 add_products(vec4 sum, vec4 v, Weights w)
{
    sum += v.x * w.x;
    sum += v.y * w.y;
    sum += v.z * w.z;
    sum += v.w * w.w;
    return sum;
}
