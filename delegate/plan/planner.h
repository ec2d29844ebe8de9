/* The functions that ops call to plan a node: tensors; steps with specialization and push
 * constants, bindings and grids; packed weights. */
#ifndef ASSAY_DELEGATE_PLAN_PLANNER_H
#define ASSAY_DELEGATE_PLAN_PLANNER_H

#include "delegate/base/device_costs.h"
#include "delegate/plan/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packing;

struct planner {
    struct plan *plan;
    const struct graph *graph;
    const struct gpu_options *options;
    const struct device_limits *limits;
    int *plan_tensor_of;    /* by graph tensor; -1: none yet */
    const int *host_tensor; /* by graph tensor; NULL: the same index */
    const bool *wide;       /* by graph tensor: FORMAT_WIDE, though the type is f32; NULL: none */
    /* By graph tensor: how many inputs of nodes it is, and whether the host reads it; NULL: not
     * known. */
    const int *readers;
    const bool *exposed;
    bool thaws;              /* the plan is so small that it shares pipelines (frozen.h) */
    const float *magnitudes; /* by graph tensor (graph/ranges.h); NULL: not precision=fast */
    /* State that is written back to inputs of the host after the last step. */
    struct {
        int tensor; /* of the graph: an input of the partition */
        int from;   /* plan tensor */
    } state[PLAN_STATES];
    int state_count;
    struct packing *packings; /* weights that packing_finish will write (packing.c) */
    struct diag *diag;
    struct reasons *reasons; /* why faster kernels are not used; NULL: nobody asks */
};

/* What to say of why the kernel does not take the node; NULL: an input or output. */
struct reason_of planner_reason(const struct planner *p, enum kernel_id kernel,
                                const struct graph_node *n);
/* False, with the reason: option no_kernel switches it off, or it does not pay on devices of this
 * class (base/device_costs.def). */
bool planner_kernel(const struct planner *p, const struct reason_of *why);

/* The plan tensor of a graph tensor, made on the first call.  -1: out of memory, with the message
 * in p->diag. */
int planner_tensor(struct planner *p, int tensor);
/* A new plan tensor that is no graph tensor; -1: out of memory. */
int planner_temp(struct planner *p, uint32_t rows, uint32_t channels, enum plan_format format);
/* After the last step, plan tensor `from` is copied to the host's memory of input `tensor`, which
 * has the same shape. */
enum status planner_write_back(struct planner *p, int tensor, int from);
/* The graph tensor becomes a view of plan tensor `of`: the same memory in another shape.  Returns
 * its plan tensor; -1: out of memory, or `of` is -1. */
int planner_view(struct planner *p, int tensor, int of);
/* Plan tensor `of` as rows of channels: itself, a view if the memory layout is the same, else a
 * copy that a new step makes.  -1: out of memory, or `of` is -1. */
int planner_rows(struct planner *p, const struct graph_node *node, int of, uint32_t rows,
                 uint32_t channels);

/* The variant of a shader that moves elements, whatever they mean, for the format of a plan tensor:
 * all but FORMAT_WIDE.  The source of the shader has the line "// Variants: byte short word", or,
 * if no tensor is i16, "// Variants: f32 f16 byte word". */
#define MOVING_SHADER(name)                                                                        \
    (const char *const[4])                                                                         \
    {                                                                                              \
        name, name ".byte", name ".short", name ".word"                                            \
    }
const char *planner_moving_shader(const struct planner *p, int plan_tensor,
                                  const char *const by_format[4]);

/* A new step with workgroups of x * y * z invocations.  NULL: out of memory. */
struct plan_step *planner_step_at(struct planner *p, const char *shader,
                                  const struct graph_node *node, uint32_t x, uint32_t y, uint32_t z,
                                  const char *source);
#define PLAN_TEXT_(line) #line
#define PLAN_TEXT(line)  PLAN_TEXT_(line)
#define planner_step(p, shader, node, x, y, z)                                                     \
    planner_step_at((p), (shader), (node), (x), (y), (z), __FILE__ ":" PLAN_TEXT(__LINE__))
/* Specialization constant `id`: 3 and up, without gaps. */
void step_spec(struct plan_step *s, uint32_t id, uint32_t value);
/* Specialization constants first to last need not be known when the pipeline is made: no type of
 * the shader depends on them.  Called after all step_spec; of those past the last, which were left
 * at their default, it is 0. */
void step_thawable(struct plan_step *s, uint32_t first, uint32_t last);
/* Push constants, at most PLAN_PUSH_BYTES. */
void step_push(struct plan_step *s, const void *args, size_t bytes);
/* The kernel is one of products and convolutions, of which it was measured that they are faster
 * when their push constants are known to the driver's compiler. */
void step_freezable(struct plan_step *s);
/* The first workgroup writes to these rows of dst, which is binding 0, alone, and the step has no
 * other result: its code may be prefetched. */
void step_first_rows(const struct planner *p, struct plan_step *s, int dst, uint64_t rows);
/* A grid of at least `groups` workgroups in x and y, within the limits of the device: group() in
 * the shader is the index of the workgroup, which the shader must check. */
enum status step_groups(struct planner *p, struct plan_step *s, uint64_t groups);
/* Enough workgroups for count invocations in x (item() in the shader).  The workgroup size is free
 * (workgroups.h): it may change later, and the result must not depend on it. */
enum status step_items(struct planner *p, struct plan_step *s, uint64_t count);
/* Enough workgroups of x columns by y runs of tiles; their number becomes the first push constant,
 * so call it after step_push.  x and y, but not z, of the workgroup size are free (workgroups.h).
 * invocation_bytes: shared memory of an invocation. */
enum status step_tiles(struct planner *p, struct plan_step *s, uint32_t columns, uint64_t runs,
                       uint32_t invocation_bytes);
/* Binds a whole plan tensor as a storage buffer that the shader reads (writes). */
void step_read(struct planner *p, struct plan_step *s, int binding, int plan_tensor);
void step_write(struct planner *p, struct plan_step *s, int binding, int plan_tensor);

/* Each invocation reads from this binding only the elements that it writes to binding 0, and before
 * it writes them: the result may overwrite the input. */
void step_in_place(struct plan_step *s, int binding);
/* Bytes of shared memory of a workgroup. */
void step_shared(struct plan_step *s, uint32_t bytes);

/* Reserves count vec4 of packed constants, zeroed: f32, or if storage is true in the storage type
 * (f16 with precision=fp16).  planner_put sets the elements; index counts scalars. */
struct packed {
    size_t offset, bytes;
    bool half;
};
enum status planner_pack(struct planner *p, uint64_t vec4_count, bool storage,
                         struct packed *packed);
/* The same in the storage type, not zeroed: the caller writes every byte, if planner_packs. */
enum status planner_reserve(struct planner *p, uint64_t vec4_count, struct packed *packed);
void step_constants(struct plan_step *s, int binding, const struct packed *packed);
void planner_put(struct planner *p, const struct packed *packed, uint64_t index, float value);
/* False: the constants will be read from a file; planner_put does nothing and need not be called.
 */
bool planner_packs(const struct planner *p);

/* Reserves count 32-bit words of packed constants, zeroed, for integer shaders. */
enum status planner_pack_words(struct planner *p, uint64_t count, struct packed *packed);
/* The same for indices by the sizes of tensors and not by constants of the model: a few bytes of a
 * model can ask for any number of them, so all of a plan are at most the limit table_bytes. */
enum status planner_pack_table(struct planner *p, uint64_t count, struct packed *packed);
void planner_put_word(struct planner *p, const struct packed *packed, uint64_t index,
                      uint32_t value);

/* Packs a constant graph tensor of i32, i16, i8, u8 or bool as rows of channels, in the form that
 * it would have as FORMAT_WORDS, FORMAT_SHORTS or FORMAT_BYTES.  Padding channels are 0, or the
 * pattern of option poison. */
enum status planner_pack_integers(struct planner *p, int tensor, struct packed *packed);

/* Packs a constant graph tensor as f32 rows of channels.  Padding channels are 0, or the pattern of
 * option poison. */
enum status planner_pack_tensor(struct planner *p, int tensor, struct packed *packed);
/* The same in the storage type, as FORMAT_STORED; padding channels are 0. */
enum status planner_pack_stored(struct planner *p, int tensor, struct packed *packed);
/* Packs count elements of a constant graph tensor as f32 slices; zeros if tensor is -1. */
enum status planner_pack_bias(struct planner *p, int tensor, uint32_t count, struct packed *packed);

#endif
