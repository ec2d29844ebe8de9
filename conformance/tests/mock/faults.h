/* What the mock can do wrong, and how it is done: delegate.c calls these around its own work. */
#ifndef ASSAY_CONFORMANCE_TESTS_MOCK_FAULTS_H
#define ASSAY_CONFORMANCE_TESTS_MOCK_FAULTS_H

#include "assay_gpu.h"
#include "reference/kernels/op.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* X(name, option) */
#define FAULT_LIST(X)                                                                              \
    X(NONE, "none")                                                                                \
    X(HALF, "half")                   /* no fault: results are stored as f16 */                    \
    X(HALF_ENDS, "half_ends")         /* ... but not what the partition keeps inside */            \
    X(NEAREST, "nearest")             /* no fault in float view: bytes nearest to exact results */ \
    X(ULPS, "ulps")                   /* one element in each output is off by `ulps` ULPs; */      \
                                      /* of bytes by steps, in all that follows */                 \
    X(BIAS, "bias")                   /* every element is off by `ulps` ULPs, the same way */      \
    X(SWAP, "swap")                   /* the first two elements change places */                   \
    X(SWAP_CRASH, "swap_crash")       /* ... in three invokes, then it crashes as `crash` does */  \
    X(ACTIVATION, "activation")       /* the fused activation is left out */                       \
    X(OVERRUN, "overrun")             /* one element behind the output is written */               \
    X(UNDERRUN, "underrun")           /* ... in front of it */                                     \
    X(OVERREAD, "overread")           /* what lies behind an input is added to the last element */ \
    X(UNDERREAD, "underread")         /* ... in front of it */                                     \
    X(OVERREAD_MAX, "overread_max")   /* the last element is the larger of it and what lies */     \
                                      /* behind an input */                                        \
    X(STATE, "state")                 /* the last frame's result is left in this one's */          \
    X(SECOND, "second")               /* wrong from the second invoke on */                        \
    X(NOT_A_NUMBER, "nan")            /* one element is NaN */                                     \
    X(UNWRITTEN, "unwritten")         /* the last element is not written */                        \
    X(INPUT, "input")                 /* an input is written to */                                 \
    X(CONSTANT, "constant")           /* a constant is written to */                               \
    X(CRASH, "crash")                 /* in invoke, from the process's invoke `node` on */         \
    X(CRASH_PREPARE, "crash_prepare") /* in Prepare */                                             \
    X(CRASH_DESTROY, "crash_destroy") /* when the delegate is destroyed */                         \
    X(CRASH_CREATE, "crash_create")   /* when the delegate is created */                           \
    X(ABORT, "abort")                 /* in invoke */                                              \
    X(EXIT, "exit")                   /* the library ends the process, with status 0 */            \
    X(HANG, "hang")                   /* invoke does not return, from invoke `node` on */          \
    X(FORK, "fork")                   /* a process is started, and left behind */                  \
    X(LEAK, "leak")                   /* each invoke keeps a MiB until the process ends */         \
    X(ROUNDING, "rounding")           /* the rounding mode of the thread stays upward */           \
    X(INVOKE, "invoke")               /* invoke fails, with a message */                           \
    X(PREPARE, "prepare")             /* Prepare fails, with a message */                          \
    X(DECLINE, "decline")             /* takes no node */                                          \
    X(FIRST, "first")                 /* no fault: takes the first node of each op alone */        \
    X(POISON, "poison")               /* poison reaches the result */                              \
    X(BATCH, "batch")                 /* one unit in the last place with more than one image */    \
    X(SINGLE, "single")               /* wrong with one image */                                   \
    X(HIDDEN, "hidden")               /* one unit where the graph hides intermediates */           \
    X(HIDDEN_FAR, "hidden_far")       /* wrong there */                                            \
    X(MERGED, "merged")               /* no fault: as hidden, and a step is saved */               \
    X(FORGET, "forget")               /* variables are not written */                              \
    X(KEEP, "keep")                   /* variables are kept when the host resets them */           \
    X(TAIL, "tail")             /* the last element of the node that writes `tensor`, where */     \
                                /* it has more than 4 channels, no multiple of 4 */                \
    X(TOGETHER, "together")     /* ... its first one, behind another node of the partition */      \
    X(PLACE, "place")           /* the node of index `node`, in whichever graph, is wrong */       \
    X(NODE_CRASH, "node_crash") /* that node crashes */                                            \
    X(THREE, "three") /* of three ops in f32: CONV_2D has no bias in the last slice, where it */   \
                      /* is not full, MUL no activation, ADD a broadcast operand of its first */   \
                      /* invoke */                                                                 \
    X(SOMETIMES, "sometimes")       /* wrong in the first of each three invokes of the process */  \
    X(RARE, "rare")                 /* wrong in one of a hundred invokes of the process, drawn */  \
    X(LOADED, "loaded")             /* wrong while the process has more than two threads */        \
    X(ADDRESS, "address")           /* wrong where the output lies at no multiple of 16 */         \
    X(RESIZED, "resized")           /* wrong when the sizes of a prepared graph have changed */    \
    X(RUN_40, "run_40")             /* wrong in the 40th invoke of each kernel */                  \
    X(LAST_MADE, "last_made")       /* wrong in all kernels but the one that was made last */      \
    X(TOGETHER_IN_TIME, "in_time")  /* wrong where two threads are in invoke */                    \
    X(ODD_INPUT, "odd_input")       /* wrong when an input is not at a multiple of 16 */           \
    X(ODD_OUTPUT, "odd_output")     /* ... an output */                                            \
    X(ODD_CONSTANT, "odd_constant") /* ... a constant */                                           \
    X(ODD_REFUSED, "odd_refused")   /* no fault: Prepare fails when a constant is not */           \
    X(ODD_CRASH, "odd_crash")       /* crashes when an input is not at a multiple of 16 */         \
    X(PARTITIONS, "partitions")     /* wrong in the second partition of a graph */                 \
    X(LAST_DELEGATE, "last_delegate") /* wrong when another delegate was made later */             \
    X(OTHER_OPTIONS, "other_options") /* wrong when the one made last has precision=fp16 */        \
    X(LAST_OUTPUT, "last_output")     /* wrong in the third invoke, in the last output alone */    \
    X(WARM, "warm") /* wrong when serialization_dir holds what an earlier one left */              \
    X(OTHER_FILES, "other_files") /* later starts with the same files give the first's results */  \
    X(WAIT, "wait")               /* wrong with the option wait */                                 \
    X(BY_NAME, "by_name")         /* takes composites, and computes SOFTMAX instead */             \
    X(NO_DEVICE, "no_device")     /* no delegate is made */

enum fault {
#define X(name, text) FAULT_##name,
    FAULT_LIST(X)
#undef X
        FAULT_COUNT
};

enum { TENSORS_MAX = 256 };

struct mock {
    TfLiteDelegate base;
    enum fault fault;
    int ulps;
    bool poisoned;
    int refused;               /* a node of the graph seen last; -1: none */
    int steps;                 /* of the kernel made last */
    int node;                  /* of the fault `place`; with `interrupt`, an invoke */
    pid_t interrupt;           /* gets SIGTERM at the invoke `node` of this process; 0: nobody */
    int first_node, last_node; /* it takes these; last_node 0: all */
    double slow;               /* of an inference's time, added to it: 0.07 for slow=7 */
    char *grown;               /* memory that is held and touched; freed with the delegate */
    uint64_t memory;           /* of the device, as it says */
    char tensor[64];           /* whose node has the fault; empty: that of all nodes */
    bool warm, waits;          /* its files were there; the option wait was given */
    bool halves;               /* precision=fp16 was */
    long starts;               /* with its files, this one too */
};

struct step {
    const struct ref_op *op;
    int node;
    int32_t version;
    max_align_t params[8];
    TfLiteIntArray *inputs, *outputs;
};

struct kernel {
    struct mock *mock;
    struct step *steps;
    int count;
    TfLiteIntArray *outputs; /* of the partition */
    int inputs_first;        /* a tensor: the first input that is no constant */
    int constant_first;      /* ... the first constant */
    int invokes;
    float last;                /* the first element of the last result */
    float unwritten;           /* the last element of the first output, before */
    bool hides;                /* it has results that are no outputs */
    bool resized;              /* the graph was prepared before, at other sizes */
    bool second;               /* the graph has a kernel already */
    float *first[TENSORS_MAX]; /* of FAULT_THREE: operands in the first invoke */
    void *state[TENSORS_MAX];  /* of variables, after the last invoke */
};

/* Of the process: the kernels and delegates that are alive share it, as they should not. */
extern struct kernel *last_kernel;
extern struct mock *last_mock;
extern bool last_halves; /* whether it has precision=fp16 */

/* Whether there is a fault of this name. */
bool faults_find(const char *name, enum fault *fault);
/* Before the kernel's nodes run; an error ends the invoke. */
TfLiteStatus faults_before(struct kernel *k, TfLiteContext *context);
/* After they ran, as status says. */
void faults_after(struct kernel *k, TfLiteContext *context, TfLiteStatus status);
/* Around one of them.  value: of the first output before it is rounded, where faults_wants_value().
 */
void faults_before_step(const struct kernel *k, struct step *s);
/* The inputs of the step, one of which may become *other. */
void faults_on_inputs(struct kernel *k, const struct step *s, TfLiteTensor **in,
                      const TfLiteTensor *out, TfLiteTensor *other);
bool faults_wants_value(const struct kernel *k, const TfLiteTensor *t);
void faults_after_step(const struct kernel *k, const struct step *s, TfLiteTensor *const *out,
                       const double *value);

#endif
