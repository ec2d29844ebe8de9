/* Graphs for tests of the interpreter and of delegates' hosts: random ones, all of whose tensors
 * are f32 [1, n], with ops that are cheap and whose results show every value that went in. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_GRAPH_KIT_H
#define ASSAY_REFERENCE_TESTS_KIT_GRAPH_KIT_H

#include "reference/base/memory.h"
#include "reference/format/builder.h"
#include "reference/runtime/interpreter.h"
#include "reference/tests/kit/closed.h"
#include "reference/tests/kit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* splitmix64 */
uint64_t kit_random(uint64_t *state);
/* In [0, n). */
int kit_below(uint64_t *state, int n);
/* In [-1, 1). */
float kit_float(uint64_t *state);

/* A tensor f32 [1, n]. */
int kit_vector(struct builder *b, int n);

enum { KIT_TENSORS = 256 };

/* Two inputs, `nodes` nodes; outputs are the last tensor, each of the others with a chance of
 * `outputs` in 8 (so 8: every one), one twice, and an input. */
void kit_random_graph(struct model *m, uint64_t seed, int nodes, int outputs);
/* The same values for the same seed, whatever the shapes are. */
void kit_fill_inputs(struct interpreter *in, uint64_t seed);
/* Fills them, and invokes. */
void kit_invoke(struct interpreter *in, uint64_t seed);
/* s = x + w, y = relu(s), z = y * y over [1, 2], w = { 1, -3 }; tensors x 0, w 1, s 2, y 3, z 4.
 * The outputs are z, y, x and w. */
void kit_simple_graph(struct model *m);
/* f = DEQUANTIZE of an f16 constant, y = x + f; the outputs are y and f. */
void kit_folding_graph(struct model *m);
/* An interpreter for *m; options may be NULL. */
struct interpreter *kit_interpreter(const struct model *m,
                                    const struct interpreter_options *options);
/* An interpreter of this name, by a call; it is closed at the end of the block. */
#define INTERPRETER_BY(in, call) struct interpreter *in CLOSED_BY(kit_interpreter_end) = call
void kit_interpreter_end(struct interpreter **in);
/* Outputs of two interpreters of one model are equal, bit for bit. */
void kit_same_outputs(struct interpreter *a, struct interpreter *b, unsigned long long seed);

#endif
