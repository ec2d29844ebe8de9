/* UNIDIRECTIONAL_SEQUENCE_LSTM: x [B,T,D] or [T,B,D] to the h of each step; all else is
 * lstm_full.h.
 */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/lstm_full.h"
#include "tensorflow/lite/c/builtin_op_data.h"

static struct lstm_full lstm_of(const struct graph_node *n)
{
    const TfLiteUnidirectionalSequenceLSTMParams *p = n->params;

    return (struct lstm_full){ .activation = (int)p->activation,
                               .cell_clip = p->cell_clip,
                               .proj_clip = p->proj_clip,
                               .sequence = true,
                               .time_major = p->time_major,
                               .diagonal = n->version >= 4 && p->diagonal_recurrent_tensors };
}

static bool accept_sequence(struct check *c)
{
    struct lstm_full l;

    if (!check_params(c))
        return false;
    l = lstm_of(c->node);
    return lstm_full_accept(c, &l);
}

static enum status plan_sequence(struct planner *p, const struct graph_node *n)
{
    const struct lstm_full l = lstm_of(n);

    return lstm_full_plan(p, n, &l);
}

static bool shape_sequence(const struct graph *g, const struct graph_node *n, int i,
                           struct graph_shape *s)
{
    (void)i;
    return lstm_full_shape(g, n, s);
}

static const struct gpu_op ops[] = {
    { .code = BUILTIN_UNIDIRECTIONAL_SEQUENCE_LSTM,
      .max_version = 4,
      .no_float_view = true,
      .accept = accept_sequence,
      .plan = plan_sequence,
      .shape = shape_sequence },
};
const struct gpu_family gpu_sequence_lstm = { ops, sizeof ops / sizeof ops[0] };
