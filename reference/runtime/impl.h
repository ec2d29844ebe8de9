/* The inside of the interpreter: what its files share.
 *
 *   interpreter.c             open, close, looking
 *   interpreter_graph.c       tensors and nodes from the model, checked
 *   interpreter_prepare.c     shapes, folding, allocate, resize
 *   interpreter_plan.c        offsets in the arena from lifetimes (plain data)
 *   interpreter_memory.c      blocks, guard zones, poison
 *   interpreter_invoke.c      runs the execution plan
 *   interpreter_partition.c   which nodes one delegate kernel may stand for
 *   interpreter_context.c     the functions that a delegate sees in its TfLiteContext
 *   interpreter_delegate.c    apply, undo and redo delegates
 *   interpreter_handle.c      buffer handles, memory of the caller
 *
 * Nodes of the model are numbered as in the file; a delegate kernel is one more node behind them.
 * The execution plan is a list of node numbers: 0, 1, 2, ... until a delegate replaces some. */
#ifndef ASSAY_REFERENCE_RUNTIME_IMPL_H
#define ASSAY_REFERENCE_RUNTIME_IMPL_H

#include "reference/base/arena.h"
#include "reference/runtime/interpreter.h"

#include <stdatomic.h>

enum {
    TENSOR_ALIGN = 64,
    /* Tensors that delegates may add: room for them is there from the start, so that TfLiteTensor
     * pointers stay valid as long as the interpreter. */
    TENSOR_SPARE = 4096,
    EXTERNAL_CONTEXTS = 5
};

/* Where the interpreter stands towards delegates: which functions of the context may be called. */
enum phase {
    PHASE_IDLE,
    PHASE_DELEGATE, /* in a delegate's Prepare, and in the init of its kernels */
    PHASE_PREPARE,  /* in a kernel's prepare */
    PHASE_INVOKE    /* in a kernel's invoke */
};

/* A tensor's part that the ABI does not show. */
struct tensor_info {
    void *block;         /* memory of its own (dynamic, variable, folded); NULL: none */
    size_t block_bytes;  /* usable bytes of it */
    void *custom;        /* memory of the caller; NULL: none */
    size_t custom_bytes; /* usable bytes of it */
    uint64_t changed;    /* the shape clock when dims changed last */
    size_t offset;       /* in the activation arena, of the data; meaningful when placed */
    bool placed;
    bool is_input; /* of the graph: its value outlives invoke */
};

struct node {
    TfLiteNode abi;
    TfLiteRegistration registration;
    int index;

    /* A node of the model.  op is NULL in a delegate kernel. */
    const struct ref_op *op;
    int32_t version;
    TfLiteTensor **in, **out; /* as the model says, whatever a delegate does to abi.inputs */
    int in_count, out_count;
    int kernel;  /* node index of the delegate kernel that runs this one; -1: none */
    bool folded; /* outputs are constant: nothing to do in invoke */

    /* Both. */
    bool late;         /* prepared in invoke, when the inputs are there */
    uint64_t prepared; /* the shape clock at the last prepare */

    /* A delegate kernel. */
    TfLiteDelegateParams *params;
    bool initialized; /* init was called and did not fail: free is due */
};

struct interpreter {
    const struct model *model;
    const struct model_subgraph *graph;
    struct interpreter_options options;
    struct arena arena; /* everything that lives as long as the interpreter */

    TfLiteContext context;
    TfLiteTensor *tensors;
    struct tensor_info *info;
    size_t tensor_count, model_tensors;
    int *inputs, *outputs, *variables;
    size_t input_count, output_count, variable_count;

    struct node **nodes;
    size_t node_count, model_nodes, node_room;
    int *plan;
    size_t plan_count;
    struct ref_shape *shapes; /* scratch for one node's outputs */

    bool prepared;    /* the shapes of all tensors are known, or known to be dynamic */
    bool allocated;   /* memory is planned and there */
    bool has_dynamic; /* some output of a node in the plan is dynamic */
    int dynamic_tensor;
    uint64_t shape_clock;

    void *block; /* the activation arena */
    size_t block_bytes, arena_bytes, arena_bound;

    TfLiteDelegate **delegates; /* applied, in order */
    size_t delegate_count, delegate_room;
    bool undone;    /* delegates are to be applied again before the next use */
    bool immutable; /* a delegate that cannot resize was applied */
    enum phase phase;
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

/* ---- interpreter_graph.c ---- */
enum status graph_build(struct interpreter *in, struct diag *diag);

/* ---- interpreter.c ---- */

/* Sends a message to the reporter and remembers it for failures that quote it. */
void interpreter_report(struct interpreter *in, const char *format, ...) PRINTF_LIKE(2, 3);
void interpreter_report_v(struct interpreter *in, const char *format, va_list args);
/* diag_fail, with what was reported since report_clear behind it. */
enum status interpreter_fail_quoting(struct interpreter *in, struct diag *diag, enum status s,
                                     const char *format, ...) PRINTF_LIKE(4, 5);
void report_clear(struct interpreter *in);
/* The name of a node for messages: "CONV_2D", or a delegate kernel's custom name. */
const char *node_name(const struct node *node);

/* NULL: out of memory (or n negative). */
TfLiteIntArray *int_array_new(int n);
TfLiteIntArray *int_array_copy(const int *data, size_t count);

/* ---- interpreter_prepare.c ---- */

/* Bytes of a tensor of this type and shape; false when they do not fit a size_t. */
bool tensor_bytes(TfLiteType type, const int *dims, size_t rank, size_t *bytes);
/* Gives a tensor a new shape, checked; frees the old one.  dims is taken over, also on failure. */
enum status tensor_set_dims(struct interpreter *in, int tensor, TfLiteIntArray *dims,
                            struct diag *diag);
/* What an op sees of a node. */
struct ref_call node_call(struct interpreter *in, struct node *node);
/* Prepares all nodes of the plan. */
enum status prepare_plan(struct interpreter *in, struct diag *diag);
/* Prepares a late node in invoke. */
enum status prepare_late(struct interpreter *in, struct node *node, struct diag *diag);
/* Prepares and allocates, whether or not it was done before.  Delegates are left as they are. */
enum status allocate_now(struct interpreter *in, struct diag *diag);

/* ---- interpreter_plan.c ---- */

/* A tensor of the arena, alive in the steps first..last, both included. */
struct plan_item {
    size_t bytes; /* a multiple of the alignment */
    int first, last;
    size_t offset; /* result */
};
/* Gives every item an offset such that items alive at once do not overlap.  *total is the size of
 * the arena, *bound the largest sum of items alive at one step.  STATUS_NO_MEMORY when a size does
 * not fit, or there is no memory to plan in. */
enum status plan_assign_offsets(struct plan_item *items, size_t count, size_t *total,
                                size_t *bound);

/* ---- interpreter_memory.c ---- */

/* Plans and allocates what the execution plan needs; sets tensor->data. */
enum status memory_allocate(struct interpreter *in, struct diag *diag);
/* Memory of its own for one tensor, of at least tensor->bytes; tensor->data is set.  Kept when it
 * is large enough. */
enum status memory_own(struct interpreter *in, int tensor, struct diag *diag);
void memory_release(struct interpreter *in, int tensor);
/* Fills what invoke has to overwrite. */
void memory_poison(struct interpreter *in);
void memory_poison_tensor(struct interpreter *in, int tensor);
void memory_reset_variable(TfLiteTensor *t);
void memory_close(struct interpreter *in);

/* ---- interpreter_partition.c ---- */

/* A maximal set of nodes that are all taken, or all not, and that can run one after another without
 * a node of another subset in between. */
struct subset {
    bool taken;
    const int *nodes; /* in the order of the plan */
    size_t node_count;
    const int *inputs; /* tensors read and not written here; sorted, each once */
    size_t input_count;
    const int *outputs; /* tensors written here and read elsewhere, or outputs of the graph */
    size_t output_count;
};
/* The subsets in an order in which they can run.  Memory is the arena's. */
enum status partition_plan(const struct interpreter *in, const TfLiteIntArray *taken,
                           struct arena *memory, struct subset **subsets, size_t *count,
                           struct diag *diag);

/* ---- interpreter_context.c ---- */
void context_init(struct interpreter *in);
/* Frees what GetExecutionPlan and PreviewDelegatePartitioning gave. */
void context_drop_views(struct interpreter *in);
/* False, with nothing to free, when out of memory. */
bool delegate_params_fill(TfLiteDelegateParams *p, TfLiteDelegate *delegate,
                          const struct subset *s);
void delegate_params_free(TfLiteDelegateParams *p);

/* ---- interpreter_delegate.c ---- */

/* The node is no longer in the graph: calls the kernel's free. */
void kernel_close(struct interpreter *in, struct node *node);
/* Makes the plan that of the model again. */
void delegates_undo(struct interpreter *in);
/* Undoes and forgets the delegates. */
void delegates_forget(struct interpreter *in);
/* Applies again what was undone. */
enum status delegates_redo(struct interpreter *in, struct diag *diag);
/* Calls a kernel's prepare. */
enum status kernel_prepare(struct interpreter *in, struct node *node, struct diag *diag);
/* Puts kernels in the place of the taken nodes. */
enum status delegates_replace(struct interpreter *in, const TfLiteRegistration *registration,
                              const TfLiteIntArray *nodes, TfLiteDelegate *delegate,
                              struct diag *diag);

/* ---- interpreter_handle.c ---- */

/* The delegate frees the tensor's buffer handle; it has none afterwards. */
void handle_free(struct interpreter *in, TfLiteTensor *t);

#endif
