/* Tests of graph rewrites: which ones fire, and that they do not change results.
 *
 * Models here hold small integers everywhere, so that every sum is exact in both precisions: then
 * the delegate with a rewrite, without it, and the reference must agree to the last bit. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_TRANSFORM_KIT_H
#define ASSAY_DELEGATE_TESTS_KIT_TRANSFORM_KIT_H

#include "delegate/tests/kit/gpu_kit.h"

#include "assay_gpu.h"
#include "delegate/transform/transform.h"
#include "tensorflow/lite/c/builtin_op_data.h"

/* ---- building ---- */

struct kit_tensor {
    int index, rank;
    int32_t dims[6];
};

struct kit_tensor kit_tensor(struct builder *b, const char *name, int rank, const int32_t *dims);
#define KIT_DIMS(...)                                                                              \
    (int)(sizeof((int32_t[]){ __VA_ARGS__ }) / sizeof(int32_t)), (const int32_t[])                 \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* A constant of small integers, or all of one value. */
int kit_integers(struct builder *b, int rank, const int32_t *dims, uint64_t seed);
int kit_filled(struct builder *b, int rank, const int32_t *dims, float value);
int kit_ints(struct builder *b, int rank, const int32_t *dims, const int32_t *values);
/* An op of one input and an output of the same shape, without options. */
struct kit_tensor kit_unary(struct builder *b, int32_t code, struct kit_tensor x);
/* ADD, MUL, SUB of x and tensor `other`, of x's shape or smaller. */
struct kit_tensor kit_binary(struct builder *b, int32_t code, struct kit_tensor x, int other,
                             int activation);

struct kit_conv {
    int32_t kernel, stride, dilation, channels, groups; /* 0: 1; channels 0: those of x */
    int activation;
    bool same, depthwise;
};

struct kit_tensor kit_conv_2d(struct builder *b, struct kit_tensor x, struct kit_conv c);

struct kit_transposed {
    int32_t kernel_h, kernel_w, stride_h, stride_w, channels;
    int32_t more_h, more_w; /* rows and columns of the result past those that it has at least */
    int activation;
    bool same;
    int weights; /* a tensor [channels, kernel_h, kernel_w, C]; 0: a new constant */
};

struct kit_tensor kit_transpose_conv(struct builder *b, struct kit_tensor x,
                                     struct kit_transposed c);
/* PAD of an NHWC tensor; pads are before and after of each dim. */
struct kit_tensor kit_pad(struct builder *b, struct kit_tensor x, const int32_t pads[8]);
struct kit_tensor kit_reshape(struct builder *b, struct kit_tensor x, int rank,
                              const int32_t *dims);

/* ---- a case: a model with one input or two of one shape, and what is to happen ---- */

enum { TRANSFORM_OUTPUTS = 64 };

struct transform_case {
    const char *name;
    /* NULL where there is a text.  Adds nodes; the results are the graph's outputs, the rest have
     * index 0.  There is place for TRANSFORM_OUTPUTS. */
    void (*build)(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                  struct kit_tensor out[3]);
    int32_t dims[4];   /* of the inputs; the last ones may be 0: a lower rank */
    int fires;         /* how often the rewrite applies */
    const char *label; /* prefix of a step's label when it applies; NULL: not checked */
    const char *text;  /* the nodes, which read x and z, and outputs that are not implied */
};

void transform_model(const struct transform_case *c, struct model *m);

/* ---- running ---- */

extern bool transform_device; /* the delegate finds a device */
extern char transform_said[512];
void transform_report(const char *text);
TfLiteDelegate *transform_delegate(const char *precision, const char *poison,
                                   const char *no_transform);
void transform_quiet(void *user, const char *format, va_list args);
/* Runs two inferences; the outputs are those of the second one. */
struct interpreter *transform_run(const struct model *m, TfLiteDelegate *d);
/* Outputs are equal; -0 equals +0. */
/* Each allocation of the transforms of a partition fails once: that is an error without a leak. */
void transform_allocations_fail(const struct transform_request *r);

/* Fails unless all f32 outputs of a and b are equal, or differ by `tolerance` at most: that of
 * numbers up to 4, and in proportion above. */
void transform_near(const struct transform_case *c, const char *what, struct interpreter *a,
                    struct interpreter *b, float tolerance);
void transform_equal(const struct transform_case *c, const char *what, struct interpreter *a,
                     struct interpreter *b);

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
