/* What the ops share that move elements by a fixed map of indices.  Such a map is affine: the dims
 * of the output, or the factors of a dim, each step through the input by a distance of their own.
 */
#ifndef ASSAY_DELEGATE_OPS_MOVE_MOVE_H
#define ASSAY_DELEGATE_OPS_MOVE_MOVE_H

#include "delegate/accept/refusal.h"
#include "delegate/plan/planner.h"

/* Places of the input count elements, as it lies on the device or densely.  All below 2^32, as
 * sums; steps back wrap. */
struct move {
    uint32_t pitch[GRAPH_MAX_RANK]; /* from one index of a dim of the input to the next */
    uint32_t first;                 /* the place that the output begins with */
    int rank;
    struct {
        uint32_t size, step;
    } dims[2 * GRAPH_MAX_RANK]; /* of the output, outermost first; a dim may have several factors */
    bool dense;                 /* rows have no padding */
};

void move_init(struct move *m, int rank, const int32_t *dims, bool dense);
/* Begins at index `begin` of dim `of` of the input. */
void move_begin(struct move *m, int of, int64_t begin);
/* The next dim (factor) of the output, from outside to inside: `size` indices of dim `of`, each
 * `stride` after the one before. */
void move_dim(struct move *m, int64_t size, int of, int64_t stride);
/* The next dim repeats what is inside it. */
void move_repeat(struct move *m, int64_t times);

/* Whether one step can do the move to rows of so many channels. */
bool move_is_one_step(const struct move *m, uint32_t channels);
/* Plans the move from plan tensor src to output i of the node, which is a view where both lie the
 * same way. */
enum status move_plan_output(struct planner *p, const struct graph_node *n, int i, int src,
                             const struct move *m);
/* The same to plan tensor dst, always with a step. */
enum status move_plan_step(struct planner *p, const struct graph_node *n, int dst, int src,
                           const struct move *m);

/* What an op says of output i of a node: its shape, and if m is not NULL the map, with the input
 * dense or as it lies on the device.  False: there is none for these shapes and constants.  All
 * inputs but the one that is moved are constants. */
typedef bool move_map(const struct graph *g, const struct graph_node *n, int i,
                      struct graph_shape *s, struct move *m);

/* Input `data` of the node moves, in any type; it has a rank within [min, max], and all outputs its
 * type. */
bool check_moved(struct check *c, int data, int min_rank, int max_rank);
/* Input i is a constant: i32, or where allowed i64. */
bool check_move_constant(struct check *c, int i, const char *name, bool wide);
/* The same, a vector of `count` elements (-1: any number up to GRAPH_MAX_RANK). */
bool check_move_vector(struct check *c, int i, const char *name, bool wide, int count);
/* The op's map has output 0 .. n - 1; input i (-1: the parameters) is what else could be wrong. */
bool check_move_map(struct check *c, move_map *map, int data, int i, const char *name);

/* gpu_op.fold of an op with one output. */
void move_fold(const struct graph *g, const struct graph_node *n, move_map *map, int data,
               float *values);

#endif
