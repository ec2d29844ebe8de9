/* Catches what the code under test writes to stdout or stderr. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_CAPTURE_H
#define ASSAY_REFERENCE_TESTS_KIT_CAPTURE_H

#include <stdio.h>

struct capture {
    FILE *stream, *file;
    int saved;
    char text[16 * 1024];
};

void capture_begin(struct capture *c, FILE *stream);
/* The text; valid until the next capture_begin. */
const char *capture_end(struct capture *c);

#endif
