/* Statements of a text. */
#ifndef ASSAY_REFERENCE_TEXT_STATEMENTS_H
#define ASSAY_REFERENCE_TEXT_STATEMENTS_H

#include "reference/text/parse.h"

/* All of them, up to the end of the text. */
enum status statements_read(struct parse *p);

#endif
