/* A place in a text, and what is read there: blanks, words, numbers, quoted strings.
 *
 * The text is hostile.  Every function either advances behind what it read, or fails with line and
 * column, both from 1 (columns are bytes), of what was expected. */
#ifndef ASSAY_REFERENCE_TEXT_SCAN_H
#define ASSAY_REFERENCE_TEXT_SCAN_H

#include "reference/base/arena.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scan {
    const char *start, *at; /* a NUL ends the text */
    struct arena *arena;    /* of the words */
    struct diag *diag;
};

/* Fails with "line 1, column 7: " and the message, at a place of the text. */
enum status scan_fail(const struct scan *t, const char *at, enum status s, const char *format, ...)
    PRINTF_LIKE(4, 5);
/* Fails with "expected WHAT, found 'what stands here'". */
enum status scan_expected(const struct scan *t, const char *what);

/* Passes over blanks, a backslash before the end of a line, and a comment: from a # that follows a
 * blank to the end of its line. */
void scan_blanks(struct scan *t);
/* Whether a statement ends here. */
bool scan_is_end(const struct scan *t);
/* Passes over a word or a sign, where it stands here. */
bool scan_take(struct scan *t, const char *word);
/* Letters, digits and _, so many bytes; 0: none. */
size_t scan_word(const struct scan *t);
/* A name: letters, digits and _ . / or any bytes but NUL in double quotes, in which \" \\ and \x0a
 * stand for a byte.  *name is in the arena. */
enum status scan_name(struct scan *t, const char *what, const char **name);
/* Whether a name can be written without quotes. */
bool scan_is_plain(const char *name);

enum status scan_integer(struct scan *t, const char *what, int64_t least, int64_t most,
                         int64_t *value);
/* Also nan, inf and -inf; nan(0x7fc00001) says the bits: then *bits, else 0 is put there. */
enum status scan_real(struct scan *t, const char *what, double *value, uint64_t *bits);
/* Bytes as pairs of hexadecimal digits, maybe none, in the arena. */
enum status scan_bytes(struct scan *t, uint8_t **bytes, size_t *count);

#endif
