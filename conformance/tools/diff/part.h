/* Some nodes of the model, with what the reference computed as their inputs. */
#ifndef ASSAY_CONFORMANCE_TOOLS_DIFF_PART_H
#define ASSAY_CONFORMANCE_TOOLS_DIFF_PART_H

#include "conformance/suite/cases/case.h"
#include "conformance/tools/diff/diff.h"
#include "conformance/util/model_cut.h"
#include "reference/base/diag.h"
#include "reference/format/model.h"

#include <stdbool.h>
#include <stddef.h>

struct part {
    struct model_cut cut;
    struct case_instance instance; /* frame A alone */
};

/* Nodes first to last, folded ones left out, on the activations that the reference holds now.
 * rounded: f32 inputs and constants are rounded to f16, where the subject stores f16, since the
 * bound of an op has no term for rounding them (TOLERANCES.md 1).  STATUS_UNSUPPORTED where the
 * part has more than CASE_INPUTS_MAX inputs. */
enum status part_open(struct diff *d, int first, int last, bool rounded, struct part *part,
                      struct diag *diag);
void part_close(struct part *part);

/* Runs an instance on the subject, and compares. */
enum status part_judge(struct trial_host *host, const struct case_instance *x,
                       struct case_result *result, struct diag *diag);

/* The same, but each output is screened as one of a whole model (TOLERANCES.md 10): for parts whose
 * intermediates are hidden. */
enum status part_screen(struct trial_host *host, const struct screen *screen,
                        const struct case_instance *x, struct case_result *result,
                        struct diag *diag);

/* ---- bisect.c: nodes that fail together ---- */

/* Finds the smallest range of nodes that fails together, where no node fails by itself. */
enum status bisect_run(struct diff *d, struct diag *diag);

/* Judges every node on the activations that the reference holds now; the first one that is out of
 * bounds becomes the culprit. */
enum status nodes_judge(struct diff *d, struct diag *diag);

/* ---- cut.c: writes what fails as files: the model, and beside it its inputs ---- */

/* path: the .tflite file.  Input i becomes <path without .tflite>.input<i>.npy. */
enum status cut_save(const char *path, const struct case_instance *x, struct diag *diag);
/* The name of the file of input i; false when it does not fit. */
bool cut_input_name(const char *path, size_t i, char *name, size_t bytes);

/* ---- round_half.c: inputs and constants as f16 holds them (TOLERANCES.md 1) ---- */

/* Numbers beyond the range become the largest ones, so that both judges see a number. */
void round_half_floats(float *x, size_t count);

/* Rounds the f32 constants of the first subgraph.  Constants of at most 8 bits that floats are
 * computed from, such as weights in dynamic range, get the nearest scale of which f16 holds every
 * multiple: the device stores q * scale.  Both sides read the model that results. */
enum status round_half_constants(struct model *m, struct diag *diag);

/* The nearest scale whose products with integers below 2^bits f16 holds exactly: its fraction has
 * the 11 - bits bits that they leave.  A scale that is not above 0, or infinite, is left. */
float round_half_scale(float scale, int bits);

/* ---- cause.c: from a failure of the whole model to what it comes from ---- */

/* Where the request asks for it and the subject took some node: judges each node, finds the range
 * of nodes that fails together where none fails alone, and minimizes what was found. */
enum status cause_find(struct diff *d, struct diag *diag);

#endif
