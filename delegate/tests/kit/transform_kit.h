/* Tests of graph rewrites: which ones fire, and that they do not change results.
 *
 * Models here hold small integers everywhere, so that every sum is exact in both precisions: then
 * the delegate with a rewrite, without it, and the reference must agree to the last bit. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_TRANSFORM_KIT_H
#define ASSAY_DELEGATE_TESTS_KIT_TRANSFORM_KIT_H

#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/gpu_kit.h"

#include "delegate/transform/transform.h"
#include "tensorflow/lite/c/builtin_op_data.h"

/* ---- a case: a model with one input or two of one shape, and what is to happen ---- */

struct transform_case {
    const char *name;
    int32_t dims[4];   /* of the inputs; the last ones may be 0: a lower rank */
    int fires;         /* how often the rewrite applies */
    const char *label; /* prefix of a step's label when it applies; NULL: not checked */
    const char *text;  /* the nodes, which read x and z, and outputs that are not implied */
};

#define CONV_SAME  "CONV_2D {stride_w=1 stride_h=1} "
#define CONV_VALID "CONV_2D {padding=VALID stride_w=1 stride_h=1} "

void transform_model(const struct transform_case *c, struct model *m);

/* How the last node of a case is planned for a device that need not be here. */
struct transform_look {
    enum device_class device_class;
    const char *no_kernel, *precision; /* NULL: fp32 */
    uint32_t invocations; /* of a workgroup, which the device allows; 0: as many as a large one */
    /* The results: of the last step of a node; static. */
    const char *shader;
    struct plan_step step;
    size_t constant_bytes;
};
struct transform_look transform_planned(const struct transform_case *c, struct transform_look look);

/* ---- running ---- */

extern bool transform_device; /* the delegate finds a device */
extern char transform_said[512];
void transform_report(const char *text);
TfLiteDelegate *transform_delegate(const char *precision, const char *poison,
                                   const char *no_transform);
void transform_quiet(void *user, const char *format, va_list args);
/* Runs two inferences; the outputs are those of the second one. */
struct interpreter *transform_run(const struct model *m, TfLiteDelegate *d);
/* A partition of all nodes, whose outputs are those of the last one. */
struct transform_request transform_request_all(const struct graph *g, const struct gpu_options *o,
                                               const struct device_limits *limits,
                                               int nodes[KIT_TENSORS]);
/* Each allocation of the transforms of a partition fails once: that is an error without a leak. */
void transform_allocations_fail(const struct transform_request *r);

/* Fails unless all f32 outputs of a and b are equal, or differ by `tolerance` at most: that of
 * numbers up to 4, and in proportion above. */
void transform_near(const struct transform_case *c, const char *what, struct interpreter *a,
                    struct interpreter *b, float tolerance);
/* Outputs are equal; -0 equals +0. */
void transform_equal(const struct transform_case *c, const char *what, struct interpreter *a,
                     struct interpreter *b);
/* Runs the case with d, whose results must be near those of the reference.  Returns how many steps
 * of this shader d has. */
int transform_agree(const struct transform_case *c, const char *what, TfLiteDelegate *d,
                    const char *shader, float tolerance);
/* Likewise with a delegate of this precision and poison, without this transform, unless it is NULL.
 */
void transform_result(const struct transform_case *c, const char *precision, const char *poison,
                      const char *no_transform, float tolerance);
/* The cases that fire, in both precisions; skips without a device. */
void transform_results(const struct transform_case *cases, int count, float tolerance,
                       float half_tolerance);

/* ---- without a device ---- */

/* The two tests of a transform's file. */
void transform_all_fire(const struct transform_case *cases, size_t count, enum transform_id id);
void transform_all_check(const struct transform_case *cases, size_t count, enum transform_id id);
void transform_find_device(const char *file);

#define TRANSFORM_TESTS(id, cases)                                                                 \
    TEST(fires)                                                                                    \
    {                                                                                              \
        transform_all_fire(cases, sizeof cases / sizeof cases[0], id);                             \
    }                                                                                              \
    TEST(same_results)                                                                             \
    {                                                                                              \
        transform_all_check(cases, sizeof cases / sizeof cases[0], id);                            \
    }

#endif
