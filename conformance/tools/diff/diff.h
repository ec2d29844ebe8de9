/* A model on a subject and on the scalar reference, with the same inputs. */
#ifndef ASSAY_CONFORMANCE_TOOLS_DIFF_DIFF_H
#define ASSAY_CONFORMANCE_TOOLS_DIFF_DIFF_H

#include "conformance/suite/io/model_use.h"
#include "conformance/suite/io/tensor_io.h"
#include "conformance/suite/judge/figures.h"
#include "conformance/suite/judge/trial.h"
#include "conformance/suite/shrink/shrink_model.h"
#include "conformance/suite/subject/subject.h"
#include "conformance/util/string_list.h"
#include "reference/base/diag.h"
#include "reference/format/file.h"
#include "reference/format/model.h"
#include "reference/runtime/interpreter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The distribution of random inputs.  Both fill the range of 8-bit types, and [-1, 1) in floats.
 * By default floats are Gaussian and 8 bits uniform. */
enum diff_data { DIFF_DATA_BY_TYPE, DIFF_DATA_GAUSSIAN, DIFF_DATA_UNIFORM };

struct diff_request {
    const char *path;          /* of the model */
    struct string_list inputs; /* files of the first inputs; the others are random */
    struct pixel_scale scale;
    enum diff_data data;
    uint64_t seed, runs;
    uint64_t repeats; /* inferences of the subject in each run, for its latency */
    double timeout_s; /* of one run */
    bool per_node;
    uint64_t steps; /* of minimizing what fails; 0: it is not minimized */
    bool quiet;
    const struct interpreter_stand_in *stand_in; /* runs nodes that the reference lacks, or NULL */
    const struct model_use *use; /* what of the model is run, for the report; may be NULL */
};

/* One node, alone, on the activations of the reference. */
struct diff_node {
    int node;
    bool judged; /* false: it was folded, or there is no bound for it, as result.reason says */
    struct case_result result;
};

/* What fails, cut out of the model. */
struct diff_culprit {
    int first, last; /* nodes; -1: none was found */
    bool alone;      /* the node first = last fails by itself, by the bound of its op */
    /* The smallest range that fails in its place in the model, the other nodes being left to the
     * reference; -1: none was found, or the subject has no options for that. */
    int place_first, place_last;
    size_t tried; /* ranges, until the smallest was found */
    struct case_result result;
    struct case_instance instance;
    bool is_shrunk;
    struct shrunk shrunk;
};

struct diff {
    struct diff_request request;
    struct subject *subject; /* borrowed */
    struct file_model file;
    struct model model;
    struct interpreter *reference; /* every tensor keeps its value */
    struct trial_host host;
    struct case_instance instance; /* the model, and the inputs of the last run */
    struct screen screen;

    enum case_status status; /* of the whole: PASS, FAIL, DECLINED, CRASH, TIMEOUT, or MISSING, */
                             /* where a signal came and what was done before passes */
    char reason[480];
    uint64_t runs; /* that were made */
    uint64_t nodes, taken;
    double open_ms;
    double reference_ms, reference_std_ms, subject_ms, subject_std_ms; /* mean, deviation */
    struct figures outputs[OUTPUTS_MAX];
    char output_reason[OUTPUTS_MAX][160]; /* why it fails; empty: it passes */
    /* Where a screen fails: what is left of each output when ops err as far as they may. */
    bool has_conditioning;
    struct figures conditioning[OUTPUTS_MAX];
    size_t swaps; /* detections that were put back into the reference's order, over all runs */
    /* Of a subject that stores f16, and in diff fails: what it cannot hold. */
    struct {
        int node; /* the first; -1: none was found */
        double largest;
        char where[64];
        size_t nodes;
    } beyond_half;
    size_t output_count;
    uint64_t worst_run; /* the one that the nodes are judged on */

    struct diff_node *per_node;
    size_t per_node_count, wrong_nodes;
    struct diff_culprit culprit;
};

/* Reads the model and runs the reference once.  The subject is not loaded here. */
enum status diff_open(struct diff *d, const struct diff_request *request, struct subject *subject,
                      struct diag *diag);
/* Runs both and judges the outputs.  Failures of the subject are part of *d.  A signal that
 * util/interrupt.h notes ends this and what follows. */
enum status diff_run(struct diff *d, struct diag *diag);
/* Last: a model of which nodes were left out does not pass, it is MISSING them. */
void diff_count_left(struct diff *d);
void diff_close(struct diff *d);

/* The verdict that text, JSON and exit code tell: the model or one of its nodes failed, nothing was
 * compared, as no node was taken, or a signal came. */
bool diff_failed(const struct diff *d);
bool diff_node_fails(const struct diff_node *n);
/* "CONV_2D". */
const char *diff_op(const struct diff *d, int node);
/* The name of its first output, or "". */
const char *diff_output(const struct diff *d, int node);

/* ---- for the other files of this room ---- */

/* Writes the inputs of a run into the reference and the instance, and runs the reference. */
enum status diff_reference_run(struct diff *d, uint64_t run, double *ms, struct diag *diag);
/* Makes status and reason those of the whole: of a model that passes those of its first wrong node,
 * or of the signal that came. */
void diff_conclude(struct diff *d);
/* Nodes whose results f16 does not hold, in what the reference computed last. */
void diff_find_beyond_half(struct diff *d);
/* The screen of one output. */
struct screen diff_screen(const struct diff *d, size_t output);
/* Whether the node computes at each inference, not once from constants. */
bool diff_node_runs(const struct diff *d, int node);

#endif
