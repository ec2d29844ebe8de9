/* Arguments of table.comp, with those of count.args.h. */
#ifndef ASSAY_DELEGATE_OPS_INT8_TABLE_ARGS_H
#define ASSAY_DELEGATE_OPS_INT8_TABLE_ARGS_H

#include "delegate/shaders/args.h"

#define TABLE_SPEC_WORDS 3 /* of a slice of results: 1 of bytes, 2 of f16, 4 of f32 */

#endif
