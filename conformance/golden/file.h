/* Golden files: the answers of the real runtime to the cases of the suite.
 *
 * golden/<op>.h5, written by golden/mint.py.  Group /meta: attributes schema, runtime,
 * runtime_version, resolver, cases_sha256.  Group /<op>/<type>/<variant>, one a case: attributes
 * builtin_code, op_version, seed, data_set, options (JSON text), model_sha256, inputs_sha256;
 * datasets outputs/K (the graph's outputs) and tensors/N (results of other nodes, by tensor index,
 * in cases of several nodes), and where the graph has variables again/outputs/K and
 * again/tensors/N, what a second invoke with the same inputs gives; for one case in ten, if they
 * are small, also model and inputs/K.  A case that the runtime does not run has the attribute
 * skipped, the reason, and no outputs; one that it runs with other kernels than those of /meta has
 * the attribute resolver; one whose answer is wrong has the attribute wrong, which says why, and
 * the reference must differ from it.
 *
 * cases_sha256 is the SHA-256 of a line "name model_sha256 inputs_sha256" for each case of the
 * file, in the order of names, group by group. */
#ifndef ASSAY_CONFORMANCE_GOLDEN_FILE_H
#define ASSAY_CONFORMANCE_GOLDEN_FILE_H

#include "conformance/cases/case.h"
#include "conformance/golden/h5.h"
#include "conformance/util/sha256.h"
#include "reference/base/diag.h"
#include "reference/format/model.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { GOLDEN_SCHEMA = 1, GOLDEN_CASES_MAX = 20000, GOLDEN_TEXT_BYTES = 256 };

/* The attributes of one case. */
struct golden_case {
    char name[CASE_NAME_BYTES];
    int32_t builtin_code, op_version;
    uint64_t seed;
    enum data_set set;
    char model_sha256[SHA256_HEX_BYTES], inputs_sha256[SHA256_HEX_BYTES];
    char skipped[GOLDEN_TEXT_BYTES]; /* empty: it has answers */
    char wrong[GOLDEN_TEXT_BYTES];   /* empty: the answers are right */
};

struct golden_file {
    char *path;
    hid_t file;
    struct golden_case *cases; /* in the order of cases_sha256 */
    size_t count;
    char runtime[GOLDEN_TEXT_BYTES], runtime_version[GOLDEN_TEXT_BYTES];
    char resolver[GOLDEN_TEXT_BYTES];
};

/* Reads /meta and the attributes of all cases.  On failure *g is empty. */
enum status golden_open(struct golden_file *g, const char *path, struct diag *diag);
/* Also takes a file that was not opened (all zero, file -1). */
void golden_close(struct golden_file *g);

/* The group of a case; h5_close. */
enum status golden_open_case(const struct golden_file *g, const struct golden_case *c, hid_t *out,
                             struct diag *diag);
/* Reads dataset `index` of a case's group `kind`: "outputs", "tensors", "inputs".  *there false
 * (and STATUS_OK) when the case has no such dataset and there is not NULL. */
enum status golden_read(hid_t group, const char *kind, size_t index, const struct h5_array *a,
                        bool *there, struct diag *diag);

/* The *.h5 files of a directory in the order of names; freed with golden_free_paths. */
enum status golden_list_files(const char *directory, char ***paths, size_t *count,
                              struct diag *diag);
void golden_free_paths(char **paths, size_t count);
/* Finds the goldens when --dir is not given: golden/ in the working directory or above it, else
 * ../golden, ../share/assay/golden or golden beside the program. */
enum status golden_find_directory(char directory[PATH_MAX], struct diag *diag);

/* Writes the path of a case's group: "softmax/f32/rank1" for "softmax.f32.rank1". */
void golden_case_path(const char *name, char path[CASE_NAME_BYTES]);
/* Computes the SHA-256 of a case's model file, and that of its inputs (frame A) in their order. */
enum status golden_hash(const struct case_instance *instance, char model[SHA256_HEX_BYTES],
                        char inputs[SHA256_HEX_BYTES], struct diag *diag);

#endif
