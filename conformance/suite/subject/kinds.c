/* The kinds of subjects, and those that need no file of their own. */
#include "conformance/suite/subject/kinds.h"

#include "conformance/suite/subject/engine_interpreter.h"
#include "conformance/suite/subject/litert_kind.h"
#include "conformance/suite/subject/subject_find.h"
#include "conformance/suite/subject/tflite_c.h"
#include "conformance/util/sha256.h"

#include <limits.h>

static enum status find_reference(struct subject *s, const char *library, struct diag *diag)
{
    (void)s, (void)library, (void)diag;
    return STATUS_OK;
}

static enum status find_delegate(struct subject *s, const char *library, struct diag *diag)
{
    char found[PATH_MAX];

    if (!library) {
        TRY(subject_find_ours(found, diag));
        library = found;
    }
    TRY(subject_find_file(&s->path, library, diag));
    TRY(subject_find_file(&s->plugin, library, diag));
    return sha256_file(s->path, s->sha256, diag);
}

static const char *const no_keys[] = { NULL };

const struct subject_kind subject_kind_reference = {
    .name = "reference",
    .keys = no_keys,
    .engine = &engine_interpreter,
    .shown = true,
    .find = find_reference,
};

const struct subject_kind subject_kind_delegate = {
    .name = "delegate",
    .library = "PATH",
    .keys = no_keys,
    .takes_options = true,
    .engine = &engine_interpreter,
    .find = find_delegate,
};

const struct subject_kind *subject_kind_at(size_t index)
{
    static const struct subject_kind *const kinds[] = { &subject_kind_reference,
                                                        &subject_kind_delegate,
                                                        &subject_kind_litert,
                                                        &subject_kind_tflite_c };

    return index < sizeof kinds / sizeof kinds[0] ? kinds[index] : NULL;
}
