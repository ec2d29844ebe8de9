/* Operators of a text. */
#ifndef ASSAY_REFERENCE_TEXT_PARSE_OP_H
#define ASSAY_REFERENCE_TEXT_PARSE_OP_H

#include "reference/text/parse.h"

/* An operator, its name included. */
enum status parse_op(struct parse *p);

#endif
