/* A report as plain data, for tests: two subjects on one device, where everything passes. */
#ifndef ASSAY_CONFORMANCE_TESTS_KIT_SAMPLE_RECORD_H
#define ASSAY_CONFORMANCE_TESTS_KIT_SAMPLE_RECORD_H

#include "conformance/report/record/record.h"

#include <stddef.h>

/* Cases relu.f32.c000, relu.f32.c001, ..., in a list of just these; closed by record_close. */
void sample_record_open(struct record *r, size_t case_count);
struct record_result *sample_record_result(struct record *r, size_t subject, size_t test_case);
/* Writes it as JSON to a file. */
void sample_record_write(const struct record *r, const char *path);

#endif
