/* Matches detections, best first. */
#include "conformance/suite/judge/swaps.h"

#include "reference/base/memory.h"

#include <math.h>
#include <string.h>

enum { BOXES, CLASSES, SCORES, COUNT, PARTS };
enum { SIDES = 4, ROWS_MAX = 4096 };

/* The detections of one node, on both sides. */
struct detections {
    size_t rows;
    const float *want[PARTS];
    float *got[PARTS];
};

static size_t smaller(double a, double b, size_t most)
{
    const double least = fmin(a, b);

    return !(least > 0) ? 0 : least < (double)most ? (size_t)least : most;
}

/* False where not all of its outputs are f32 outputs of the graph, of the sizes they should have.
 */
static bool find(struct interpreter *in, const TfLiteNode *n, struct outputs *got,
                 struct detections *d)
{
    size_t bytes[PARTS];

    if (n->outputs->size != PARTS)
        return false;
    for (int p = 0; p < PARTS; p++) {
        const TfLiteTensor *const t = interpreter_tensor(in, n->outputs->data[p]);
        const int at = outputs_find(got, n->outputs->data[p]);

        if (at < 0 || t->type != kTfLiteFloat32 || got->items[at].type != kTfLiteFloat32 ||
            got->items[at].bytes != t->bytes)
            return false;
        d->want[p] = t->data.f;
        d->got[p] = got->items[at].data;
        bytes[p] = t->bytes;
    }
    if (bytes[COUNT] != sizeof(float) || bytes[CLASSES] != bytes[SCORES] ||
        bytes[BOXES] != SIDES * bytes[SCORES])
        return false;
    d->rows = smaller(d->want[COUNT][0], d->got[COUNT][0], bytes[SCORES] / sizeof(float));
    return d->rows <= ROWS_MAX;
}

/* Of results of equal rank, so that an order that differs does not count. */
static double largest_difference(const struct detections *d)
{
    double largest = 0;

    for (size_t i = 0; i < d->rows; i++)
        largest = fmax(largest, fabs((double)d->got[SCORES][i] - d->want[SCORES][i]));
    return largest;
}

static double distance(const struct detections *d, size_t got, size_t want)
{
    double largest = 0;

    for (size_t k = 0; k < SIDES; k++)
        largest = fmax(largest, fabs((double)d->got[BOXES][SIDES * got + k] -
                                     d->want[BOXES][SIDES * want + k]));
    return largest;
}

/* The place of detection i among those of the reference that are not taken; rows: none fits. */
static size_t place_of(const struct detections *d, size_t i, double near, const bool *taken)
{
    size_t best = d->rows;

    for (size_t j = 0; j < d->rows; j++) {
        if (taken[j] || d->got[CLASSES][i] != d->want[CLASSES][j] ||
            !(fabs((double)d->got[SCORES][i] - d->want[SCORES][j]) <= near))
            continue;
        if (best == d->rows || distance(d, i, j) < distance(d, i, best))
            best = j;
    }
    return best;
}

/* Sorts one part of the results, whose elements are of n floats. */
static void reorder(float *x, size_t n, const size_t *place, size_t rows, float *buffer)
{
    memcpy(buffer, x, rows * n * sizeof *x);
    for (size_t i = 0; i < rows; i++)
        memcpy(x + place[i] * n, buffer + i * n, n * sizeof *x);
}

static size_t undo(struct detections *d)
{
    const double near = 4 * largest_difference(d);
    size_t *const place = mem_alloc(d->rows + 1, sizeof *place);
    bool *const taken = mem_alloc(d->rows + 1, sizeof *taken);
    float *const buffer = mem_alloc(SIDES * d->rows + 1, sizeof *buffer);
    size_t moved = 0;
    bool all = place && taken && buffer;

    for (size_t i = 0; all && i < d->rows; i++) {
        place[i] = place_of(d, i, near, taken);
        all = place[i] < d->rows;
        taken[all ? place[i] : 0] = true;
        moved += place[i] != i;
    }
    if (all && moved > 0) {
        reorder(d->got[BOXES], SIDES, place, d->rows, buffer);
        reorder(d->got[CLASSES], 1, place, d->rows, buffer);
        reorder(d->got[SCORES], 1, place, d->rows, buffer);
    }
    mem_free(place);
    mem_free(taken);
    mem_free(buffer);
    return all ? moved : 0;
}

size_t swaps_undo(struct interpreter *in, struct outputs *got)
{
    size_t moved = 0;

    for (size_t n = 0; n < interpreter_node_count(in); n++) {
        struct detections d;

        if (strcmp(interpreter_node_name(in, (int)n), "TFLite_Detection_PostProcess") == 0 &&
            find(in, interpreter_node(in, (int)n), got, &d))
            moved += undo(&d);
    }
    return moved;
}
