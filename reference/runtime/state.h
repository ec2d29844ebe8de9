/* The state of an interpreter, which the files of this room share; nobody else looks inside but the
 * C API (reference/api).
 *
 * Nodes of the model are numbered as in the file; a delegate kernel is one more node behind them.
 * The execution plan is a list of node numbers: 0, 1, 2, ... until a delegate replaces some. */
#ifndef ASSAY_REFERENCE_RUNTIME_STATE_H
#define ASSAY_REFERENCE_RUNTIME_STATE_H

#include "reference/base/arena.h"
#include "reference/base/lookup.h"
#include "reference/format/model.h"
#include "reference/kernels/op.h"
#include "reference/runtime/options.h"
#include "reference/runtime/resources.h"
#include "tensorflow/lite/c/common.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TENSOR_ALIGN = 64,
    /* Tensors that delegates may add: they are allocated from the start, so that TfLiteTensor
     * pointers stay valid as long as the interpreter. */
    TENSOR_SPARE = 4096,
    TENSOR_SPARE_BODY = 64, /* in a body, which has no delegates */
    EXTERNAL_CONTEXTS = 5
};

/* Which delegate function is running: it decides which functions of the context may be called. */
enum phase {
    PHASE_IDLE,
    PHASE_DELEGATE, /* in a delegate's Prepare, and in the init of its kernels */
    PHASE_PREPARE,  /* in a kernel's prepare */
    PHASE_INVOKE    /* in a kernel's invoke */
};

/* State of a tensor that TfLiteTensor does not have. */
struct tensor_info {
    void *block;         /* allocated for it alone (dynamic, variable, folded); NULL: none */
    size_t block_bytes;  /* usable bytes of it */
    size_t charged;      /* bytes of it that count as activations */
    void *custom;        /* memory of the caller; NULL: none */
    size_t custom_bytes; /* usable bytes of it */
    uint64_t changed;    /* value of shape_clock when dims changed last */
    size_t offset;       /* in the activation arena, of the data; meaningful when placed */
    bool placed;
    bool is_input; /* of the graph: its value outlives invoke */
    bool kept;     /* added by a kernel of the user: it stays when delegates are undone */
    /* Of a result of prepare (kTfLitePersistentRo): it follows from constants of the file alone, so
     * that no resize changes it; it is no constant to other nodes. */
    bool fixed, cached;
    TfLiteTensor *dense; /* of a sparse constant that a kernel reads; NULL: not expanded */
};

struct node_kernel;
struct bodies;

struct node {
    TfLiteNode abi;
    TfLiteRegistration registration;
    int index;

    /* A node of the model.  op is NULL in a delegate kernel; special is NULL where the op's scalar
     * kernel runs it. */
    const struct ref_op *op;
    const struct node_kernel *special;
    bool opened;           /* special's open was called: its close is due */
    void *op_params;       /* of the op */
    struct bodies *bodies; /* of IF, WHILE and CALL_ONCE */
    int32_t resource;      /* of VAR_HANDLE: the variable's number */
    int32_t version;
    TfLiteTensor **in, **out; /* as the model says, whatever a delegate does to abi.inputs */
    TfLiteTensor **dense;     /* in, with the dense elements of sparse constants; NULL: none is */
    int in_count, out_count;
    TfLiteTensor **intermediates; /* as many as abi.intermediates has */
    struct ref_carry carry;
    int kernel;         /* node index of the delegate kernel that runs this one; -1: none */
    const char *reason; /* why the reference cannot run it, with the option stand_in; else NULL */
    bool folded;        /* outputs were computed in prepare: nothing to do in invoke */
    bool in_f32;        /* its bf16 tensors are computed in f32 (prepare.c) */
    bool no_options;    /* the file has no option table, and the op has parameters */

    /* Both. */
    bool late;             /* prepared in invoke, when the inputs have their data */
    uint64_t prepared;     /* value of shape_clock at the last prepare */
    uint64_t folded_bytes; /* of its outputs, in those of the root */

    /* A delegate kernel. */
    TfLiteDelegateParams *params;
    int partition;    /* how many kernels come before it in the plan */
    bool initialized; /* init was called and did not fail: free is due; also of special nodes */
};

struct interpreter {
    const struct model *model;
    const struct model_subgraph *graph;
    size_t graph_index;

    /* Bodies: the interpreters of other subgraphs (body.h). */
    struct interpreter *root;    /* of the primary subgraph; itself there */
    struct interpreter *caller;  /* that opened this body; NULL in the primary one */
    struct interpreter **bodies; /* of the root: those of all subgraphs that are called */
    size_t body_count;
    struct lookup body_of; /* the index in bodies, by that of the subgraph */
    enum status (*open_body)(struct interpreter *caller, size_t index, struct interpreter **out,
                             struct diag *diag);
    int height;                 /* of bodies that call each other, this one included */
    bool called;                /* CALL_ONCE has run it */
    uint64_t body_runs;         /* of the root: in this inference */
    struct resources resources; /* of the root */
    /* Of the root, for all subgraphs: against the limits of the same names. */
    uint64_t folded_bytes, activation_bytes;

    struct interpreter_options options;
    unsigned char guard_byte; /* guard zones are filled with it */
    struct arena arena;       /* everything that lives as long as the interpreter */

    TfLiteContext context;
    TfLiteTensor *tensors;
    struct tensor_info *info;
    size_t tensor_count, model_tensors;
    size_t tensor_room; /* of tensors and info: those of the model, and those that may be added */
    int *inputs, *outputs, *variables;
    TfLiteTensor **input_tensors, **output_tensors;
    size_t input_count, output_count, variable_count;

    struct node **nodes;
    size_t node_count, model_nodes, node_room;
    int *plan;
    size_t plan_count;
    struct ref_shape *shapes; /* scratch for one node's outputs */

    bool prepared;    /* the shapes of all tensors are known, or known to be dynamic */
    bool allocated;   /* memory is planned and allocated */
    bool has_dynamic; /* some output of a node in the plan is dynamic */
    int dynamic_tensor;
    uint64_t shape_clock; /* counts changes of shapes */

    void *block; /* the activation arena */
    size_t block_bytes, arena_bytes, arena_bound;
    size_t arena_charged; /* bytes of it that count as activations */

    TfLiteDelegate **delegates; /* applied, in order */
    size_t delegate_count, delegate_room;
    bool undone;    /* delegates are to be applied again before the next use */
    bool immutable; /* a delegate that cannot resize was applied */
    enum phase phase;
    bool keeps_tensors; /* AddTensors is called by a kernel of the user */
    TfLiteDelegate *applying;
    bool replace_failed;
    TfLiteIntArray *plan_view; /* what GetExecutionPlan gave last */
    TfLiteDelegateParams *preview;
    size_t preview_count;
    TfLiteExternalContext *external[EXTERNAL_CONTEXTS];

    bool allow_handles;
    atomic_bool cancelled;

    TfLiteStatus code;     /* what a C API function returns for the last failure */
    bool quote_reports;    /* failures quote what the delegate said last */
    char last_report[512]; /* since report_clear */
};

/* NULL: no tensor has this index. */
static inline TfLiteTensor *state_tensor(struct interpreter *in, int index)
{
    return index >= 0 && (size_t)index < in->tensor_count ? &in->tensors[index] : NULL;
}

#endif
