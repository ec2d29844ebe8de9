/* Operators of a text. */
#ifndef ASSAY_REFERENCE_TEXT_PARSE_OP_H
#define ASSAY_REFERENCE_TEXT_PARSE_OP_H

#include "reference/format/op_options.h"
#include "reference/text/parse.h"

/* An operator, its name included. */
enum status parse_op(struct parse *p);
/* The name of an op, or code:199. */
enum status parse_op_code(struct parse *p, int32_t *code);
/* "stride_w=1": a field of the table. */
enum status parse_op_option(struct parse *p, const struct option_table *table, struct options *o);

#endif
