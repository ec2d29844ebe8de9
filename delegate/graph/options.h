/* Options of the delegate: key=value strings parsed into a struct. */
#ifndef ASSAY_DELEGATE_GRAPH_OPTIONS_H
#define ASSAY_DELEGATE_GRAPH_OPTIONS_H

#include "delegate/base/kernels.h"
#include "reference/base/arena.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpu_precision {
    PRECISION_FP32,
    PRECISION_FP16, /* storage fp16, arithmetic and sums fp32 */
    PRECISION_FAST  /* storage fp16, products and short sums too, where they cannot overflow */
};

/* How quantized nodes are computed. */
enum gpu_quantized {
    QUANTIZED_EXACT,     /* in integers, bit for bit as the CPU's reference kernels */
    QUANTIZED_FLOAT_VIEW /* in floats, rounded to the quantization steps of each tensor */
};

/* By what partitions are ordered and left to the CPU. */
enum gpu_placement {
    PLACEMENT_NODES,     /* their number of nodes */
    PLACEMENT_COST,      /* the time that the device saves, by its measured rates */
    PLACEMENT_COST_TABLE /* the same by the rates of a table */
};

enum gpu_wait {
    WAIT_PASSIVE,    /* sleep until the fence is signalled */
    WAIT_ACTIVE,     /* poll the fence and yield the core */
    WAIT_AGGRESSIVE, /* poll the fence and keep the core */
    WAIT_NONE        /* return at once; like passive where outputs are copied to the host */
};

/* Tests choose the pattern that fills the arena and the padding channels of every tensor. */
enum gpu_poison { POISON_OFF, POISON_NAN, POISON_INF, POISON_JUNK };

struct gpu_options {
    struct arena arena; /* of the strings */
    enum gpu_precision precision;
    enum gpu_wait wait;
    enum gpu_poison poison;
    const char *device; /* index or part of the name; NULL: the best */
    bool enable_quantization;
    enum gpu_quantized quantized;
    int first_node, last_node; /* inclusive; -1: no limit */
    const char *include; /* comma-separated: 3, 5-9, CONV_2D, or a pattern of an output's name */
    const char *exclude; /* NULL: none */
    int max_partitions;  /* 0: no limit; -1: the largest, and those that save time */
    int min_nodes;
    enum gpu_placement placement;
    int cpu_rate;                /* multiply-adds of the CPU in a microsecond */
    int serialization_limit_mib; /* of all files in serialization_dir; 0: no limit */
    int memory_limit_mib;        /* of device memory for a graph; 0: the budget of the device */
    bool in_place;               /* elementwise steps may write over an input that they read last */
    bool packed_dot;             /* 8-bit products by the integer dot product of the device */
    bool tune;                   /* measure workgroup sizes */
    unsigned tune_budget_ms;     /* at most so long */
    int workgroup_variant; /* for tests, no key: the n-th candidate of workgroup sizes; 0: off */
    int depthwise_tile; /* for tests, no key: the n-th shape of depthwise_tile.c, on any device */
    bool any_device;    /* for tests, no key: kernels for measured classes of devices on any */
    int gemm_tile;      /* for tests, no key: the n-th tile of gemm.c, on any device; 0: off */
    bool profile;       /* time stamps round each step */
    const char *serialization_dir; /* NULL: nothing is kept between processes */
    const char *model_token;       /* NULL: made from the model */
    uint32_t no_transform;         /* bit i: enum transform_id i is switched off; ~0: all */
    uint32_t kernel;               /* bit i: enum kernel_id i is used on any device; ~0: all */
    uint32_t no_kernel;            /* bit i: enum kernel_id i is switched off; ~0: all */
    const char *trace; /* file for a trace of the last profiled inferences; NULL: none */
};

/* Sets defaults, then the strings in order.  STATUS_USAGE: the message names the key, what was
 * expected and what was found. */
enum status options_parse(struct gpu_options *o, const char *const *keys, const char *const *values,
                          size_t count, struct diag *diag);
void options_close(struct gpu_options *o);

/* One line an option: "key  values  default  meaning". */
const char *options_help(void);
/* "nodes", "cost", "cost_table"; static. */
const char *options_placement_name(enum gpu_placement placement);
/* Tensors are stored as f16. */
static inline bool options_half(const struct gpu_options *o)
{
    return o->precision != PRECISION_FP32;
}
/* False: option no_kernel switches the kernel off. */
static inline bool options_kernel(const struct gpu_options *o, enum kernel_id id)
{
    return !(o->no_kernel & 1u << id);
}
/* True: option kernel, or a test, has the kernel on any device. */
bool options_force(const struct gpu_options *o, enum kernel_id id);
/* "gemm", as in kernels.def. */
const char *options_kernel_name(enum kernel_id id);
/* The i-th key, aliases included; NULL past the end. */
const char *options_key(size_t i);

#endif
