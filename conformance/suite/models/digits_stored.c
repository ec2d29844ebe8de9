/* Reads and writes the reference's answers to the digit images. */
#include "conformance/suite/models/digits_stored.h"

#include "conformance/suite/io/array_hdf5.h"
#include "reference/base/builtin.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 64, MODELS_MAX = 16 };

/* What a dataset has to be. */
struct wanted {
    TfLiteType type;
    size_t elements;
};

static enum status takes(const void *user, const struct array *a, struct diag *diag)
{
    const struct wanted *const w = user;

    if (a->type == w->type && a->elements == w->elements)
        return STATUS_OK;
    return diag_fail(diag, STATUS_MISMATCH, "expected %zu elements of %s, found %zu of %s",
                     w->elements, runtime_type_name(w->type), a->elements,
                     runtime_type_name(a->type));
}

static void hash_name(const char *model, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%.48s_sha256", model);
}

enum status digits_stored_read(struct digits_stored *s, const char *path, const char *model,
                               size_t scores, struct diag *diag)
{
    const struct wanted floats = { kTfLiteFloat32, scores };
    const struct wanted hex = { kTfLiteUInt8, SHA256_HEX_BYTES - 1 };
    char name[NAME_BYTES];

    hash_name(model, name);
    TRY(hdf5_read(&s->scores, path, model, -1, &(struct array_check){ takes, &floats }, diag));
    return hdf5_read(&s->sha256, path, name, -1, &(struct array_check){ takes, &hex }, diag);
}

void digits_stored_hash(const struct array *scores, const char *model_sha256,
                        const char *images_sha256, char hex[SHA256_HEX_BYTES])
{
    char all[3 * SHA256_HEX_BYTES], of_scores[SHA256_HEX_BYTES];

    sha256_hex(scores->data, scores->bytes, of_scores);
    snprintf(all, sizeof all, "%.64s %.64s %.64s", model_sha256, images_sha256, of_scores);
    sha256_hex(all, strlen(all), hex);
}

enum status digits_stored_check(const struct digits_stored *s, const char *model_sha256,
                                const char *images_sha256, struct diag *diag)
{
    char hex[SHA256_HEX_BYTES];

    digits_stored_hash(&s->scores, model_sha256, images_sha256, hex);
    if (memcmp(hex, s->sha256.data, sizeof hex - 1) == 0)
        return STATUS_OK;
    return diag_fail(diag, STATUS_MISMATCH,
                     "reference.h5 has answers to other images, of another model, or altered ones: "
                     "SHA-256 %.12s..., expected %.12s...; `assay golden export --models` writes "
                     "it anew",
                     (const char *)s->sha256.data, hex);
}

enum status digits_stored_write(const struct digits_stored *s, const char *const *models,
                                size_t count, const char *path, struct diag *diag)
{
    struct array_item items[2 * MODELS_MAX];
    char names[MODELS_MAX][NAME_BYTES];

    assert(count <= MODELS_MAX);
    for (size_t i = 0; i < count; i++) {
        hash_name(models[i], names[i]);
        items[2 * i] = (struct array_item){ models[i], &s[i].scores };
        items[2 * i + 1] = (struct array_item){ names[i], &s[i].sha256 };
    }
    return hdf5_write(path, items, 2 * count, diag);
}

void digits_stored_close(struct digits_stored *s)
{
    array_close(&s->scores);
    array_close(&s->sha256);
}
