/* UNIDIRECTIONAL_SEQUENCE_LSTM: x [B,T,D] or [T,B,D] to the h of each step; all else is
 * lstm_full.h.
 */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/recurrent/lstm_full.h"

static bool accept_sequence(struct check *c)
{
    return check_params(c) && lstm_full_accept(c);
}

static bool shape_sequence(const struct graph *g, const struct graph_node *n, int i,
                           struct graph_shape *s)
{
    (void)i;
    return lstm_full_shape(g, n, s);
}

static const struct gpu_op ops[] = {
    { GPU_OP(UNIDIRECTIONAL_SEQUENCE_LSTM, 4), .no_float_view = true, .exact = &exact_sequence_lstm,
      .accept = accept_sequence, .plan = lstm_full_plan, .shape = shape_sequence },
};
const struct gpu_family gpu_sequence_lstm = { ops, sizeof ops / sizeof ops[0] };
