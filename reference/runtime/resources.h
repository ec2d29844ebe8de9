/* Resource variables: values that outlive an inference, shared by all subgraphs of an interpreter.
 * VAR_HANDLE names one, READ_VARIABLE and ASSIGN_VARIABLE know it by its number. */
#ifndef ASSAY_REFERENCE_RUNTIME_RESOURCES_H
#define ASSAY_REFERENCE_RUNTIME_RESOURCES_H

#include "reference/base/diag.h"
#include "reference/base/lookup.h"
#include "tensorflow/lite/c/common.h"

#include <stddef.h>
#include <stdint.h>

enum { RESOURCES_MAX = 65536 };

struct resource {
    int32_t id;
    TfLiteType type;
    TfLiteIntArray *dims; /* NULL: nothing was assigned yet */
    void *data;
    size_t bytes;
};

struct resource_name {
    const char *container, *shared_name; /* of the model */
};

/* Zero-initialized: none. */
struct resources {
    struct resource_name *names; /* the number of a name is its index */
    size_t name_count;
    struct lookup by_name;
    struct resource *items;
    size_t count;
    struct lookup by_id;
};

/* The number of a name, which is new the first time.  The texts are borrowed. */
enum status resource_id(struct resources *r, const char *container, const char *shared_name,
                        int32_t *id, struct diag *diag);
/* Its shared name; "" where no VAR_HANDLE has named it. */
const char *resource_title(const struct resources *r, int32_t id);
/* NULL: nothing was ever assigned to it. */
const struct resource *resource_find(const struct resources *r, int32_t id);
/* Keeps a copy of t's type, shape and data. */
enum status resource_assign(struct resources *r, int32_t id, const TfLiteTensor *t,
                            struct diag *diag);
/* No variable has a value; names keep their numbers. */
void resources_forget(struct resources *r);
void resources_close(struct resources *r);

#endif
