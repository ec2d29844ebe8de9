/* What the interpreter tells its user: messages of kernels and delegates, and failures that quote
 * them. */
#ifndef ASSAY_REFERENCE_RUNTIME_REPORT_H
#define ASSAY_REFERENCE_RUNTIME_REPORT_H

#include "reference/base/diag.h"
#include "reference/runtime/state.h"

#include <stdarg.h>

/* Sends a printf-style message to the reporter (interpreter_options.report), and remembers it for
 * failures that quote it. */
void report_send(struct interpreter *in, const char *format, ...) PRINTF_LIKE(2, 3);
void report_send_v(struct interpreter *in, const char *format, va_list args);
/* Forgets the last message. */
void report_clear(struct interpreter *in);
/* diag_fail, followed by the last message since report_clear. */
enum status report_fail_quoting(struct interpreter *in, struct diag *diag, enum status s,
                                const char *format, ...) PRINTF_LIKE(4, 5);
/* The name of a node for messages: "CONV_2D", or a delegate kernel's custom name. */
const char *node_name(const struct node *node);

/* interpreter_options.report of who has the diag alone: prints nothing. */
void report_nothing(void *user, const char *format, va_list args);

#endif
