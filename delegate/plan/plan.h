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
#include "delegate/graph/transforms.h"
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

void plan_close(struct plan *p);

/* After the upload (and the writing to a file) the packed constants are not needed. */
void plan_drop_constants(struct plan *p);

/* Bytes of an element of the tensor. */
uint32_t plan_element_bytes(const struct plan *plan, const struct plan_tensor *t);

/* The plan tensor whose memory this one's is. */
int plan_owner(const struct plan *plan, int t);

/* Bytes of an input or output in memory of the caller: dense, or as slices. */
size_t plan_io_bytes(const struct plan *plan, const struct plan_io *io, enum plan_backing backing);

/* The largest buffer of the plan, and the bytes of all of them together. */
struct plan_block {
    const char *what;
    size_t bytes;
};
struct plan_block plan_largest_block(const struct plan *plan);
uint64_t plan_bytes(const struct plan *plan);

#endif
