/* Whether subjects of two reports are the same one. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_SUBJECT_KEY_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_SUBJECT_KEY_H

#include "conformance/report/record/record.h"

#include <stdbool.h>

/* Of one kind ("delegate", "litert"...), one library by the name of its file, whatever its folder,
 * and with the same options in any order. */
bool subject_key_equal(const struct record_subject *a, const struct record_subject *b);

#endif
