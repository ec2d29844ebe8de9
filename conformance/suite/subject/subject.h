/* A subject: a delegate library with its options, a runtime of somebody else, or the scalar
 * reference itself.
 *
 * Delegates are spoken to through the plug-in ABI only, so any .so will do.  Ours also exports
 * assay_gpu_* (assay_gpu.h): where a library has these, reasons and figures are shown.  Other
 * runtimes are kinds of subjects (subject_kind.h), each with an engine that runs models. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_SUBJECT_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_SUBJECT_H

#include "assay_gpu.h"
#include "conformance/suite/bounds/bound.h"
#include "conformance/suite/cases/case.h"
#include "conformance/util/string_list.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>

/* The file name of our delegate, whose options say which class it is held to. */
#define SUBJECT_OUR_NAME "libassay_delegate.so"

enum { SUBJECT_OPTIONS_MAX = 64 };

struct subject_option {
    const char *key, *value;
};

/* The optional exports; NULL where a library lacks them. */
struct subject_extras {
    const char *(*version)(void);
    int (*check_options)(const char *const *, const char *const *, size_t, char *, size_t);
    int (*devices)(struct assay_gpu_device *, int, char *, size_t);
    int (*refusal_count)(const TfLiteDelegate *);
    int (*get_refusal)(const TfLiteDelegate *, int, struct assay_gpu_refusal *);
    int (*get_stats)(const TfLiteDelegate *, struct assay_gpu_stats *);
    int (*step_count)(const TfLiteDelegate *);
    int (*get_step)(const TfLiteDelegate *, int, struct assay_gpu_step *);
    int (*get_inference)(const TfLiteDelegate *, int, struct assay_gpu_inference *);
    int (*tensor_count)(const TfLiteDelegate *);
    int (*get_tensor)(const TfLiteDelegate *, int, struct assay_gpu_tensor *);
    int (*get_transform)(const TfLiteDelegate *, int, struct assay_gpu_transform *);
    int (*get_placement)(const TfLiteDelegate *, struct assay_gpu_placement *);
    int (*measure_peaks)(TfLiteDelegate *, struct assay_gpu_peaks *, char *, size_t);
    int (*keep_reasons)(TfLiteDelegate *);
    int (*reason_count)(const TfLiteDelegate *);
    int (*get_reason)(const TfLiteDelegate *, int, struct assay_gpu_reason *);
    int (*get_partition)(const TfLiteDelegate *, int, struct assay_gpu_partition *);
    int (*bind)(TfLiteDelegate *, struct assay_gpu_buffer *, char *, size_t);
    int (*get_device)(const TfLiteDelegate *, struct assay_gpu_vulkan *);
};

struct subject_kind;

struct subject {
    const struct subject_kind *kind;
    char *path;   /* absolute, the library that is judged; NULL: the scalar reference */
    char *plugin; /* absolute, the delegate library that is loaded; NULL: none */
    char *what;   /* behind "KIND:" where it is no path, such as "gpu"; NULL else */
    char *label;  /* for tables: "libassay_delegate.so precision=fp16" */
    struct subject_option options[SUBJECT_OPTIONS_MAX];
    size_t option_count;
    enum bounds
        bounds; /* of floats: by our option precision; fp32 for others, or as --bounds says */
    /* Of integers with a scale: exact or float_view, by our option quantized; float_view for
     * others.
     */
    enum bounds quantized;
    bool bounds_given; /* by --bounds or the key bounds: options do not change them any more */
    bool skips_floats, skips_quantized; /* cases that it does not run */
    bool optional;     /* nobody named it: where the device lacks what it needs, others run alone */
    char not_run[480]; /* what the device lacks for it; empty: it runs */
    char sha256[65];   /* of the file, lower-case hex; empty for the reference */
    void *library;     /* from dlopen; NULL until subject_load */
    TfLiteDelegate *(*create)(const char *const *, const char *const *, size_t,
                              void (*)(const char *));
    void (*destroy)(TfLiteDelegate *);
    struct subject_extras extras;
    void *runtime; /* what the kind's load opened; NULL until then */
};

/* Holds it to a list of classes (bounds_parse); what the list does not name follows from the
 * options, as all does for the word "subject". */
enum status subject_hold_to(struct subject *s, const char *classes, struct diag *diag);
/* The value of an option; NULL when it is not given. */
const char *subject_option(const struct subject *s, const char *key);
/* Derives bounds and label from the other fields, after a change of these. */
enum status subject_settle(struct subject *s, struct diag *diag);
/* Adds one more option, replacing one of the same key. */
enum status subject_set(struct subject *s, const char *key, const char *value, struct diag *diag);
/* The class that reports name: of floats, or of quantized integers where it runs no others. */
enum bounds subject_bounds(const struct subject *s);
/* Whether it runs the case at all. */
bool subject_runs(const struct subject *s, const struct test_case *c);
/* Loads its libraries and finds their entry points.  STATUS_IO with dlopen's reason. */
enum status subject_load(struct subject *s, struct diag *diag);
/* Creates a delegate with the subject's options and extra ones (replacing those of the same key).
 * STATUS_NO_DEVICE with the messages that the library reported when it returns NULL; STATUS_USAGE
 * when its assay_gpu_check_options rejects the options.  For the reference *out is NULL. */
enum status subject_create(const struct subject *s, const struct subject_option *extra,
                           size_t extra_count, TfLiteDelegate **out, struct diag *diag);
void subject_destroy(const struct subject *s, TfLiteDelegate *delegate);
/* Frees the strings and unloads the library.  Takes any half-built subject. */
void subject_close(struct subject *s);

#endif
