/* Arguments of table.comp, with those of count.args.h. */
#ifndef ASSAY_DELEGATE_OPS_INT8_TABLE_ARGS_H
#define ASSAY_DELEGATE_OPS_INT8_TABLE_ARGS_H

#include "delegate/shaders/args.h"

#define TABLE_SPEC_BITS                                                                            \
    3 /* of a result: 8, 16 or 32; 32 / BITS results are in a word of the table */

#endif
