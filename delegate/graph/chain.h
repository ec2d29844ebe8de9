/* Chains: runs of elementwise nodes of floats, each of which reads the result of the one before,
 * and maybe one more tensor or constant.  Transform `chain` makes one node of the run. */
#ifndef ASSAY_DELEGATE_GRAPH_CHAIN_H
#define ASSAY_DELEGATE_GRAPH_CHAIN_H

#include "delegate/graph/gpu_op.h"
#include "delegate/graph/graph.h"

#include <stdbool.h>
#include <stdint.h>

/* At most: links; inputs; those among them that are computed, of which each has a binding; words of
 * chain_layout. */
enum { CHAIN_MAX = 8, CHAIN_INPUTS = 9, CHAIN_TENSORS = 2, CHAIN_LAYOUT_MAX = 19 };

struct chain_link {
    struct graph_node node; /* as it was; what it has written last is of no meaning */
    int beside;             /* the chain's input beside the result of the link before; -1: none */
    bool beside_first;      /* it is the first operand */
};

struct chain {
    int input_count, count;
    int inputs[CHAIN_INPUTS]; /* tensors, each once; the first one is where the chain begins */
    struct chain_link links[CHAIN_MAX];
};

/* A node that transform `chain` made: its parameters are a struct chain. */
bool chain_is_made(const struct graph_node *n);
/* The node is computed element by element, in floats, which are not rounded to quantization
 * steps (float view). */
bool chain_is_link(const struct graph *g, const struct graph_node *n);
/* The node, for which chain_is_link holds, as a chain. */
struct chain chain_of_node(const struct graph *g, const struct graph_node *n);
/* The inputs that are computed. */
int chain_tensors(const struct graph *g, const struct chain *c);
/* Appends a node that reads the result of the chain as its input i; false: it has too many inputs,
 * or tensors. */
bool chain_append(const struct graph *g, struct chain *c, const struct graph_node *n, int i);

/* Where the chain finds the operands of an element: the dims of the result but the channels, in
 * groups between which some input is broadcast, innermost first. */
struct chain_layout {
    uint32_t groups; /* 0: no input is broadcast but single elements */
    uint32_t size[GRAPH_MAX_RANK];
    uint32_t stride[CHAIN_INPUTS][GRAPH_MAX_RANK]; /* in slices; 0: broadcast */
    bool one_channel[CHAIN_INPUTS];                /* broadcast over the channels */
};

struct chain_layout chain_layout_of(const struct graph *g, const struct chain *c, int result);
/* Words of a layout: the sizes of all groups but the outermost; of each input one more than
 * there are groups. */
int chain_layout_words(const struct chain *c, const struct chain_layout *l);

#endif
