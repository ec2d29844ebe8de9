/* A plan: what the device will do for one partition, as plain data without a Vulkan handle.
 *
 * Tensors lie in one arena as rows of channels: the last dimension is the channels, padded to
 * slices of 4; all others are rows.  An element is 4 bytes (fp32) or 2 (fp16), or an integer of 1
 * or 2 bytes.  A view shares the memory of another tensor.  Steps run in order; each is one
 * dispatch. */
#ifndef ASSAY_DELEGATE_PLAN_PLAN_H
#define ASSAY_DELEGATE_PLAN_PLAN_H

#include "delegate/base/device_limits.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/options.h"
#include "delegate/transform/rewrite.h"
#include "reference/base/arena.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLAN_STATES = 64, PLAN_BINDINGS = 4, PLAN_SPEC_MAX = 16, PLAN_PUSH_BYTES = 128 };
enum { PLAN_ALIGN = 256 }; /* of offsets: the most that minStorageBufferOffsetAlignment may be */

enum plan_format {
    FORMAT_STORED, /* f32, or f16 in fp16 */
    FORMAT_WIDE,   /* f32 */
    FORMAT_BYTES,  /* i8 or u8: a slice is one word, the first channel in its low byte */
    FORMAT_SHORTS  /* i16: a slice is two words */
};

enum plan_location {
    LOCATION_NONE,
    LOCATION_ARENA,     /* a plan tensor */
    LOCATION_CONSTANTS, /* packed weights */
    LOCATION_INPUT,     /* memory of an input: of ours, host-visible and dense, or the caller's */
    LOCATION_OUTPUT     /* of an output */
};

struct plan_tensor {
    int tensor;                      /* of the graph; -1: a temporary */
    uint32_t rows, channels, slices; /* slices = ceil(channels / 4) */
    enum plan_format format;
    size_t bytes;              /* rows * slices * 4 elements */
    int view_of;               /* plan tensor whose memory this is; itself: its own */
    bool placed;               /* view_of is memory of an input that dies there */
    int first_step, last_step; /* of the owner: its views are counted in */
    size_t offset;             /* in the arena; of the owner */
    /* Of the owner: LOCATION_ARENA, or LOCATION_INPUT or LOCATION_OUTPUT of input or output io. */
    enum plan_location location;
    int io;
};

struct plan_binding {
    enum plan_location location;
    int tensor;    /* LOCATION_ARENA; LOCATION_INPUT, LOCATION_OUTPUT: which of the plan's */
    size_t offset; /* in the location; filled from the tensor for LOCATION_ARENA */
    size_t bytes;
    bool writes;
    bool elementwise; /* read: an invocation reads of it what it writes of binding 0, no more */
};

struct plan_step {
    const char *shader;           /* static: "conv_2d" */
    const char *label;            /* "CONV_2D node 3 'features/conv'", for profiles */
    const char *source;           /* static: the line that made it, "delegate/ops/conv_2d.c:91" */
    int node;                     /* host node index; -1: not of a node (input, output) */
    uint32_t spec[PLAN_SPEC_MAX]; /* specialization constants by id; 0..2 workgroup size */
    uint32_t spec_count;
    uint8_t push[PLAN_PUSH_BYTES];
    uint32_t push_bytes;
    uint32_t shared_bytes; /* of a workgroup */
    struct plan_binding bindings[PLAN_BINDINGS];
    uint32_t groups[3];
    bool packed_dot; /* the shader has another form with the packed dot product, NAME.dot */
    bool tuned;      /* the size of the workgroup was measured */
    bool idle;       /* not run: the input or output already is where the step would copy it */
    /* Where the size of the workgroup is free (workgroups.h): invocations wanted, or columns of
     * tiles; runs of tiles; what an invocation needs of shared memory.  0 items: it is not free. */
    uint64_t items, runs;
    uint32_t invocation_bytes;
};

/* Memory behind a partition input or output. */
enum plan_backing {
    BACKING_STAGING, /* ours, dense */
    BACKING_DENSE,   /* the caller's, dense */
    BACKING_SLICES   /* the caller's, in the layout of the plan tensor: no step copies */
};

/* Elements of a dense input or output. */
enum plan_io_format { IO_F32, IO_F16, IO_BYTES, IO_SHORTS };

/* A partition input or output. */
struct plan_io {
    int tensor;      /* host index */
    int plan_tensor; /* it is loaded into, or stored from; -1: none */
    enum plan_io_format format;
    enum plan_backing backing;
    bool zero_copy;     /* the plan tensor is in the backing memory: no step copies */
    size_t offset;      /* in LOCATION_INPUT or LOCATION_OUTPUT */
    size_t bytes;       /* dense, of the host's type */
    size_t dense_bytes; /* elements of `format`, without padding */
    /* The host's 8-bit elements are converted, where the type is no kTfLiteNoType (float view). */
    struct {
        TfLiteType type;
        float scale;
        int32_t zero_point;
    } view;
    const void *constant; /* an output whose value is known: these bytes, in the plan's arena */
};

struct plan {
    struct arena arena;
    bool half; /* elements of 2 bytes */
    struct plan_tensor *tensors;
    int tensor_count, tensor_room;
    struct plan_step **steps; /* each in the plan's arena */
    int step_count, step_room;
    struct plan_io *inputs, *outputs;
    int input_count, output_count;
    uint8_t *constants; /* to upload; mem_free */
    size_t constant_bytes, constant_room;
    bool unpacked;      /* constants have their places, but are not packed */
    size_t arena_bytes; /* the offsets' peak */
    size_t arena_bound; /* the largest sum of tensors live at one step */
    int in_place;       /* steps whose result lies where an input lay */
    size_t input_bytes, output_bytes;
    bool zero_copy_inputs, zero_copy_outputs; /* as in struct device_limits */
    int node_count;
    int applied[TRANSFORM_COUNT]; /* how often each rewrite fired */
    int merged;                   /* nodes that they took away */
    enum gpu_poison poison;
};

/* Plans one partition.  nodes are host node indices in execution order; inputs and outputs the
 * partition's tensors (constants among the inputs are skipped).  All nodes were accepted. */
struct plan_request {
    const struct graph *graph;
    const struct gpu_options *options;
    const struct device_limits *limits;
    const int *nodes, *inputs, *outputs;
    int node_count, input_count, output_count;
    bool unpacked; /* without the work of packing constants: they will come from a file */
};
enum status plan_make(struct plan *p, const struct plan_request *request, struct diag *diag);
void plan_close(struct plan *p);
/* Bytes of a tensor of this shape as f32, which inputs and outputs are in fp16 too; false when it
 * does not fit one storage buffer of the device or 32-bit indices.  rank -1 does not fit; *bytes is
 * SIZE_MAX for what cannot be counted. */
bool plan_tensor_fits(const struct graph_tensor *t, const struct device_limits *limits,
                      size_t *bytes);

/* Bytes of an element of the tensor. */
uint32_t plan_element_bytes(const struct plan *plan, const struct plan_tensor *t);

/* The plan tensor whose memory this one's is. */
int plan_owner(const struct plan *plan, int t);

/* The buffer of the plan that is the largest; all of them together; and what of the device's memory
 * a graph may take. */
struct plan_block {
    const char *what;
    size_t bytes;
};
struct plan_block plan_largest_block(const struct plan *plan);
uint64_t plan_bytes(const struct plan *plan);
uint64_t plan_memory(const struct gpu_options *options, const struct device_limits *limits);

/* After the upload (and the writing to a file) the packed constants are not needed. */
void plan_drop_constants(struct plan *p);

/* Bytes of an input or output in memory of the caller: dense, or as slices. */
size_t plan_io_bytes(const struct plan *plan, const struct plan_io *io, enum plan_backing backing);

/* The last two things that plan_make does: places and offsets; the device's limits, with the need
 * and the limit in the message.  Places can be assigned again, for other backing memory:
 * STATUS_UNSUPPORTED where one cannot be BACKING_SLICES. */
enum status plan_assign_memory(struct plan *plan, bool in_place, struct diag *diag);
enum status plan_check(const struct plan *plan, const struct device_limits *limits,
                       struct diag *diag);

/* ---- for the ops ---- */

struct planner {
    struct plan *plan;
    const struct graph *graph;
    const struct gpu_options *options;
    const struct device_limits *limits;
    int *of_graph; /* plan tensor of a graph tensor; -1: none yet */
    /* State that is written back to the host's inputs when all steps are done. */
    struct {
        int tensor; /* of the graph: an input of the partition */
        int from;   /* plan tensor */
    } state[PLAN_STATES];
    int state_count;
    struct diag *diag;
};

/* The plan tensor that holds a graph tensor (made on the first call).  -1: out of memory, in
 * p->diag; every function below takes a -1 and passes it on, and a step with a failed part fails
 * the plan. */
int planner_tensor(struct planner *p, int tensor);
/* A tensor that is no graph tensor. */
int planner_temp(struct planner *p, uint32_t rows, uint32_t channels, enum plan_format format);
/* After the last step the host's memory of an input gets the value of a plan tensor of its shape.
 */
enum status planner_write_back(struct planner *p, int tensor, int from);
/* The graph tensor of the output becomes a view on plan tensor `of`: same memory, other shape. */
int planner_view(struct planner *p, int tensor, int of);
/* `of` as rows of channels: itself, a view when the memory is the same, else a repacked copy. */
int planner_rows(struct planner *p, const struct graph_node *node, int of, uint32_t rows,
                 uint32_t channels);

/* A new step; its workgroup is x * y * z invocations.  NULL: out of memory. */
struct plan_step *planner_step_at(struct planner *p, const char *shader,
                                  const struct graph_node *node, uint32_t x, uint32_t y, uint32_t z,
                                  const char *source);
#define PLAN_TEXT_(line) #line
#define PLAN_TEXT(line)  PLAN_TEXT_(line)
#define planner_step(p, shader, node, x, y, z)                                                     \
    planner_step_at((p), (shader), (node), (x), (y), (z), __FILE__ ":" PLAN_TEXT(__LINE__))
void step_spec(struct plan_step *s, uint32_t id, uint32_t value);
void step_push(struct plan_step *s, const void *args, size_t bytes);
/* A grid of at least `groups` workgroups, laid out in x and y within the device's limits: the
 * shader finds its number with group() and must check it. */
enum status step_groups(struct planner *p, struct plan_step *s, uint64_t groups);
/* Enough workgroups for count invocations in x (item() in the shader).  The workgroup's size is the
 * one of workgroups.h, which may be another one later: the shader must not depend on it. */
enum status step_items(struct planner *p, struct plan_step *s, uint64_t count);
/* Enough workgroups of x columns by y runs, for a shader whose first push constant is their number:
 * call it behind step_push.  The size may be another one later, x and y but not z, with the same
 * number of invocations or another: each needs so many bytes of shared memory. */
enum status step_tiles(struct planner *p, struct plan_step *s, uint32_t columns, uint64_t runs,
                       uint32_t invocation_bytes);
void step_read(struct planner *p, struct plan_step *s, int binding, int plan_tensor);
void step_write(struct planner *p, struct plan_step *s, int binding, int plan_tensor);

/* Each invocation reads of this binding just the elements that it writes of binding 0, before it
 * writes them: the result may take its place. */
void step_in_place(struct plan_step *s, int binding);
/* What the shader shares within a workgroup. */
void step_shared(struct plan_step *s, uint32_t bytes);

/* Room for count vec4 of packed constants, zeroed, f32 or in the storage type; *offset is its
 * place. The elements are set with planner_put (index in scalars).  STATUS_NO_MEMORY when there is
 * none. */
struct packed {
    size_t offset, bytes;
    bool half;
};
enum status planner_pack(struct planner *p, uint64_t vec4_count, bool storage,
                         struct packed *packed);
void step_constants(struct plan_step *s, int binding, const struct packed *packed);
void planner_put(struct planner *p, const struct packed *packed, uint64_t index, float value);
/* False: planner_put does nothing, and need not be called. */
bool planner_packs(const struct planner *p);

/* Room for count words of packed constants, zeroed, for shaders of integers. */
enum status planner_pack_words(struct planner *p, uint64_t count, struct packed *packed);
void planner_put_word(struct planner *p, const struct packed *packed, uint64_t index,
                      uint32_t value);

/* A constant graph tensor packed as f32 rows of channels (padded lanes hold the poison when it is
 * on, else 0). */
enum status planner_pack_tensor(struct planner *p, int tensor, struct packed *packed);
/* count floats of a constant tensor, packed as f32 slices; all zero when tensor is -1. */
enum status planner_pack_bias(struct planner *p, int tensor, uint32_t count, struct packed *packed);

#endif
