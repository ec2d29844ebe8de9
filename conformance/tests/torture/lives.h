/* Random lives of a model and a delegate, for soak: which ones, the seed says. */
#ifndef ASSAY_CONFORMANCE_TESTS_TORTURE_LIVES_H
#define ASSAY_CONFORMANCE_TESTS_TORTURE_LIVES_H

#include <stdbool.h>
#include <stdint.h>

enum life_kind { LIFE_RIGHT, LIFE_FAILED, LIFE_WRONG };

struct life_end {
    enum life_kind kind;
    char what[128]; /* model and options */
    char messages[2048];
};

/* Reads the models, and runs each alone: its outputs are those that all lives must have. */
bool lives_open(const char *models);
void lives_close(void);
/* From any thread.  directory: of serialized files. */
void life_run(uint64_t seed, const char *directory, struct life_end *end);

#endif
