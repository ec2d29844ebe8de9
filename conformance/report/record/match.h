/* What of two reports can be compared: which subjects are the same, and when a figure is worse. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_MATCH_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_MATCH_H

#include "conformance/report/record/record.h"

#include <stdbool.h>

/* The subject of the same kind with the same options; of several the one whose library has the same
 * file name, then that of the same label, then that of the same bounds.  A library that was renamed
 * is still found.  SIZE_MAX: there is none. */
size_t record_match_subject(const struct record *r, const struct record_subject *s);

/* Whether both name the same device with the same driver: then results are the same bits. */
bool record_device_is_same(const struct record_device *a, const struct record_device *b);

/* Whether a margin grew by more than compare_limits_default allows: its share, and its floor. */
bool record_margin_grew(double then, double now);

/* Whether both are of one kind ("delegate", "litert"...), one library by the name of its file,
 * whatever its folder, and with the same options in any order. */
bool subject_key_equal(const struct record_subject *a, const struct record_subject *b);

/* Gives each case of r that passes the shorter of its time in r and that in `more`, another run of
 * the same subjects.  STATUS_USAGE, with the reason, when they have other seeds, or no case that
 * passes in both. */
enum status record_take_fastest(struct record *r, const struct record *more, struct diag *diag);

#endif
