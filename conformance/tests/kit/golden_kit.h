/* Golden files that tests make from the reference itself, then spoilt one thing at a time. */
#ifndef ASSAY_CONFORMANCE_TESTS_KIT_GOLDEN_KIT_H
#define ASSAY_CONFORMANCE_TESTS_KIT_GOLDEN_KIT_H

#include "conformance/suite/golden/golden.h"
#include "reference/base/diag.h"

#include <stddef.h>

/* The faults of a golden that a test makes. */
enum spoil {
    GOOD,
    ONE_VALUE,       /* an element is off by 1 % */
    ONE_ULP_LOTS,    /* all elements of a sum are off in the same direction */
    NOT_A_NUMBER,    /* an element is NaN */
    OTHER_MODEL,     /* model_sha256 of another model */
    OTHER_INPUTS,    /* inputs_sha256 of others */
    OTHER_VERSION,   /* op_version */
    OTHER_SEED,      /* the seed that the hashes do not go with */
    OTHER_NAME,      /* a case that the suite does not have */
    OTHER_TYPE,      /* outputs as f64 */
    OTHER_SHAPE,     /* outputs as a vector */
    HUGE_SHAPE,      /* outputs with 2^62 elements, none of them stored */
    HUGE_CHUNK,      /* outputs in a chunk of 2^31 bytes */
    FOREIGN,         /* outputs in another file */
    LINKED,          /* outputs is a soft link */
    NO_OUTPUTS,      /* and no reason why */
    NO_AGAIN,        /* a graph with variables, and no answers of a second invoke */
    STATE_LOST,      /* the answers of the second invoke are those of the first */
    SHORTCUT,        /* LOGISTIC as the runtime has it below -9: e^x */
    ONE_HALF,        /* outputs as f16 would hold them */
    STATE_ONCE,      /* those of the first invoke are those of the second */
    NO_TENSORS,      /* the result of a node in between is not there */
    NO_SEED,         /* the attribute is not there */
    TEXT_SEED,       /* it is a string */
    VARIABLE_HASH,   /* a string of variable length */
    BAD_HASH,        /* upper case */
    BAD_SET,         /* no data set */
    BAD_CASES,       /* cases_sha256 of other cases */
    BAD_SCHEMA,      /* of a later program */
    NO_META,         /* no such group */
    BAD_NAME,        /* a case named like no case */
    STORED,          /* good, with model and inputs */
    STORED_OTHER,    /* the stored model is another */
    SKIPPED,         /* a reason instead of outputs */
    WRONG,           /* called wrong, and is */
    WRONG_NOT,       /* called wrong, and is right */
    WRONG_OTHER,     /* called wrong, of a case that has changed */
    FIRST_BYTE,      /* the lowest bit of the first byte of an output */
    LAST_BYTE,       /* ... of the last byte */
    REAL_PART,       /* the first node's largest real part is off, and what follows it, too */
    IMAGINARY_PART,  /* ... imaginary part */
    MOVED,           /* ... each element, by an ULP, and the state that it is */
    WHOLE,           /* of the set of integers, an element is off by an ULP */
    STORED_INPUT,    /* the last of the stored inputs is another */
    LAST_OUTPUT,     /* an element of the last output is off by 1 % */
    ROUNDED_INPUTS,  /* as a device has them that rounds inputs and outputs to f16 */
    FLOAT64,         /* good, of another runtime with the resolver float64 */
    WRONG_NO_TENSORS /* called wrong, and the result of a node in between is not there */
};

/* A directory for goldens, and the one file in it. */
extern char golden_kit_directory[];
extern char golden_kit_path[];

/* Set up and tear down a group of tests: the directory, and all cases (cases_kit.h). */
int golden_kit_open(void **state);
int golden_kit_close(void **state);

/* The file with these bytes. */
void save_golden(const void *bytes, size_t count);
/* The file as the golden of one case. */
void make_golden(const char *name, enum spoil spoil);
enum status check_golden(const char *directory, const char *filter, struct golden_report *report,
                         struct diag *diag);

/* Expects the one case of the filter to pass, with at most this margin. */
void golden_passes(const char *name, double margin);
/* Expects it to fail for a reason that has the word. */
void golden_fails(const char *name, const char *word);
/* Expects the file to be refused, with a message that has its path and the word. */
void golden_is_refused(const char *name, const char *word);

#endif
