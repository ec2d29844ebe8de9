/* What a golden file holds: the answers of the real runtime to the cases of the suite.
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
 * golden/sub_byte.h5, written by golden/float64.py, has the cases with sub-byte weights of all ops,
 * where no kernel of the runtime is right for all: its resolver is float64, and the attribute
 * witness of a case says what each path of the runtime computes; options are left out.
 *
 * cases_sha256 is the SHA-256 of a line "name model_sha256 inputs_sha256" for each case of the
 * file, in the order of names, group by group. */
#ifndef ASSAY_CONFORMANCE_SUITE_GOLDEN_FILE_FORMAT_H
#define ASSAY_CONFORMANCE_SUITE_GOLDEN_FILE_FORMAT_H

#include "conformance/suite/cases/case.h"
#include "conformance/suite/golden/h5.h"
#include "conformance/util/sha256.h"

#include <stdbool.h>
#include <stdint.h>

enum { GOLDEN_SCHEMA = 1, GOLDEN_CASES_MAX = 20000, GOLDEN_TEXT_BYTES = 256 };

/* The attributes of one case. */
struct golden_case {
    char name[CASE_NAME_BYTES]; /* op.type.variant */
    int32_t builtin_code, op_version;
    uint64_t seed;
    int32_t set;    /* enum data_set */
    int32_t stored; /* not 0: model and inputs are in the file */
    char model_sha256[SHA256_HEX_BYTES], inputs_sha256[SHA256_HEX_BYTES];
    char skipped[GOLDEN_TEXT_BYTES]; /* empty: it has answers */
    char wrong[GOLDEN_TEXT_BYTES];   /* empty: the answers are right */
};

/* What /meta says. */
struct golden_head {
    uint32_t count; /* of cases */
    char runtime[GOLDEN_TEXT_BYTES], runtime_version[GOLDEN_TEXT_BYTES];
    char resolver[GOLDEN_TEXT_BYTES];
};

enum golden_kind { GOLDEN_MODEL, GOLDEN_INPUT, GOLDEN_OUTPUT, GOLDEN_TENSOR };

/* Writes the path of a case's group: "softmax/f32/rank1" for "softmax.f32.rank1". */
void golden_case_path(const char *name, char path[CASE_NAME_BYTES]);
/* Of names in files: lower case, digits, underscores; a SHA-256. */
bool golden_plain_name(const char *name);
bool golden_is_hex(const char *text);
/* The name of the group, or of the model's dataset. */
const char *golden_kind_name(enum golden_kind kind);

/* ---- file_serve.c ---- */

/* What the child process that reads a golden file (util/parser.h) is asked, and answers.
 *
 * First comes a status; when it is good, the head and the cases.  Then for each question a status;
 * when it is good, whether the dataset is there (int32_t), and if so the bytes that were asked for.
 */

struct golden_question {
    struct h5_array array; /* type, shape and bytes that are expected; no data */
    uint32_t case_index, index;
    enum golden_kind kind;
    bool again, may_lack;
};

/* path: of the file. */
void golden_serve(int socket, void *path);

#endif
