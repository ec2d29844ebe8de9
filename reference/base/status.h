/* Status codes: the return value of every function that can fail.
 *
 * A status says what kind of failure it is, a struct diag (diag.h) where and why.  Functions that
 * own nothing pass failures up with TRY. */
#ifndef ASSAY_REFERENCE_BASE_STATUS_H
#define ASSAY_REFERENCE_BASE_STATUS_H

#define STATUS_LIST(X)                                                                             \
    X(OK, "ok")                                                                                    \
    X(INVALID, "invalid")            /* input breaks a rule of its format or op */                 \
    X(UNSUPPORTED, "not supported")  /* valid, but not implemented */                              \
    X(NO_MEMORY, "out of memory")    /* host memory */                                             \
    X(IO, "input/output error")      /* file missing, unreadable, unwritable, truncated */         \
    X(NO_DEVICE, "no usable device") /* no Vulkan, no device, or none suitable */                  \
    X(DEVICE, "device error")        /* a device call failed, device memory included */            \
    X(USAGE, "usage")                /* the caller's arguments are wrong */                        \
    X(MISMATCH, "mismatch")          /* a comparison found a difference */                         \
    X(LIMIT, "over a limit")         /* valid, but asks for more than limits.def allows */

enum status {
#define X(name, text) STATUS_##name,
    STATUS_LIST(X)
#undef X
        STATUS_COUNT
};

/* The text of a status; "unknown status" when out of range.  Static storage. */
const char *status_text(enum status s);

/* Passes a failure up from a function that owns nothing. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const enum status try_status = (call);                                                     \
        if (try_status != STATUS_OK)                                                               \
            return try_status;                                                                     \
    } while (0)

#endif
