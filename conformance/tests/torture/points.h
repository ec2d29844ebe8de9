/* One point of torture: a scene runs while one call fails, then again while none does.  What is
 * found is a line on standard output, "found COUNT N TEXT", for the process that started this one.
 */
#ifndef ASSAY_CONFORMANCE_TESTS_TORTURE_POINTS_H
#define ASSAY_CONFORMANCE_TESTS_TORTURE_POINTS_H

#include "conformance/tests/torture/faults.h"
#include "conformance/tests/torture/scenes.h"

/* What fails: `stays` repeats, as memory that is full does. */
struct what {
    char name[64]; /* "allocation", "VK_ERROR_DEVICE_LOST", with "_stays" */
    struct fault fault;
};

enum count { POINTS, LEAKS, CRASHES, WRONG, UNCLEAR, COUNTS };

/* What runs of a scene come to in which nothing fails. */
struct right {
    struct scene_end delegate, cpu;
    struct fault_state live; /* of a process that has run the scene, and only that */
};

/* Runs the scene with and without its delegate; false: one of them fails, and its messages say why.
 * For a cold scene nothing may have been run before. */
bool point_measure(const struct scene *scene, struct right *right);
/* Tries the n-th call.  Returns whether something failed: past the last call nothing does. */
bool point_try(const struct scene *scene, const struct what *w, long n, const struct right *right);

#endif
