/* The images of an evaluation, and what became of each. */
#ifndef ASSAY_CONFORMANCE_TOOLS_EVAL_EVAL_IMAGES_H
#define ASSAY_CONFORMANCE_TOOLS_EVAL_EVAL_IMAGES_H

#include "reference/base/arena.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>

enum eval_state {
    EVAL_MISSING,    /* it was not run */
    EVAL_ANSWERED,   /* it counts */
    EVAL_UNREADABLE, /* the image, or its truth */
    EVAL_FAILED,     /* the subject or the reference crashed, hung or failed */
    EVAL_STATES
};
const char *eval_state_name(enum eval_state s);

struct eval_image {
    const char *name; /* of its file */
    const char *path;
    enum eval_state state;
    const char *reason; /* NULL: answered */
    double ms[2];       /* of the inference, by enum eval_side */
};

struct eval_images {
    struct arena arena;
    struct eval_image *items;
    size_t count;
    size_t skipped; /* files of the folder that are no images, by their names */
    const char *first_skipped;
};

/* Lists the .jpg, .jpeg, .png and .bmp files of a folder, sorted by name as bytes.  STATUS_INVALID
 * where there is none. */
enum status eval_images_list(struct eval_images *out, const char *folder, struct diag *diag);
/* Makes room for `count` images without names. */
enum status eval_images_alloc(struct eval_images *out, size_t count, struct diag *diag);
/* Names item i: a file of the folder, which need not be there. */
enum status eval_images_name(struct eval_images *out, size_t i, const char *folder,
                             const char *name, struct diag *diag);
/* Keeps the first `count`. */
void eval_images_keep(struct eval_images *im, size_t count);
void eval_images_settle(struct eval_images *im, size_t i, enum eval_state state,
                        const char *reason);
size_t eval_images_count(const struct eval_images *im, enum eval_state state);
/* Bytes of a file; -1: it is not there. */
long long eval_images_size(const char *path);
/* The SHA-256 of all names and sizes, in order: contents would have to be read twice. */
void eval_images_hash(const struct eval_images *im, char hex[65]);
/* Mean milliseconds of the images that were answered; NaN where none was. */
double eval_images_ms(const struct eval_images *im, int side);
void eval_images_close(struct eval_images *im);

#endif
