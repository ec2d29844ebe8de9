/* Golden files, found and read: file_format.h says what they hold.  A process of their own reads
 * them for as long as they are open (util/parser.h). */
#ifndef ASSAY_CONFORMANCE_SUITE_GOLDEN_FILE_H
#define ASSAY_CONFORMANCE_SUITE_GOLDEN_FILE_H

#include "conformance/suite/cases/case.h"
#include "conformance/suite/golden/file_format.h"
#include "conformance/suite/golden/h5.h"
#include "conformance/util/parser.h"
#include "conformance/util/sha256.h"
#include "reference/base/diag.h"
#include "reference/format/model.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct golden_file {
    char *path;
    struct parser parser;      /* the process that reads it, for as long as it is open */
    struct golden_case *cases; /* in the order of cases_sha256 */
    struct golden_head head;
};

/* A dataset of a case. */
struct golden_place {
    const struct golden_case *c; /* of the file's */
    enum golden_kind kind;
    size_t index; /* of the input or output, or in the graph's tensors */
    bool again;   /* of the second invoke */
};

/* Reads /meta and the attributes of all cases.  On failure *g is empty. */
enum status golden_open(struct golden_file *g, const char *path, struct diag *diag);
/* Also takes a file that failed to open. */
void golden_close(struct golden_file *g);

/* Reads a dataset, whose type and shape have to be those of *a, to a->data.  *there false (and
 * STATUS_OK) when the case has no such dataset and there is not NULL. */
enum status golden_read(struct golden_file *g, const struct golden_place *place,
                        const struct h5_array *a, bool *there, struct diag *diag);

/* The *.h5 files of a directory in the order of names; freed with directory_free. */
enum status golden_list_files(const char *directory, char ***paths, size_t *count,
                              struct diag *diag);
/* Finds the goldens when --dir is not given: golden/ in the working directory or above it, else
 * ../golden, ../share/assay/golden or golden beside the program. */
enum status golden_find_directory(char directory[PATH_MAX], struct diag *diag);

/* Computes the SHA-256 of a case's model file, and that of its inputs (frame A) in their order. */
enum status golden_hash(const struct case_instance *instance, char model[SHA256_HEX_BYTES],
                        char inputs[SHA256_HEX_BYTES], struct diag *diag);

#endif
