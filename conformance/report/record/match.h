/* What of two reports can be compared: which subjects are the same, and when a figure is worse. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_MATCH_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_MATCH_H

#include "conformance/report/record/record.h"

/* The subject of the same kind with the same options; of several the one whose library has the same
 * file name, then that of the same label, then that of the same bounds.  A library that was renamed
 * is still found.  SIZE_MAX: there is none. */
size_t record_match_subject(const struct record *r, const struct record_subject *s);

/* Whether both name the same device with the same driver: then results are the same bits. */
bool record_device_is_same(const struct record_device *a, const struct record_device *b);

/* Whether a margin grew by more than compare_limits_default allows: its share, and its floor. */
bool record_margin_grew(double then, double now);

#endif
