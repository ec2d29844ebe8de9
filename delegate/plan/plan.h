/* A plan: the dispatches, tensors and memory of one partition, as plain data without a Vulkan
 * handle.
 *
 * Tensors are stored in one arena as rows of channels: the last dimension is the channels, padded
 * to slices of 4; all other dimensions are rows.  An element has 4 bytes (fp32) or 2 (fp16), or is
 * an integer of 1, 2 or 4 bytes.  A view shares the memory of another tensor.  Steps run in order;
 * each is one dispatch. */
#ifndef ASSAY_DELEGATE_PLAN_PLAN_H
#define ASSAY_DELEGATE_PLAN_PLAN_H

#include "delegate/base/device_limits.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/options.h"
#include "delegate/graph/reasons.h"
#include "delegate/graph/transforms.h"
#include "reference/base/arena.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLAN_STATES = 64, PLAN_BINDINGS = 5, PLAN_SPEC_MAX = 16, PLAN_PUSH_BYTES = 128 };
enum {
    PLAN_ALIGN = 256, /* of offsets: the largest minStorageBufferOffsetAlignment of Vulkan */
    PLAN_GUARD_BYTES =
        64 /* behind each tensor, with option poison: executor_finish looks at them */
};

enum plan_format {
    FORMAT_STORED, /* f32, or f16 with precision=fp16 */
    FORMAT_WIDE,   /* f32 */
    FORMAT_BYTES,  /* i8, u8, bool: a slice is one word, the first channel in its low byte */
    FORMAT_SHORTS, /* i16: a slice is two words */
    FORMAT_WORDS   /* i32: a slice is four words */
};

enum plan_location {
    LOCATION_NONE,
    LOCATION_ARENA,     /* a plan tensor */
    LOCATION_CONSTANTS, /* packed weights */
    LOCATION_INPUT,     /* the backing of an input (enum plan_backing) */
    LOCATION_OUTPUT     /* the backing of an output */
};

struct plan_tensor {
    int graph_tensor;                /* index in the graph; -1: a temporary */
    uint32_t rows, channels, slices; /* slices = ceil(channels / 4) */
    enum plan_format format;
    size_t bytes;              /* rows * slices * 4 elements */
    int view_of;               /* plan tensor whose memory it shares; itself: it owns its memory */
    int root;                  /* of views of views; plan_owner goes on from here */
    bool in_place;             /* view_of is an input that the step reads for the last time */
    int first_step, last_step; /* lifetime; of an owner, with that of its views */
    size_t offset;             /* in the arena; of an owner */
    /* The memory of an owner: LOCATION_ARENA, or the backing of input or output `io`. */
    enum plan_location location;
    int io;
};

struct plan_binding {
    enum plan_location location;
    int index;     /* in the tensors, inputs or outputs of the plan, by location */
    size_t offset; /* in the location; filled from the tensor for LOCATION_ARENA */
    size_t bytes;
    bool writes;
    bool elementwise; /* an invocation reads only the elements that it writes to binding 0 */
};

/* With which backing of its input or output a step runs. */
enum plan_use {
    USE_ALWAYS,
    USE_STAGED, /* with staging memory */
    USE_BOUND   /* with memory of the caller, whose elements have another format */
};

struct plan_step {
    const char *shader; /* static: "conv_2d" */
    const char *label;  /* "CONV_2D node 3 'features/conv'", for profiles */
    const char *source; /* static: where it was planned, "delegate/ops/product/conv_2d.c:91" */
    int node;           /* host node index; -1: not of a node (input, output) */
    uint32_t spec[PLAN_SPEC_MAX]; /* specialization constants by id; 0..2 workgroup size */
    uint32_t spec_count;
    uint32_t thawable, thawed; /* bits of specialization constants: may be, are push constants */
    uint32_t thawed_at;        /* where in push, in the order of their ids (shaders/thaw.h) */
    uint8_t push[PLAN_PUSH_BYTES];
    uint32_t push_bytes;
    uint32_t shared_bytes; /* of a workgroup */
    struct plan_binding bindings[PLAN_BINDINGS];
    uint32_t groups[3];
    bool packed_dot; /* the shader has a variant with the integer dot product, NAME.dot */
    bool tuned;      /* the workgroup size was measured */
    enum plan_use use;
    int group;      /* if plan.groups: steps of one group do not depend on each other */
    bool freezable; /* the kernel was measured to be faster, and as right, when it is frozen */
    bool frozen;    /* the push constants are known when the pipeline is made (shaders/freeze.h) */
    bool first;     /* of the frozen ones with the same pipeline */
    bool prefetch;  /* one workgroup runs ahead of the plan, for the sake of its code (frozen.h) */
    size_t first_bytes; /* of binding 0, in which the first workgroup writes; 0: not known */
    bool idle; /* not run: the input or output already is where the step would copy it, or `use` */
    /* If the workgroup size is free (workgroups.h): items is the number of invocations, or of
     * columns of tiles, runs the number of runs of tiles; else items is 0. */
    uint64_t items, runs;
    uint32_t invocation_bytes; /* shared memory of an invocation */
    double macs;               /* multiply-adds, for profiles */
};

/* Memory behind a partition input or output. */
enum plan_backing {
    BACKING_STAGING, /* ours, dense */
    BACKING_DENSE,   /* the caller's, dense */
    BACKING_SLICES,  /* the caller's, in the layout of the plan tensor: no step copies */
    BACKING_HOST     /* the host's, dense, which the device reaches as it does staging memory */
};

/* Elements of a dense input or output.  Longs are words on the device, for ops that need no more of
 * them: what lies outside of i32 becomes the nearest end of it. */
enum plan_io_format { IO_F32, IO_F16, IO_BYTES, IO_SHORTS, IO_WORDS, IO_LONGS };

/* A partition input or output. */
struct plan_io {
    int tensor;      /* host index */
    int plan_tensor; /* loaded from the input, or stored to the output; -1: none */
    enum plan_io_format format;
    enum plan_backing backing;
    bool zero_copy;     /* the plan tensor is in the backing memory: no step copies */
    size_t offset;      /* in LOCATION_INPUT or LOCATION_OUTPUT */
    size_t bytes;       /* of the host's tensor */
    size_t dense_bytes; /* elements of `format`, without padding */
    /* Staging memory holds f16, from and to which the CPU converts the host's f32. */
    bool half;
    size_t staged_bytes; /* of the elements in staging memory */
    /* quantized=float_view: the 8-bit type of the host, which the CPU converts; i64: the CPU widens
     * i32 to it, and narrows it; kTfLiteNoType: none. */
    struct {
        TfLiteType type;
        float scale;
        int32_t zero_point;
    } float_view;
    const void *constant; /* elements of an output that is a constant, in the plan's arena */
};

struct plan {
    struct arena arena;
    bool half; /* precision=fp16: FORMAT_STORED is f16 */
    struct plan_tensor *tensors;
    int tensor_count, tensor_capacity;
    struct plan_step **steps; /* each in the plan's arena */
    int step_count, step_capacity;
    struct plan_io *inputs, *outputs;
    int input_count, output_count;
    uint8_t *constants; /* to upload; mem_free */
    size_t constant_bytes, constant_capacity;
    uint64_t table_bytes; /* of planner_pack_table, in constant_bytes */
    bool unpacked;        /* constants have offsets, but no contents */
    size_t arena_bytes;   /* size of the arena of activations */
    size_t arena_bound;   /* lower bound: the largest sum of tensors live at one step */
    int groups;   /* of steps, in the order of the steps (schedule.h); 0: each step is one */
    int in_place; /* steps whose result overwrites an input */
    size_t input_bytes, output_bytes;
    bool zero_copy_inputs, zero_copy_outputs; /* as in struct device_limits */
    size_t small_output_bytes; /* outputs of at most this many bytes are written to the host's
                                  memory */
    int node_count;
    int applied[TRANSFORM_COUNT]; /* how often each rewrite fired */
    int merged;                   /* nodes that the rewrites removed */
    enum gpu_poison poison;
    struct reasons reasons; /* empty unless asked for */
};

void plan_close(struct plan *p);

/* Frees the packed constants, which are not needed after the upload and the writing to a file. */
void plan_drop_constants(struct plan *p);

/* Bytes of an element of the tensor. */
uint32_t plan_element_bytes(const struct plan *plan, const struct plan_tensor *t);

/* The plan tensor that owns the memory of this one. */
int plan_owner(const struct plan *plan, int t);
/* Whether it has memory of its own in the arena, at `offset`. */
bool plan_has_memory(const struct plan *plan, int t);

/* Bytes of the input or output in this backing: dense, or as slices. */
size_t plan_io_bytes(const struct plan *plan, const struct plan_io *io, enum plan_backing backing);

/* The largest device buffer of the plan, and the bytes of all of them. */
struct plan_block {
    const char *what;
    size_t bytes;
};
struct plan_block plan_largest_block(const struct plan *plan);
uint64_t plan_bytes(const struct plan *plan);

#endif
