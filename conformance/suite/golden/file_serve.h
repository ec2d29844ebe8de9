/* What the child process that reads a golden file (util/parser.h) is asked, and answers.
 *
 * First comes a status; when it is good, the head and the cases.  Then for each question a status;
 * when it is good, whether the dataset is there (int32_t), and if so the bytes that were asked for.
 */
#ifndef ASSAY_CONFORMANCE_SUITE_GOLDEN_FILE_SERVE_H
#define ASSAY_CONFORMANCE_SUITE_GOLDEN_FILE_SERVE_H

#include "conformance/suite/golden/file_format.h"
#include "conformance/suite/golden/h5.h"

#include <stdbool.h>
#include <stdint.h>

struct golden_question {
    struct h5_array array; /* type, shape and bytes that are expected; no data */
    uint32_t case_index, index;
    enum golden_kind kind;
    bool again, may_lack;
};

/* path: of the file. */
void golden_serve(int socket, void *path);

#endif
