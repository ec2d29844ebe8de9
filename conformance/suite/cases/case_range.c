/* The ranges of results of quantized nodes. */
#include "conformance/suite/cases/case_range.h"

#include "conformance/suite/cases/suite.h"
#include "conformance/util/random.h"
#include "reference/base/op_facts.h"

#include <math.h>

static struct case_interval product(struct case_interval a, struct case_interval b)
{
    const double p[] = { a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high };

    return (struct case_interval){ fmin(fmin(p[0], p[1]), fmin(p[2], p[3])),
                                   fmax(fmax(p[0], p[1]), fmax(p[2], p[3])) };
}

struct case_interval case_range_sum(struct case_node *n)
{
    const struct case_interval a = case_scale_interval(n->in[0]), b = case_scale_interval(n->in[1]);

    return (struct case_interval){ 0.9 * (a.low + b.low), 0.9 * (a.high + b.high) };
}

struct case_interval case_range_difference(struct case_node *n)
{
    const struct case_interval a = case_scale_interval(n->in[0]), b = case_scale_interval(n->in[1]);

    return (struct case_interval){ 0.9 * (a.low - b.high), 0.9 * (a.high - b.low) };
}

struct case_interval case_range_product(struct case_node *n)
{
    const struct case_interval p =
        product(case_scale_interval(n->in[0]), case_scale_interval(n->in[1]));

    return (struct case_interval){ 0.6 * p.low, 0.6 * p.high };
}

static struct case_interval around(double mean, double sd, double times_sd)
{
    return (struct case_interval){ mean - times_sd * sd, mean + times_sd * sd };
}

static struct case_interval sum_of_products(const struct case_scale *x, const struct case_scale *w)
{
    const double xx = x->sd * x->sd + x->mean * x->mean, ww = w->sd * w->sd + w->mean * w->mean;
    const double both = x->mean * w->mean, bias = x->sd * w->sd * sqrt(w->terms / 3);

    return around(w->terms * both, sqrt(w->terms * (xx * ww - both * both) + bias * bias), 3.2);
}

struct case_interval case_range_dot(struct case_node *n)
{
    return sum_of_products(n->in[n->facts->first], n->in[n->facts->weights]);
}

/* In half of the cases the range begins at the clamp, in the others the clamp lies inside it. */
struct case_interval case_range_relu(struct case_node *n)
{
    struct case_interval y = case_scale_interval(n->in[0]);

    if (random_next(&n->stream) >> 63)
        y.low = 0;
    return y;
}

struct case_interval case_range_relu6(struct case_node *n)
{
    const struct case_interval y = case_scale_interval(n->in[0]);

    return random_next(&n->stream) >> 63 ? (struct case_interval){ 0, 6 } : y;
}

/* A power of two near e^(mean + sd): exp() itself differs between machines. */
struct case_interval case_range_exp(struct case_node *n)
{
    const double exponent = 1.4426950408889634 * (n->in[0]->mean + n->in[0]->sd);

    return (struct case_interval){ 0, ldexp(1, exponent < -10  ? -10
                                               : exponent > 20 ? 20
                                                               : (int)exponent) };
}

struct case_interval case_range_prelu(struct case_node *n)
{
    const struct case_interval x = case_scale_interval(n->in[0]);
    const struct case_interval p =
        product((struct case_interval){ fmin(x.low, 0), 0 }, case_scale_interval(n->in[1]));

    return (struct case_interval){ 0.6 * p.low, fmax(x.high, 0.6 * p.high) };
}

struct case_interval case_range_mean(struct case_node *n)
{
    const struct case_scale *const x = n->in[0];
    const double count = n->out->elements ? (double)x->elements / (double)n->out->elements : 1;
    const struct case_interval all = case_scale_interval(x),
                               y = around(x->mean, x->sd / sqrt(count), 4);

    return (struct case_interval){ fmax(y.low, all.low), fmin(y.high, all.high) };
}

/* QUANTIZE of f32 has no input scale: the range is three standard deviations of the row's data. */
struct case_interval case_range_drawn(struct case_node *n)
{
    const struct op_case *const row = n->m->c->row;
    const double size = row->scale != 0 ? row->scale : 1;

    if (n->in[0] && n->in[0]->known)
        return case_scale_interval(n->in[0]);
    return (struct case_interval){ row->offset - 3 * size, row->offset + 3 * size };
}
