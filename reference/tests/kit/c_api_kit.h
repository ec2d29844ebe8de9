/* For tests of the C API: a small classifier as a file, and a check of what it computes. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_C_API_KIT_H
#define ASSAY_REFERENCE_TESTS_KIT_C_API_KIT_H

#include "reference/tests/kit/mock_delegate.h"

#include "reference/format/write.h"
#include "tensorflow/lite/c/c_api_experimental.h"

#include <stdarg.h>

/* What c_api_listen was told, one line each; c_api_options empties it. */
extern char c_api_messages[8192];
/* An error reporter, whose user has to be c_api_messages. */
void c_api_listen(void *user, const char *format, va_list args);

/* Writes a model with x [1,4], s = x + c_api_weights and y = softmax(s), outputs y and s, signature
 * "serving_default"; signature "other" is of a second subgraph.  The bytes are the caller's. */
void c_api_classifier(struct tflite_file *file);
extern const float c_api_weights[4];

/* The model of these bytes; fails the test with the message if there is none. */
TfLiteModel *c_api_load(const struct tflite_file *file);
/* Options with c_api_listen as their error reporter. */
TfLiteInterpreterOptions *c_api_options(void);
/* Invokes the classifier, which has to return `want` and to leave the right outputs. */
void c_api_check_run(TfLiteInterpreter *interpreter, TfLiteStatus want);

#endif
