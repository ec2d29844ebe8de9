/* Where a partition runs: what it computes and copies, and how long it would take on the CPU and on
 * the device.  Only tensors' shapes and the facts of ops.def are asked for. */
#ifndef ASSAY_DELEGATE_ACCEPT_PLACEMENT_H
#define ASSAY_DELEGATE_ACCEPT_PLACEMENT_H

#include "delegate/accept/refusal.h"
#include "delegate/base/device_rates.h"
#include "tensorflow/lite/c/common.h"

struct placement {
    int first_node, nodes;      /* first_node: index in the host; -1: there is no node */
    double macs, elements;      /* multiply-adds; elements that nodes without any read and write */
    double bytes_in, bytes_out; /* between the CPU's nodes and the device's, at each inference */
    double cpu_us, device_us;   /* estimated */
    bool taken;
    enum rule rule; /* that refused it; not set when taken */
};

/* Where the rates of a device come from. */
enum rates_source { RATES_TABLE, RATES_MEASURED, RATES_FILE };
struct placement_rates {
    struct device_rates device;
    enum rates_source source;
};

/* Estimates a partition as the host describes it. */
/* Multiply-adds of a node with constant weights, or of matrices; 0 of others.  A TRANSPOSE_CONV
 * counts as one of stride 1. */
double placement_macs(const struct graph *g, const struct graph_node *n);

struct placement placement_of(const struct graph *g, const TfLiteDelegateParams *partition,
                              const struct device_rates *rates, int cpu_macs_per_us);

/* The time that the device saves; less than 0: it takes longer than the CPU. */
double placement_saved_us(const struct placement *p);

#endif
