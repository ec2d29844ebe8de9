/* A finding: failures of one cause (cluster.h). */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_FINDING_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_FINDING_H

#include "conformance/report/record/condition.h"
#include "conformance/report/record/severity.h"

#include <stdbool.h>

struct finding {
    size_t subject;
    const char *name;  /* what it is called: "conv_2d f32", or the title, or the reason */
    const char *op;    /* NULL: of a title, or of several ops */
    const char *title; /* NULL: of an op, or of several */
    const char *types; /* "f32 i8", in the order of the run */
    const char *ops;   /* "add conv_2d", of all its cases, in the order of the run */
    size_t op_count;
    bool by_reason; /* its values were not judged: called by its reason */
    enum case_status status;
    const char *what;       /* the reason, numbers as #: "got #, want #" */
    const size_t *results;  /* indices in the record, in order; graphs behind the others */
    size_t count, graphs;   /* graphs: those of graphs that fail as its op does alone (explain.h) */
    size_t smallest;        /* one of these: its case has the smallest first input */
    size_t judged;          /* all that pass or fail of its ops or title */
    enum severity severity; /* of the worst of its cases */
    double exposure;        /* share of the nodes of real models (exposure.h); NaN: not known */
    double margin;          /* the largest of its cases; infinity where a limit is 0 */
    size_t passing;         /* cases of the same op or title that the subject passes */
    /* What all of these have, and no passing case, or few: "channels % 4 != 0".  NULL: nothing
     * distinguishes them. */
    const char *pattern;
    size_t passing_with;             /* passing cases with the pattern */
    struct claim claims[CLAIMS_MAX]; /* the pattern */
    size_t claim_count;
    bool alike;      /* the cases of its op fail in one way, and are one cause for that */
    const char *how; /* how all of them fail (how.h); NULL: in no common way */
};

#endif
