/* What the ops share that make nodes of random graphs. */
#include "conformance/suite/cases/random_node.h"

#include <math.h>
#include <string.h>

uint32_t random_choice(const struct random_call *call, int which, uint32_t n)
{
    return call->choice[which] % n;
}

int32_t random_channels(const struct random_call *call, int which)
{
    static const int32_t menu[] = { 4, 5, 3, 8, 1, 7, 2, 9, 6, 17 };

    return menu[random_choice(call, which, sizeof menu / sizeof menu[0])];
}

int random_activation(struct random_call *call, int which)
{
    static const struct {
        int code;
        double largest;
    } menu[] = {
        { ACTIVATION_NONE, INFINITY }, { ACTIVATION_NONE, INFINITY }, { ACTIVATION_RELU, INFINITY },
        { ACTIVATION_RELU6, 6 },       { ACTIVATION_NONE, INFINITY }, { ACTIVATION_NONE, INFINITY },
        { ACTIVATION_RELU_N1, 1 },
    };
    const uint32_t i = random_choice(call, which, sizeof menu / sizeof menu[0]);

    call->out.peak = fmin(call->out.peak, menu[i].largest);
    return menu[i].code;
}

bool random_window_fits(const struct random_operand *x, const struct graph_window *w)
{
    const struct shape *const s = &x->value.shape;

    return s->rank == 4 && (!w->valid || (s->d[1] >= w->h && s->d[2] >= w->w));
}

void random_set_dot_peak(struct random_call *call)
{
    call->out.peak = call->in[0].peak + 4; /* of the bias */
}

bool random_find_shared(const struct random_call *call, const struct shape *weights,
                        struct graph_conv_constants *found)
{
    for (size_t i = 0; i < call->shared->count; i++) {
        const struct shape *const s = &call->shared->weights[i];

        if (memcmp(s->d, weights->d, 4 * sizeof s->d[0]) == 0) {
            *found = call->shared->constants[i];
            return true;
        }
    }
    return false;
}

void random_keep_shared(struct random_call *call, const struct shape *weights,
                        const struct graph_conv_constants *constants)
{
    struct random_shared *const shared = call->shared;

    if (shared->count == RANDOM_SHARED_MAX)
        return;
    shared->weights[shared->count] = *weights;
    shared->constants[shared->count++] = *constants;
}

bool random_can_broadcast(const struct shape *a, const struct shape *b)
{
    for (int i = 1; i <= a->rank && i <= b->rank; i++) {
        const int32_t x = a->d[a->rank - i], y = b->d[b->rank - i];

        if (x != y && x != 1 && y != 1)
            return false;
    }
    return true;
}
