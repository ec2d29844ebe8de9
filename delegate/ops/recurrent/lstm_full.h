/* The full LSTM kernel, of LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM: f32, with f32, f16 or i8 weights.
 * Weights are constants.  One dispatch runs all steps where one workgroup has the cells of a row,
 * else each step is a dispatch; two more move the state.  Meaning: reference/kernels/lstm_node.h */
#ifndef ASSAY_DELEGATE_OPS_RECURRENT_LSTM_FULL_H
#define ASSAY_DELEGATE_OPS_RECURRENT_LSTM_FULL_H

#include "delegate/accept/refusal.h"
#include "delegate/plan/planner.h"

enum lstm_full_input {
    LSTM_FULL_X,
    LSTM_FULL_W = 1, /* of gates i, f, c, o; so R and bias */
    LSTM_FULL_R = 5,
    LSTM_FULL_PEEPHOLE = 9, /* of i, f, o */
    LSTM_FULL_BIAS = 12,
    LSTM_FULL_PROJECTION = 16,
    LSTM_FULL_PROJECTION_BIAS,
    LSTM_FULL_H,
    LSTM_FULL_C,
    LSTM_FULL_NORM = 20,
    LSTM_FULL_INPUTS = 24,
    LSTM_FULL_GATES = 4
};

/* What the parameters of both ops have, and the sizes of a node that lstm_full_accept has taken. */
struct lstm_full {
    int activation;
    float cell_clip, proj_clip;
    bool sequence, time_major, diagonal;
};
struct lstm_full_sizes {
    uint32_t batch, steps, depth, cells, outputs;
    bool cifg, peephole, projection;
};
struct lstm_full lstm_full_of(const struct graph_node *n);
struct lstm_full_sizes lstm_full_sizes_of(const struct graph *g, const struct graph_node *n);
/* The input of a gate's peephole weights; -1: it has none. */
int lstm_full_peephole(int gate);

bool lstm_full_accept(struct check *c);
enum status lstm_full_plan(struct planner *p, const struct graph_node *n);

/* What the float and the quantized form plan alike: the arguments of all steps; a dispatch for all
 * of them, or one for each; and the way of the state into a plan tensor and back.  step plans the
 * dispatch of one range of steps. */
struct lstm_full_args;
struct lstm_full_run {
    struct lstm_full_sizes sizes;
    struct lstm_full params;
    const struct packed *constants;
    const char *state_shader;
    enum status (*step)(struct planner *p, const struct graph_node *n,
                        const struct lstm_full_run *run, const struct lstm_full_args *args,
                        int state);
};
enum status lstm_full_plan_run(struct planner *p, const struct graph_node *n,
                               const struct lstm_full_run *run);
/* The dispatch of `shader`: its bindings, grid, and what it specializes but the activation. */
struct plan_step *lstm_full_step(struct planner *p, const struct graph_node *n, const char *shader,
                                 const struct lstm_full_run *run, int state);
bool lstm_full_shape(const struct graph *g, const struct graph_node *n, struct graph_shape *s);

/* Input `input` is a state that the node may read and write once an inference. */
bool lstm_check_state(struct check *c, int input);

#endif
