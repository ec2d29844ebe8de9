/* What torture runs while calls fail: a model's whole life through the public interfaces. */
#ifndef ASSAY_CONFORMANCE_TESTS_TORTURE_SCENES_H
#define ASSAY_CONFORMANCE_TESTS_TORTURE_SCENES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scene {
    const char *name, *model;  /* DIRECTORY/model.tflite, that models.c writes */
    const char *options[2][2]; /* key and value of the delegate; the first key NULL: no delegate */
    bool resize;               /* at last the inputs get batch 2 */
    bool bind;                 /* the output is bound to a buffer of the device */
    bool not_coherent;         /* memory of the device is not coherent */
    bool list;                 /* before all else the devices are listed */
    bool cold; /* each point has a process of its own, in which what is made once fails, too */
};

/* What of a graph the delegate runs. */
struct split {
    int partitions, nodes;
    uint64_t refused; /* bit i: node i was left to the CPU */
};

enum { SCENE_INFERENCES = 3 };

/* The outcome of a run. */
struct scene_end {
    bool ok;
    bool again_wrong; /* a step failed, and once nothing failed any more it failed again */
    const char *step; /* that failed */
    /* Of each inference: the first, the second, and one after a resize to batch 2. */
    bool inferred[SCENE_INFERENCES];
    uint64_t outputs[SCENE_INFERENCES]; /* hashes */
    struct split splits[SCENE_INFERENCES];
    char messages[4096]; /* of error reporters, or the reason that a function gave */
};

/* By index; NULL past the last. */
const struct scene *scene_at(int i);
/* Reads the model's file, once; false: it cannot be read. */
bool scene_load(const struct scene *s, const char *directory);
/* lost: a failure is one of the device for good, so that no step is tried again. */
void scene_run(const struct scene *s, bool lost, struct scene_end *end);
/* Leaves those nodes to the CPU that another run has left there. */
void scene_run_split(const struct scene *s, const struct split *split, struct scene_end *end);
/* The outputs that a run without a delegate has. */
void scene_run_cpu(const struct scene *s, struct scene_end *end);
/* Empties the directory of serialized files. */
void scene_clean(void);
/* The directory, which the caller makes and removes. */
extern char scene_directory[];

#endif
