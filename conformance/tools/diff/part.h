/* Some nodes of the model, with what the reference computed as their inputs. */
#ifndef ASSAY_CONFORMANCE_TOOLS_DIFF_PART_H
#define ASSAY_CONFORMANCE_TOOLS_DIFF_PART_H

#include "conformance/tools/diff/diff.h"
#include "conformance/util/model_cut.h"

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

/* Runs the reference on an instance of few nodes and compares outputs of a subject with it, each
 * with the bound of its op. */
enum status part_compare(const struct case_instance *x, const struct subject *subject,
                         const struct outputs *got, struct case_result *result, struct diag *diag);

/* Runs an instance on the subject, and compares. */
enum status part_judge(struct trial_host *host, const struct case_instance *x,
                       struct case_result *result, struct diag *diag);

/* The same, but each output is screened as one of a whole model (TOLERANCES.md 10): for parts whose
 * intermediates are hidden. */
enum status part_screen(struct trial_host *host, const struct screen *screen,
                        const struct case_instance *x, struct case_result *result,
                        struct diag *diag);

#endif
