/* Options of the delegate: key=value strings into a struct. */
#ifndef ASSAY_DELEGATE_GRAPH_OPTIONS_H
#define ASSAY_DELEGATE_GRAPH_OPTIONS_H

#include "reference/base/arena.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpu_precision {
    PRECISION_FP32,
    PRECISION_FP16 /* storage fp16, arithmetic and sums fp32 */
};

/* How nodes of 8-bit tensors are computed. */
enum gpu_quantized {
    QUANTIZED_EXACT,     /* in integers, bit for bit as the CPU's reference kernels */
    QUANTIZED_FLOAT_VIEW /* in floats, rounded to the steps of each tensor */
};

enum gpu_wait {
    WAIT_PASSIVE,    /* sleep until the fence is signalled */
    WAIT_ACTIVE,     /* ask the fence in a loop, and let other threads run in between */
    WAIT_AGGRESSIVE, /* ask it in a loop, and keep the core */
    WAIT_NONE        /* return at once; as passive where outputs are copied to the host */
};

/* For tests: what the arena and the padded lanes of every tensor are filled with. */
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
    int max_partitions;  /* 0: no limit */
    int min_nodes;
    int memory_limit_mib;    /* of device memory, for a graph; 0: what the device has */
    bool in_place;           /* elementwise steps may write over an input that dies there */
    bool packed_dot;         /* sums of bytes by the device's packed dot product */
    bool tune;               /* measure sizes of workgroups */
    unsigned tune_budget_ms; /* for that */
    int workgroup_variant;   /* for tests, no key: n-th candidate where the size is free; 0: off */
    bool profile;            /* time stamps round each step */
    const char *serialization_dir; /* NULL: nothing is kept between processes */
    const char *model_token;       /* NULL: made from the model */
    uint32_t no_transform;         /* bit i: transform i is left out; all of them: ~0 */
    const char *trace; /* file for a trace of the last profiled inferences; NULL: none */
};

/* Defaults, then the strings in order.  STATUS_USAGE names the key, the value and what it may be.
 */
enum status options_parse(struct gpu_options *o, const char *const *keys, const char *const *values,
                          size_t count, struct diag *diag);
void options_close(struct gpu_options *o);

/* One option a line. */
const char *options_help(void);
/* The i-th key, aliases too; NULL past the end. */
const char *options_key(size_t i);

#endif
