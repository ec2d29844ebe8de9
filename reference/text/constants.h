/* The values of constants: as numbers, as bytes, and as random numbers of a seed. */
#ifndef ASSAY_REFERENCE_TEXT_CONSTANTS_H
#define ASSAY_REFERENCE_TEXT_CONSTANTS_H

#include "reference/text/scan.h"

#include <stdio.h>

/* Elements are written as numbers; of other types only bytes are written. */
bool constants_has_numbers(int32_t type);
/* Bytes of an element that can be written as a number; 0: of the type only bytes are written, or
 * its elements are no whole bytes. */
size_t constants_element_bytes(int32_t type);
/* The same of all elements; false where only bytes are written of the type, or they are too many.
 */
bool constants_bytes(int32_t type, size_t elements, size_t *bytes);
/* How many elements so many bytes have; 0: only bytes are written of the type. */
size_t constants_elements(int32_t type, size_t bytes);
/* The bits of the last byte that hold no element are 0. */
bool constants_is_padded(int32_t type, const uint8_t *bytes, size_t elements);

/* Reads "1,2.5,nan": one number for each element; the last one repeats. */
enum status constants_read_values(struct scan *t, int32_t type, size_t elements, uint8_t *bytes);
/* One number, of the element at that place. */
enum status constants_read_value(struct scan *t, int32_t type, size_t at, uint8_t *bytes);
/* Reads "7", "7(-0.1,0.1)" or "7(-2..2)", which stand behind =~: a seed, and the range of the
 * numbers; of the last, whole numbers.  Of a seed the numbers are the same on every machine. */
enum status constants_read_seed(struct scan *t, int32_t type, size_t elements, uint8_t *bytes);

/* How many numbers constants_print_values prints: an end of equal elements is one. */
size_t constants_count_values(int32_t type, const uint8_t *bytes, size_t elements);
void constants_print_values(FILE *f, int32_t type, const uint8_t *bytes, size_t elements);
/* The shortest text that is read as x again. */
void constants_print_float(FILE *f, float x);

#endif
