/* What the scalar reference answers to each image, stored in reference.h5 beside the models, since
 * computing it takes minutes: for each model its scores, and a SHA-256 of model, images and scores,
 * without which no score is believed. */
#ifndef ASSAY_CONFORMANCE_SUITE_MODELS_DIGITS_STORED_H
#define ASSAY_CONFORMANCE_SUITE_MODELS_DIGITS_STORED_H

#include "conformance/suite/io/array.h"
#include "conformance/util/sha256.h"
#include "reference/base/diag.h"

#include <stddef.h>

struct digits_stored {
    struct array scores; /* [images, classes] f32; data NULL: there are none */
    struct array sha256; /* u8, in hex */
};

/* Reads those of one model, of as many scores. */
enum status digits_stored_read(struct digits_stored *s, const char *path, const char *model,
                               size_t scores, struct diag *diag);
/* The SHA-256 that belongs to these scores. */
void digits_stored_hash(const struct array *scores, const char *model_sha256,
                        const char *images_sha256, char hex[SHA256_HEX_BYTES]);
/* STATUS_MISMATCH where the scores are not those of the model with these images. */
enum status digits_stored_check(const struct digits_stored *s, const char *model_sha256,
                                const char *images_sha256, struct diag *diag);
/* Writes those of count models. */
enum status digits_stored_write(const struct digits_stored *s, const char *const *models,
                                size_t count, const char *path, struct diag *diag);
void digits_stored_close(struct digits_stored *s);

#endif
