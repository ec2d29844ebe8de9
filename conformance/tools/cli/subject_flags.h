/* Who runs a model: --subject, --delegate and the flags of TFLite's tools for delegates. */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_SUBJECT_FLAGS_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_SUBJECT_FLAGS_H

#include "conformance/suite/subject/subject.h"
#include "conformance/tools/cli/args.h"
#include "reference/base/diag.h"

struct subject_flags {
    const char *subject;       /* --subject; NULL: not given */
    const char *external_path; /* --external_delegate_path */
    const char *external_options;
    const char *bounds; /* classes; NULL: as the options say */
};

/* Names the subject, ours where nothing is given.  STATUS_USAGE where flags contradict each other.
 */
enum status subject_flags_open(const struct subject_flags *f, const struct args_common *common,
                               struct subject *s, struct diag *diag);

#endif
