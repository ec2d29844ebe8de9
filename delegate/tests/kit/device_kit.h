/* For tests that run the delegate on the device that is there, and are skipped where there is none.
 */
#ifndef ASSAY_DELEGATE_TESTS_KIT_DEVICE_KIT_H
#define ASSAY_DELEGATE_TESTS_KIT_DEVICE_KIT_H

#include "reference/tests/kit/graph_kit.h"

#include "assay_gpu.h"

#include <stdarg.h>

extern bool kit_device; /* the delegate finds a device */
/* Sets kit_device; where there is none, prints that `what` is skipped. */
void kit_find_device(const char *what);

/* Keeps the device and its pipelines while the tests of a file run, most of whose time would
 * otherwise be that the same pipelines are made again: TEST_FILE(KIT_HOLDS_DEVICE, ...). */
int kit_hold_device(void **state);
int kit_release_device(void **state);
#define KIT_HOLDS_DEVICE .setup = kit_hold_device, .teardown = kit_release_device

#define NEEDS_DEVICE                                                                               \
    if (!kit_device)                                                                               \
    skip()

/* What interpreters of kit_open reported since it was called, one line each, or what kit_delegate
 * was told last. */
extern char kit_said[4096];
void kit_listen(void *user, const char *format, va_list args);
void kit_reported(const char *text);

/* A delegate with options key, value, ..., NULL; it fails the test where there is none. */
TfLiteDelegate *kit_delegate(const char *const *pairs);
#define WITH(...) ((const char *const[]){ __VA_ARGS__, NULL })
/* An allocated interpreter, with the delegate unless that is NULL. */
struct interpreter *kit_open(const struct model *m, TfLiteDelegate *d);

/* The same, of this name, until the end of the block. */
#define DELEGATE(d, ...)      DELEGATE_BY(d, kit_delegate(WITH(__VA_ARGS__)))
#define DELEGATE_BY(d, call)  TfLiteDelegate *d CLOSED_BY(kit_delegate_end) = call
#define INTERPRETER(in, m, d) INTERPRETER_BY(in, kit_open(m, d))
void kit_delegate_end(TfLiteDelegate **d);

#endif
