/* A kind of subject: who runs the models, how its library is found, which keys it has.
 *
 * The rows stand in kinds.c, each pointing to the functions of its own file. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_SUBJECT_KIND_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_SUBJECT_KIND_H

#include "conformance/suite/bounds/bound.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>

struct engine_type; /* engine.h */
struct subject;     /* subject.h */

struct subject_kind {
    const char *name; /* "delegate", as in --subject=delegate:PATH */
    /* What stands behind the colon, for messages: "PATH"; "[SERIAL]" may be empty; NULL: nothing.
     */
    const char *library;
    /* Keys of its own, ending with NULL.  Others are options of the delegate; a kind whose
     * takes_options is false has none. */
    const char *const *keys;
    bool takes_options;
    bool shown; /* labels begin with its name */
    const struct engine_type *engine;
    /* Finds the library that the text names (NULL: none) and notes path, plugin, what and sha256;
     * the options are known.  Loads nothing. */
    enum status (*find)(struct subject *s, const char *library, struct diag *diag);
    /* Opens what the engine needs beside a delegate, into s->runtime; both NULL: nothing. */
    enum status (*load)(struct subject *s, struct diag *diag);
    void (*unload)(struct subject *s);
    /* The class of floats that its options ask for; NULL: as delegates, whose keys are ours. */
    enum bounds (*bounds)(const struct subject *s);
    /* Names, once loaded, the device that runs models and the runtime; NULL: the delegate does. */
    void (*describe)(const struct subject *s, char *device, size_t device_bytes, char *runtime,
                     size_t runtime_bytes);
};

bool subject_kind_has_key(const struct subject_kind *kind, const char *key);

#endif
