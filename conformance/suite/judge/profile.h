/* Error over limit along an output, in few characters, for plots in reports.
 *
 * The elements of an output are cut in at most PROFILE_BINS runs of equal length, or its channels
 * (the last dimension) in at most PROFILE_BINS runs; each run has one character for its largest
 * error / limit: '0' is no error; the 60 levels '1'-'9', 'A'-'Z', 'a'-'y' are thirds of an octave,
 * level k standing for ratios up to 2^((k - 31) / 3), so that level 31, 'V', is the largest that
 * passes; 'z' is everything above, an infinity, or a NaN. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_PROFILE_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_PROFILE_H

#include <stddef.h>

enum { PROFILE_BINS = 32 };

/* Writes the characters of at most PROFILE_BINS ratios, and ends the string. */
void profile_write(const double *ratios, size_t count, char text[PROFILE_BINS + 1]);

/* The character of a ratio. */
char profile_level(double ratio);
/* The largest ratio that a character stands for: 0 of '0', infinity of 'z'; -1 of a character that
 * is no level. */
double profile_ratio(char level);

#endif
