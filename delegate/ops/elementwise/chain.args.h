/* Arguments of chain.comp: a run of elementwise ops, and where they find their operands. */
#ifndef ASSAY_DELEGATE_OPS_ELEMENTWISE_CHAIN_ARGS_H
#define ASSAY_DELEGATE_OPS_ELEMENTWISE_CHAIN_ARGS_H

#include "delegate/shaders/args.h"

#define CHAIN_SPEC_GROUPS 3 /* of dims; 0: slice i of dst has its operands at slice i */
#define CHAIN_SPEC_START  4 /* of the first operand: CHAIN_ONE_CHANNEL, or 0 */
#define CHAIN_SPEC_COUNT  5 /* of links: 2 or more, 1 or more of bytes */
#define CHAIN_SPEC_LINK   6 /* the first of CHAIN_LINKS words */
#define CHAIN_LINKS       8
#define CHAIN_SPEC_BYTES                                                                           \
    14 /* tensors are 8-bit ones: DEQUANTIZE before the links, QUANTIZE behind */

/* A link: its op; its TfLiteFusedActivation or a function of activation.args.h; the operand beside
 * the result of the link before, if it has one: its number, and where it is. */
#define CHAIN_LINK(op, activation, operand, binding)                                               \
    ((op) | (activation) << 6 | (operand) << 10 | (binding) << 14)
#define CHAIN_OP(link)         ((link)&63u)
#define CHAIN_ACTIVATION(link) ((link) >> 6 & 15u)
#define CHAIN_OPERAND(link)    ((link) >> 10 & 15u)
#define CHAIN_BINDING(link)    ((link) >> 14 & 3u) /* 1, 2: a tensor; 3: the constants */
#define CHAIN_ONE_CHANNEL      (1u << 16)          /* it is broadcast over the slice */
#define CHAIN_FIRST            (1u << 17)          /* it is the first operand */

/* Ops: functions that are an activation, too; EXP; ELEMENTWISE_TANH and those after it; BINARY_ADD
 * and those after it, which have two operands. */
#define CHAIN_EXP         10
#define CHAIN_ELEMENTWISE 11
#define CHAIN_BINARY      32

/* The dims of dst but the channels are groups, between which some operand is broadcast, innermost
 * first.  Words: the sizes of all groups but the outermost; then of each operand its first slice,
 * and its strides over the groups in slices (0: broadcast).  Floats as bits: alpha of each link,
 * whose number is its operand. */
#define CHAIN_WORDS 27
#define CHAIN_ALPHA 19

/* CHAIN_SPEC_BYTES: words among the constants.  The floats of each byte of both tensors; the limits
 * of the result's integers (quantized.glsl); what `zero` is in quantize_int8.args.h, and for i8
 * 128 << 8. */
#define CHAIN_BYTE_LIMITS 512
#define CHAIN_BYTE_ZERO   767
#define CHAIN_BYTE_WORDS  768

PUSH_CONSTANTS(chain_args)
    uint count, slices; /* of dst; in a row of it */
    uint not_known;     /* 0, of which the driver's compiler does not know */
    uint words[CHAIN_WORDS];
    uint bytes; /* the first of those words */
END_PUSH_CONSTANTS
ARGS_SIZE(chain_args, 124)

#endif
