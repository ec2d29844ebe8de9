/* Which cases run: those of the filters, of --limit, and of one shard. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_SELECT_H
#define ASSAY_CONFORMANCE_SUITE_CASES_SELECT_H

#include "conformance/suite/cases/case.h"
#include "conformance/util/string_list.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct selection {
    struct string_list filters; /* globs; none: all */
    /* Names of what runs beside the cases, NULL past the end: a filter may match one of these
     * instead of a case.  NULL: there is nothing. */
    const char *(*other_name)(size_t index);
    uint64_t limit;         /* the most cases of an op, or of a gap title; 0: all */
    uint32_t shard, shards; /* shard of 0 ... shards-1; shards 0 or 1: all */
};

/* Whether one of the filters matches the name, or there is none. */
bool select_matches(const char *name, const struct string_list *filters);

/* Keeps what is selected, in order.  STATUS_USAGE when a filter matches nothing at all. */
enum status select_cases(struct test_case *cases, size_t *count, const struct selection *selection,
                         struct diag *diag);

/* Reads "I/N"; "/N" with I from the environment; or "env", both from it, where a test runner or a
 * batch system says which part of the work is ours:
 *     TEST_SHARD_INDEX, TEST_TOTAL_SHARDS                        (Bazel)
 *     SLURM_ARRAY_TASK_ID, SLURM_ARRAY_TASK_COUNT, ..._TASK_MIN  (a Slurm job array)
 *     JOB_COMPLETION_INDEX, JOB_COMPLETIONS                      (an indexed Kubernetes Job; the
 *                                                                second is the manifest's to set)
 * text NULL: all cases; STATUS_USAGE where an index is set, since nobody has asked for a part. */
enum status select_shard(struct selection *selection, const char *text, struct diag *diag);

/* Returns which of n shards a case belongs to.  It depends on the name only, so it is the same on
 * every machine. */
uint32_t select_shard_of(const char *name, uint32_t n);

/* ---- quick.c ---- */

/* A sample of the cases for a first look: pairwise over what a case is.
 *
 * A case has an op, a type, a version, a suite, a title of the gap suite or none, and a kind: what
 * its data or tensors are about.  Whatever two of these occur together in some case of the list
 * occur together in one of the sample, such as each op in each of its types, and each title in each
 * type.  Cases that a delegate may refuse stand for no others.  The seed decides which; the same
 * seed and list give the same sample on every machine. */

/* Keeps the sample, in order. */
enum status quick_select(struct test_case *cases, size_t *count, uint64_t seed, struct diag *diag);

#endif
