/* Classes of bounds: what a subject declares about its arithmetic, and is held to
 * (conformance/doc/TOLERANCES.md, sections 1 and 13).
 *
 * A subject has a class of floats and one of quantized integers.  That of floats is a storage and
 * the designs that the subject declares, as a set of bits: BOUNDS_FP16 | BOUNDS_WINOGRAD.  A list
 * on the command line names any of them, "winograd,one_step,hybrid". */
#ifndef ASSAY_CONFORMANCE_SUITE_BOUNDS_CLASSES_H
#define ASSAY_CONFORMANCE_SUITE_BOUNDS_CLASSES_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>

enum bounds {
    /* Floats: storage and arithmetic. */
    BOUNDS_FP32 = 0,
    BOUNDS_FP16 = 1,             /* f16 storage, f32 arithmetic */
    BOUNDS_FP16_ARITH = 1 | 2,   /* f16 storage and arithmetic */
    BOUNDS_FP16_RUNS = 1 | 32,   /* f16 storage; products in runs of 32 in f16, their sums in f32 */
    BOUNDS_STORAGE = 1 | 2 | 32, /* all bits of these */
    /* Floats: designs, each a bit. */
    BOUNDS_TOWARD_ZERO = 4,    /* every operation rounds toward zero */
    BOUNDS_WINOGRAD = 8,       /* CONV_2D of 3x3, stride 1, by F(2x2, 3x3) */
    BOUNDS_HYBRID = 16,        /* dynamic range: activations are rounded to 8 bits */
    BOUNDS_EXPONENTIALS = 512, /* TANH and ELU near 0 are differences of exponentials */
    /* Quantized integers, one of them. */
    BOUNDS_EXACT = 64,
    BOUNDS_ONE_STEP = 128,
    BOUNDS_FLOAT_VIEW = 256
};

/* Data are rounded to f16, and results are stored in it. */
static inline bool bounds_half(enum bounds floats)
{
    return (floats & BOUNDS_FP16) != 0;
}

/* Reads a list of names, separated by commas.  The classes that it does not name stay as they are:
 * "winograd" leaves *integers alone, and in *floats the storage.  STATUS_USAGE names what is not
 * known, or what excludes each other; then nothing has changed. */
enum status bounds_parse(const char *list, enum bounds *floats, enum bounds *integers,
                         struct diag *diag);

enum { BOUNDS_TEXT_BYTES = 80 };
/* Writes a class of floats or of integers as bounds_parse reads it: "fp32", "fp16,winograd",
 * "exact".  Returns text. */
const char *bounds_text(enum bounds bounds, char text[BOUNDS_TEXT_BYTES]);

#endif
