/* Shapes that follow from the inputs of an operator, and what is wrong with the model. */
#ifndef ASSAY_REFERENCE_TEXT_FOLLOW_H
#define ASSAY_REFERENCE_TEXT_FOLLOW_H

#include "reference/text/parse.h"

/* Gives tensors the shapes that follow. */
enum status follow_shapes(const struct parse *p, struct model *m);
/* Passes what the verifier passes and the interpreter prepares; ops that it does not know pass. */
enum status follow_check(const struct parse *p, const struct model *m);

#endif
