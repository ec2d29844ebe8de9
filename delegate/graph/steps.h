/* The quantization steps that a node rounds its result to in float view: reals are scale times
 * integers from low to high (the zero point is subtracted).  With a scale of 0 it does not round.
 * Shaders include this file, too: the struct is part of their push constants. */
#ifndef ASSAY_DELEGATE_GRAPH_STEPS_H
#define ASSAY_DELEGATE_GRAPH_STEPS_H

struct graph_steps {
    float scale, low, high;
};

#endif
