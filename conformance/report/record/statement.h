/* A statement: a directory with what backs a claim of conformance, for others to check.
 *
 *     report.json        the report; of several report-1.json, report-2.json ...
 *     waivers.tsv        the known failures that the runs were held against
 *     log-NAME           logs
 *     SHA256SUMS         of every file, as `sha256sum -c` reads it
 *
 * A signature, SHA256SUMS.asc or .sig, may be added. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_STATEMENT_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_STATEMENT_H

#include "conformance/util/notes.h"
#include "conformance/util/string_list.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>

#define STATEMENT_SUMS    "SHA256SUMS"
#define STATEMENT_WAIVERS "waivers.tsv"

struct statement_request {
    const char *dir;
    struct string_list reports, logs; /* paths */
    const char *waivers;              /* path; may be NULL */
};

struct statement_facts {
    size_t files, reports, results;
    bool passed;    /* no report is of a run that failed */
    bool is_signed; /* there is a signature, which is not checked */
};

/* Makes the directory, whole or not at all.  STATUS_IO when it cannot be written; STATUS_USAGE when
 * it exists and is not empty, or when statement_verify would find a problem. */
enum status statement_write(const struct statement_request *request, struct diag *diag);

/* Adds what is wrong to `problems`, which stay empty when all is right: files that are not listed,
 * not there, or have other sums; reports of a part of a run, of different lists of cases, or that
 * are there twice; waived results that no waiver explains.  The directory is not trusted.
 * STATUS_IO when it cannot be read, STATUS_USAGE when it is no statement. */
enum status statement_verify(const char *dir, struct statement_facts *facts, struct notes *problems,
                             struct diag *diag);

#endif
