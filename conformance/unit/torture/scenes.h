/* What torture runs while calls fail: a model's whole life through the public interfaces. */
#ifndef ASSAY_CONFORMANCE_UNIT_TORTURE_SCENES_H
#define ASSAY_CONFORMANCE_UNIT_TORTURE_SCENES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scene {
    const char *name, *model;  /* DIRECTORY/model.tflite, that models.c writes */
    const char *options[2][2]; /* key and value of the delegate; the first key NULL: no delegate */
    bool resize;               /* at last the inputs get batch 2 */
    bool bind;                 /* the output is bound to a buffer of the device */
    bool not_coherent;         /* memory of the device is not coherent */
};

/* The outcome of a run. */
struct scene_end {
    bool ok;
    bool again_wrong;    /* a step failed, and once nothing failed any more it failed again, or gave
                            other numbers */
    const char *step;    /* that failed */
    uint64_t outputs[2]; /* hashes of the outputs, at batch 1 and after a resize to 2 */
    float values[2][32]; /* their first values, of outputs of floats */
    char said[4096];     /* to error reporters, or as the reason of a function */
};

/* By index; NULL past the last. */
const struct scene *scene_at(int i);
/* Reads the model's file, once; false: it cannot be read. */
bool scene_load(const struct scene *s, const char *directory);
/* lost: a failure is one of the device for good, so that no step is tried again. */
void scene_run(const struct scene *s, bool lost, struct scene_end *end);
/* The outputs that a run without a delegate has. */
void scene_run_cpu(const struct scene *s, struct scene_end *end);
/* Empties the directory of serialized files. */
void scene_clean(void);
/* The directory, which the caller makes and removes. */
extern char scene_directory[];

#endif
