#include "conformance/suite/judge/time_left.h"

/* As many results as the mean of all ops weighs beside those of the op itself. */
static const double prior = 2;

static size_t place(int32_t op)
{
    return (uint32_t)op % TIME_LEFT_OPS;
}

void time_left_add(struct time_left *t, int32_t op)
{
    t->ops[place(op)].left++;
    t->all.left++;
}

void time_left_done(struct time_left *t, int32_t op, double seconds)
{
    time_left_drop(t, op);
    t->ops[place(op)].done++;
    t->ops[place(op)].seconds += seconds;
    t->all.done++;
    t->all.seconds += seconds;
}

void time_left_drop(struct time_left *t, int32_t op)
{
    t->ops[place(op)].left -= t->ops[place(op)].left > 0;
    t->all.left -= t->all.left > 0;
}

double time_left_seconds(const struct time_left *t, size_t workers)
{
    const double mean = t->all.done > 0 ? t->all.seconds / (double)t->all.done : 0;
    double seconds = 0;

    if (t->all.done == 0)
        return -1;
    if (workers > t->all.left)
        workers = t->all.left;
    for (size_t i = 0; i < TIME_LEFT_OPS; i++)
        seconds += (double)t->ops[i].left * (t->ops[i].seconds + prior * mean) /
                   ((double)t->ops[i].done + prior);
    return workers > 0 ? seconds / (double)workers : 0;
}
