/* Compares one output tensor with its reference. */
#include "conformance/suite/bounds/compare.h"

#include "reference/base/half.h"
#include "reference/base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void compare_where(const int *dims, int rank, size_t i, char *out, size_t bytes)
{
    size_t index[REF_MAX_RANK] = { 0 };
    size_t used = 0;

    if (rank > REF_MAX_RANK)
        rank = 0;
    for (int d = rank - 1; d >= 0; d--) {
        index[d] = i % (size_t)dims[d];
        i /= (size_t)dims[d];
    }
    if (rank == 4) {
        snprintf(out, bytes, "n %zu h %zu w %zu c %zu", index[0], index[1], index[2], index[3]);
        return;
    }
    used += (size_t)snprintf(out, bytes, "[");
    for (int d = 0; d < rank && used < bytes; d++)
        used += (size_t)snprintf(out + used, bytes - used, "%s%zu", d ? ", " : "", index[d]);
    if (used < bytes)
        snprintf(out + used, bytes - used, "]");
}

bool compare_number(TfLiteType type, const void *data, size_t i, double *value)
{
    switch (type) {
    case kTfLiteFloat32: *value = ((const float *)data)[i]; return true;
    case kTfLiteFloat16: *value = half_to_float(((const uint16_t *)data)[i]); return true;
    case kTfLiteInt32: *value = ((const int32_t *)data)[i]; return true;
    case kTfLiteInt64: *value = (double)((const int64_t *)data)[i]; return true;
    case kTfLiteUInt32: *value = ((const uint32_t *)data)[i]; return true;
    case kTfLiteInt16: *value = ((const int16_t *)data)[i]; return true;
    case kTfLiteInt8: *value = ((const int8_t *)data)[i]; return true;
    case kTfLiteUInt8: *value = ((const uint8_t *)data)[i]; return true;
    case kTfLiteBool: *value = ((const uint8_t *)data)[i]; return true;
    default: return false;
    }
}

static struct bound_point point_of(const struct compare_request *q, const struct ref_detail *detail,
                                   size_t i)
{
    return (struct bound_point){
        .value = detail->value[i],
        .magnitude = detail->magnitude[i],
        .terms = detail->terms[i],
        .row = q->rank > 0 ? q->dims[q->rank - 1] : 1,
    };
}

static struct bound_point point(const struct compare_request *q, size_t i)
{
    return point_of(q, q->detail, i);
}

/* Whether a result is a denormal, or 0, as the right one is: a device may flush anywhere. */
static bool both_vanish(enum bounds bounds, double value, double got)
{
    const double least = bound_storage(bounds)->smallest_normal;

    return fabs(value) < least && fabs(got) < least;
}

/* An integer without a scale has one right value, whatever the class (TOLERANCES.md 3.1). */
static bool is_whole(const struct compare_request *q)
{
    return !q->steps && q->type != kTfLiteFloat32 && q->type != kTfLiteFloat16;
}

/* Whether element i depends on a special value, and is what another reading of these gives.
 * Where a NaN matters, a NaN is right, too. */
static bool passes_as_read(const struct compare_request *q, size_t i, double got)
{
    const double value = q->detail->value[i];
    bool depends = false, passes = q->has_nan && isnan(got);

    if (q->has_infinity && isinf(got) && fabs(value) == bound_storage(q->bounds)->largest)
        return signbit(got) == signbit(value);
    for (int k = 0; k < 4 && q->read_as[k]; k++) {
        const struct bound_point p = point_of(q, q->read_as[k], i);
        const double limit = is_whole(q) ? 0 : bound_limit(q->rule, q->bounds, &p);

        depends = depends || p.value != value; /* also where one is NaN */
        passes = passes || both_vanish(q->bounds, p.value, got) ||
                 bound_check(q->bounds, isfinite(limit) ? limit : 0, p.value, got).pass;
    }
    return depends && (passes || (q->rule->any_beside_nan && q->has_nan));
}

static bool is_nan_as_read(const struct compare_request *q, size_t i)
{
    for (int k = 0; k < 4 && q->read_as[k]; k++)
        if (!isnan(q->read_as[k]->value[i]))
            return false;
    return true;
}

/* Sums and products of small integers (S2) are exact in any order: they have one right result.
 * Winograd's transformed weights are quarters. */
static bool is_exact(const struct compare_request *q, const struct bound_point *p)
{
    return q->integers && (q->rule->kind == BOUND_DOT || q->rule->kind == BOUND_ROUNDED) &&
           p->magnitude * (q->tiles ? 4 : 1) < (bounds_half(q->bounds) ? 0x1p11 : 0x1p24) &&
           p->value == rint(p->value);
}

static double ratio(double error, double limit)
{
    if (isnan(error))
        return INFINITY;
    return error == 0 ? 0 : error / limit; /* limit 0: infinite */
}

/* Of elements whose limit is 0 the one with the largest error is the worst. */
static bool is_worse(const struct comparison_worst *worst, double error, double limit)
{
    const double r = ratio(error, limit);

    if (isinf(r) && isinf(worst->ratio))
        return !isnan(worst->error) && (isnan(error) || error > worst->error);
    return r > worst->ratio;
}

static void widen(double *runs, size_t count, size_t i, double r)
{
    double *const run = &runs[i * (count < COMPARE_RUNS ? count : COMPARE_RUNS) / count];

    *run = fmax(*run, r);
}

/* Notes how much of its limit an element uses. */
static void note_ratio(struct comparison *c, size_t i, double r)
{
    c->margin = fmax(c->margin, r);
    if (r > 0) {
        widen(c->by_element, c->elements, i, r);
        widen(c->by_channel, c->channels, i % c->channels, r);
    }
}

static void write_limit(const struct compare_request *q, size_t i, double want, double limit)
{
    if (q->wants)
        q->wants[i] = want;
    if (q->limits)
        q->limits[i] = limit;
}

/* Notes a wrong element; the first one and the worst one are kept. */
static void note_wrong(const struct compare_request *q, struct comparison *c, size_t i, double got,
                       double want, double error, double limit, const char *text)
{
    c->pass = false;
    if (is_worse(&c->worst, error, limit)) {
        c->worst = (struct comparison_worst){ ratio(error, limit), "", got, want, error, limit };
        compare_where(q->dims, q->rank, i, c->worst.where, sizeof c->worst.where);
    }
    if (c->has_element)
        return;
    c->has_element = true;
    c->index = i;
    c->got = got;
    c->want = want;
    c->error = error;
    c->limit = limit;
    compare_where(q->dims, q->rank, i, c->where, sizeof c->where);
    snprintf(c->text, sizeof c->text, "%s", text);
}

double compare_limit(const struct compare_request *request, const struct bound_point *p)
{
    const double limit = bound_limit(request->rule, request->bounds, p);

    return request->weight_units > 0
               ? bound_known(limit +
                             request->weight_units * bound_unit(request->bounds) * p->magnitude)
               : limit;
}

static double element_limit(const struct compare_request *q, const struct bound_point *p, size_t i)
{
    const double limit = compare_limit(q, p);

    if (q->added)
        return bound_known(limit + q->added[i]);
    if (is_exact(q, p))
        return 0;
    if (q->full_mantissas)
        return limit + bound_rounded_operands(q->rule, q->bounds, p);
    return limit + (q->runtime ? bound_runtime_error(q->rule, q->bounds, p) : 0);
}

static void compare_element(const struct compare_request *q, bool cut, struct comparison *c,
                            size_t i, double got, double *bias)
{
    const struct bound_point p = point(q, i);
    const bool special =
        q->special && !isfinite(q->special[i]) && !(q->has_nan && isnan(q->special[i]));
    struct bound_verdict v;
    double limit, middle, size;

    /* The exact result uses nothing of its limit, which takes most of the time of large tensors. */
    if (got == p.value && isfinite(got) && !cut && !special && !q->wants && !q->limits)
        return;
    limit = element_limit(q, &p, i);
    middle = cut && limit > 0 ? bound_toward_zero(p.value) : p.value;
    v = special ? bound_check_special(q->bounds, limit, q->special[i], p.value, got)
                : bound_check(q->bounds, limit, middle, got);
    if (!v.pass && passes_as_read(q, i, got))
        v = (struct bound_verdict){ true, 0 };
    if (v.pass && isnan(got) && q->from_overflow && !is_nan_as_read(q, i))
        v = (struct bound_verdict){ false, NAN };
    size = isnan(v.error) ? INFINITY : v.error;
    c->not_judged += isfinite(p.value) && isinf(limit);

    write_limit(q, i, p.value, limit);
    if (bound_may_overflow(q->rule, q->bounds, &p))
        return;
    c->max_abs = fmax(c->max_abs, size);
    c->max_ulp = fmax(c->max_ulp, size / bound_ulp(q->bounds, p.value));
    note_ratio(c, i, ratio(v.pass ? fmin(v.error, limit) : v.error, limit));
    if (limit > 0 && isfinite(got - p.value) && !special)
        *bias += (got - p.value) / limit;
    if (v.pass)
        return;
    c->wrong++;
    note_wrong(q, c, i, got, p.value, v.error, limit,
               isnan(got)   ? "NaN from finite input"
               : limit == 0 ? "not equal"
               : isinf(got) ? "infinite"
                            : "over the limit");
}

static void compare_whole(const struct compare_request *q, struct comparison *c, size_t i,
                          double got)
{
    const size_t bytes = runtime_type_bits(q->type) / 8;
    const double want = q->detail->value[i];
    const bool equal = q->whole ? memcmp((const char *)q->got + i * bytes,
                                         (const char *)q->whole + i * bytes, bytes) == 0
                                : got == want;
    const double error =
        equal ? 0 : fmax(fabs(got - want), 1); /* of i64 the doubles may be equal */

    write_limit(q, i, want, 0);
    if (equal || (q->special && isnan(q->special[i])) || passes_as_read(q, i, got))
        return;
    c->max_abs = fmax(c->max_abs, error);
    c->max_ulp = c->max_abs;
    note_ratio(c, i, INFINITY);
    c->wrong++;
    note_wrong(q, c, i, got, want, error, 0, "not equal");
}

/* Either integer next to the exact result is right, and, where the reference itself is further off
 * than that, those next to the reference's (TOLERANCES.md 13.5). */
static void compare_one_step(const struct compare_request *q, struct comparison *c, size_t i,
                             double got, double want, double slack)
{
    const double exact = q->detail->value[i], limit = 1 + slack;
    const bool by_reference = fabs(want - exact) > limit && fabs(got - want) < fabs(got - exact);
    const double target = by_reference ? want : exact, error = fabs(got - target);

    c->max_abs = fmax(c->max_abs, error);
    c->max_ulp = c->max_abs;
    note_ratio(c, i, ratio(error, limit));
    if (error <= limit)
        return;
    c->wrong++;
    note_wrong(q, c, i, got, target, error, limit,
               by_reference ? "more than a step from the integer of the reference"
                            : "more than a step from the exact result");
}

/* Compares a quantized element (TOLERANCES.md 5).  The margin shows how much of the float error's
 * limit is used, without the half step of rounding. */
static void compare_step(const struct compare_request *q, struct comparison *c, size_t i,
                         double got, double *bias)
{
    static const double slack = 1e-3; /* of bringing a float to steps */
    const struct compare_steps *const s = q->steps;
    const struct bound_point p = point(q, i);
    double want, error, limit, near;

    compare_number(q->type, s->reference, i, &want);
    c->unequal += got != want;
    if (s->bounds == BOUNDS_EXACT) {
        write_limit(q, i, want, 0);
        error = fabs(got - want);
        c->max_abs = fmax(c->max_abs, error);
        c->max_ulp = c->max_abs;
        note_ratio(c, i, ratio(error, 0));
        *bias += got - want;
        if (got == want)
            return;
        c->wrong++;
        note_wrong(q, c, i, got, want, error, 0, "not the integer of the reference");
        return;
    }
    error = fabs(got - p.value);
    /* Rounded as the reference: it uses nothing of its limit, whatever that is. */
    if (got == want && error <= 0.5 && s->bounds != BOUNDS_ONE_STEP && !q->limits) {
        c->max_abs = fmax(c->max_abs, error);
        c->max_ulp = c->max_abs;
        *bias += got - p.value;
        return;
    }
    limit = slack + bound_steps(q->rule, q->bounds, &p, s->scale, s->zero);
    c->not_judged += isinf(limit) != 0;
    if (s->bounds == BOUNDS_ONE_STEP) {
        write_limit(q, i, p.value, 1 + limit);
        compare_one_step(q, c, i, got, want, limit);
        *bias += got - p.value;
        return;
    }
    write_limit(q, i, p.value, 0.5 + limit);
    c->max_abs = fmax(c->max_abs, error);
    c->max_ulp = c->max_abs;
    c->untied += got != want && fabs(error - 0.5) > limit;
    note_ratio(c, i, ratio(fmax(error - 0.5, 0), limit));
    *bias += got - p.value;
    near = 0.5 + 0.75 + limit; /* half a step of rounding; the reference is up to 0.75 off */
    if (error <= 0.5 + limit && (!s->within_reference || fabs(got - want) <= near))
        return;
    c->wrong++;
    if (error <= 0.5 + limit) {
        widen(c->by_element, c->elements, i, fabs(got - want) / near);
        widen(c->by_channel, c->channels, i % c->channels, fabs(got - want) / near);
        note_wrong(q, c, i, got, want, fabs(got - want), near,
                   "more than a step from the integer of the reference");
    } else {
        note_wrong(q, c, i, got, p.value, error, 0.5 + limit,
                   "not the integer nearest to the exact result");
    }
}

/* Judges the share of integers that differ from the reference's (TOLERANCES.md 5.1).  Of few
 * elements a larger share may differ by chance: four standard deviations and one more. */
static void compare_share(const struct compare_request *q, struct comparison *c)
{
    const double n = (double)c->elements, p = q->steps->max_mismatch_share;
    const double most = p * n + 4 * sqrt(p * (1 - p) * n) + 1;

    if (q->steps->bounds != BOUNDS_FLOAT_VIEW || p >= 1 || (double)c->untied <= most)
        return;
    c->pass = false;
    if (c->has_element)
        return;
    snprintf(c->text, sizeof c->text,
             "every element is within its limit, but %zu of %zu are not the reference's integers",
             c->untied, c->elements);
    c->error = (double)c->untied;
    c->limit = most;
}

/* Compares the sum of each row of SOFTMAX with 1. */
static void compare_rows(const struct compare_request *q, bool cut, struct comparison *c,
                         size_t count)
{
    const enum bounds bounds = (enum bounds)(q->bounds | (cut ? BOUNDS_TOWARD_ZERO : 0));
    const size_t n = q->rank > 0 ? (size_t)q->dims[q->rank - 1] : 1;

    for (size_t i = 0; i + n <= count; i += n) {
        double sum = 0, small = 0, got, limit, error;

        for (size_t j = i; j < i + n; j++) {
            const double r = q->detail->value[j];

            compare_number(q->type, q->got, j, &got);
            sum += got;
            if (r < bound_storage(q->bounds)->smallest_normal)
                small += r;
        }
        /* A row with a NaN or an infinity has no sum. */
        if (!isfinite(q->detail->value[i]))
            continue;
        limit = bound_softmax_sum(bounds, (double)n, small);
        error = fabs(sum - 1);
        c->margin = fmax(c->margin, ratio(error, limit));
        if (!(error <= limit))
            note_wrong(q, c, i, sum, 1, error, limit, "the row does not sum to 1");
    }
}

static int by_operands(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct bound_point));
}

/* Elements of one value, magnitude and number of terms have the same operands, and so one error: m
 * such count as one that weighs m, and all as (sum m)^2 / sum m^2 independent ones. */
static enum status count_independent(const struct compare_request *q, size_t elements,
                                     struct bound_sums *sums, struct diag *diag)
{
    struct bound_point *const points = mem_alloc(elements, sizeof *points);
    struct bound_sums again = { .count = 0 };
    double got, squares = 0;
    size_t count = 0, equal = 0;

    if (!points)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu elements: out of memory", elements);
    for (size_t i = 0; i < elements; i++) {
        points[count] = point(q, i);
        compare_number(q->type, q->got, i, &got);
        count += bound_sums_add(&again, q->rule, q->bounds, &points[count], got);
    }
    qsort(points, count, sizeof *points, by_operands);
    for (size_t i = 0; i < count; i++) {
        equal = i > 0 && by_operands(&points[i - 1], &points[i]) == 0 ? equal + 1 : 1;
        squares += 2 * (double)equal - 1; /* m^2 = 1 + 3 + ... + (2m - 1) */
    }
    sums->independent = (double)count * (double)count / squares;
    mem_free(points);
    return STATUS_OK;
}

/* Judges rms and mean of the errors, which may be wrong where no element is. */
static enum status compare_sums(const struct compare_request *q, struct comparison *c,
                                struct bound_sums *sums, struct diag *diag)
{
    struct bound_sums_verdict v = bound_sums_check(sums);

    if (!v.pass) {
        TRY(count_independent(q, c->elements, sums, diag));
        v = bound_sums_check(sums);
    }
    c->bias = v.mean;
    c->margin = fmax(c->margin, fmax(v.rms / v.rms_limit, ratio(fabs(v.mean), v.mean_limit)));
    if (v.pass)
        return STATUS_OK;
    c->pass = false;
    if (c->has_element)
        return STATUS_OK;
    if (v.rms > v.rms_limit)
        snprintf(c->text, sizeof c->text,
                 "every element is within its limit, but the rms of the errors is %.3g, limit %.3g",
                 v.rms, v.rms_limit);
    else
        snprintf(c->text, sizeof c->text,
                 "every element is within its limit, but the mean of the errors is %.3g, limit "
                 "%.3g (units of u*magnitude)",
                 v.mean, v.mean_limit);
    c->error = v.rms > v.rms_limit ? v.rms : fabs(v.mean);
    c->limit = v.rms > v.rms_limit ? v.rms_limit : v.mean_limit;
    return STATUS_OK;
}

/* What a result lacks on the average where it was stored toward zero. */
static double shift_of(bool cut, double value, double got)
{
    return cut && got != 0 ? value - bound_toward_zero(value) : 0;
}

/* Judges the mean of products whose operands the device rounded to f16 (TOLERANCES.md 3.10): all
 * are positive, so that errors of rounding to nearest cancel, and those of cutting off add up. */
static void compare_mean(const struct compare_request *q, struct comparison *c)
{
    double sum = 0, magnitude = 0, got, limit;

    for (size_t i = 0; i < c->elements; i++) {
        compare_number(q->type, q->got, i, &got);
        sum += got - q->detail->value[i];
        magnitude += q->detail->magnitude[i];
    }
    limit = bound_rounded_mean(q->bounds) * magnitude;
    c->margin = fmax(c->margin, ratio(fabs(sum), limit));
    if (fabs(sum) <= limit || !c->pass)
        return;
    c->pass = false;
    c->error = fabs(sum);
    c->limit = limit;
    snprintf(c->text, sizeof c->text,
             "every element is within its limit, but their errors add up to %.3g, limit %.3g: "
             "operands are cut to f16, not rounded",
             sum, limit);
}

/* Integers that have one right value each, and have it: nothing of them is left to note. */
static bool are_right_integers(const struct compare_request *q, size_t count)
{
    const void *const want = is_whole(q)                                    ? q->whole
                             : q->steps && q->steps->bounds == BOUNDS_EXACT ? q->steps->reference
                                                                            : NULL;
    double value;

    return want && count > 0 && !q->wants && !q->limits &&
           compare_number(q->type, q->got, 0, &value) &&
           memcmp(q->got, want, count * runtime_type_bits(q->type) / 8) == 0;
}

static enum status compare_all(const struct compare_request *request, bool cut,
                               struct comparison *out, struct diag *diag)
{
    struct bound_sums sums = { .count = 0 };
    double got, bias = 0;
    size_t count = 1;

    *out = (struct comparison){ .pass = true };
    for (int d = 0; d < request->rank; d++)
        count *= (size_t)request->dims[d];
    out->elements = count;
    out->channels = request->rank > 0 ? (size_t)request->dims[request->rank - 1] : 1;
    if (are_right_integers(request, count))
        return STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        if (!compare_number(request->type, request->got, i, &got))
            return diag_fail(diag, STATUS_UNSUPPORTED, "outputs of type %s cannot be compared",
                             runtime_type_name(request->type));
        if (request->steps) {
            compare_step(request, out, i, got, &bias);
            continue;
        }
        if (is_whole(request)) {
            compare_whole(request, out, i, got);
            continue;
        }
        compare_element(request, cut, out, i, got, &bias);
        if (!request->added &&
            (request->rule->kind == BOUND_DOT || request->rule->kind == BOUND_AVERAGE)) {
            const struct bound_point p = point(request, i);

            bound_sums_add(&sums, request->rule, request->bounds, &p,
                           got + shift_of(cut, p.value, got));
        }
    }
    out->bias = count > 0 ? bias / (double)count : 0;
    if (request->steps)
        compare_share(request, out);
    else if (request->rule->kind == BOUND_SOFTMAX)
        compare_rows(request, cut, out, count);
    if (request->full_mantissas && request->rule->kind == BOUND_DOT &&
        !(request->bounds & BOUNDS_TOWARD_ZERO))
        compare_mean(request, out);
    else if (sums.count > 0)
        TRY(compare_sums(request, out, &sums, diag));
    return STATUS_OK;
}

/* Whether all results may have been stored in f16 toward zero (TOLERANCES.md 3.9).  Not where the
 * mean shows whether operands were. */
static bool may_be_cut(const struct compare_request *q)
{
    return !q->steps && !is_whole(q) && !q->runtime && !q->full_mantissas &&
           q->rule->kind != BOUND_BITS &&
           (q->bounds & (BOUNDS_FP16_ARITH | BOUNDS_TOWARD_ZERO)) == BOUNDS_FP16;
}

enum status compare_tensor(const struct compare_request *request, struct comparison *out,
                           struct diag *diag)
{
    struct comparison cut;

    TRY(compare_all(request, false, out, diag));
    /* A golden would look as if the reference had the runtime's value. */
    if (out->pass && request->runtime && out->not_judged > 0) {
        out->pass = false;
        snprintf(out->text, sizeof out->text, "%zu of %zu elements have no limit", out->not_judged,
                 out->elements);
    }
    if (!out->pass && may_be_cut(request)) {
        TRY(compare_all(request, true, &cut, diag));
        if (cut.pass)
            *out = cut;
    }
    return STATUS_OK;
}
