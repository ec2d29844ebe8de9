/* How an op becomes a node of a random graph (random_graph.h).
 *
 * A suite_member says so with `.random`: how many operands a node has, and a function that adds
 * one. The function gets operands and a few random numbers, the choices, and adds a node with the
 * functions of graph_builder.h, whose attributes come from a small menu: each combination of
 * attributes is another pipeline of a delegate, while sizes vary freely.  Choice 0 stands for the
 * plainest form, so that a failing graph can be made plainer. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_RANDOM_NODE_H
#define ASSAY_CONFORMANCE_SUITE_CASES_RANDOM_NODE_H

#include "conformance/suite/cases/graph_builder.h"
#include "conformance/suite/cases/suite.h"

enum { RANDOM_OPERANDS_MAX = 4, RANDOM_CHOICES = 4, RANDOM_SHARED_MAX = 4 };

/* What a tensor of a random graph holds. */
enum random_kind {
    RANDOM_VALUES, /* activations in the type of the case */
    RANDOM_WIDE,   /* f32 behind a DEQUANTIZE of a quantized case */
    RANDOM_INDICES /* i32, which no other node reads */
};

struct random_operand {
    struct value value;
    enum random_kind kind;
    double peak; /* about the largest magnitude, so that floats stay far below the largest f16 */
};

/* Weights and biases of floats, or weights of integers, that convolutions of one graph share. */
struct random_shared {
    struct shape weights[RANDOM_SHARED_MAX];
    struct graph_conv_constants constants[RANDOM_SHARED_MAX];
    size_t count;
};

/* One node. */
struct random_call {
    const struct suite_member *member;
    struct random_operand in[RANDOM_OPERANDS_MAX];
    size_t count;
    uint32_t choice[RANDOM_CHOICES];
    struct random_shared *shared;
    /* The result.  Before the call it has RANDOM_VALUES and the largest peak of the operands. */
    struct random_operand out;
};

/* Returns choice `which` as one of n. */
uint32_t random_choice(const struct random_call *call, int which, uint32_t n);
/* A number of channels around slices of four. */
int32_t random_channels(const struct random_call *call, int which);
/* None or RELU, RELU6 or RELU_N1_TO_1, which limit the peak of the result. */
int random_activation(struct random_call *call, int which);
/* Whether the operand is an image that has at least one place for the window. */
bool random_window_fits(const struct random_operand *x, const struct graph_window *w);
/* Sets the peak of sums of products, whose weights are scaled such that they keep the size of x. */
void random_set_dot_peak(struct random_call *call);
/* The weights of an earlier convolution of the graph that fit, which also has a bias of floats. */
bool random_find_shared(const struct random_call *call, const struct shape *weights,
                        struct graph_conv_constants *found);
/* Keeps those of this one for later ones, if there is room. */
void random_keep_shared(struct random_call *call, const struct shape *weights,
                        const struct graph_conv_constants *constants);
/* For members of elementwise ops: whether the operands broadcast. */
bool random_can_broadcast(const struct shape *a, const struct shape *b);

#endif
