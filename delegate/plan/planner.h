/* What the ops call while a plan is made: tensors, steps with their constants, bindings and grids,
 * and packed weights. */
#ifndef ASSAY_DELEGATE_PLAN_PLANNER_H
#define ASSAY_DELEGATE_PLAN_PLANNER_H

#include "delegate/plan/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
