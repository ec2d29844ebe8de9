/* A parser that is not ours, in a child process.
 *
 * libhdf5, libjpeg and libpng read files that anyone may have made.  The child has limits of
 * memory, processor time and waiting (parser_limits.h), cannot open, make or grow a file beyond
 * those that it is allowed at its start, holds no file of the parent's but its socket, and leaves
 * no core.  Its crash, its endless loop and its running out of memory are errors with a message
 * here.  What it answers is as hostile as the file: the parent checks each size before it uses it.
 *
 * The child is forked and runs no other program, so it calls nothing of drivers or threads that the
 * parent has; it ends without the parent's exit handlers.  In a build with a sanitizer the limit of
 * memory does not hold, for the sanitizer's own memory would count.
 *
 * It confines faults.  It is no sandbox against code that was brought in by a file: such code could
 * still signal other processes of the user, or remove files. */
#ifndef ASSAY_CONFORMANCE_UTIL_PARSER_H
#define ASSAY_CONFORMANCE_UTIL_PARSER_H

#include "conformance/util/process.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct parser_job {
    const char *name;    /* "libhdf5", for messages */
    size_t result_bytes; /* the most memory that parser_allow may add to the limit */
    int files;           /* how many files the child may open, before parser_opened */
    /* Runs in the child with its end of the socket; false: ends as after a failure. */
    void (*serve)(int socket, void *user);
    void *user;
};

struct parser {
    struct process process; /* its socket, log and id; no part of a pool */
    const char *name;
    size_t memory_mib;
    double deadline_s;
    unsigned char ahead[8192]; /* read from the socket, but not asked for yet */
    size_t ahead_at, ahead_end;
};

/* Whether a limit of memory holds: not in builds with a sanitizer. */
bool parser_limits_memory(void);

/* ---- in the parent ---- */

/* STATUS_IO when there can be no child; *p then needs no parser_end. */
enum status parser_start(struct parser *p, const struct parser_job *job, struct diag *diag);
/* Begins the time that the child has to answer; parser_start and parser_send do. */
void parser_expect(struct parser *p);
enum status parser_send(struct parser *p, const void *data, size_t bytes, struct diag *diag);
/* Reads that many bytes.  STATUS_IO with the reason: crash, or a limit with its value. */
enum status parser_receive(struct parser *p, void *data, size_t bytes, struct diag *diag);
/* Reads the status that the child has sent with parser_answer, and its message. */
enum status parser_result(struct parser *p, struct diag *diag);
/* Ends the child.  Also after a failure, and twice. */
void parser_end(struct parser *p);

/* ---- in the child ---- */

/* Limits the address space to what there is now and so many bytes more, where such a limit holds:
 * the soft limit is for the library, the hard one for the result, too. */
void parser_limit_memory(uint64_t library, uint64_t result);

/* From here on no file can be opened. */
void parser_opened(void);
/* Adds the bytes of a result, which the parent has found to be wanted, to the limit of memory. */
void parser_allow(size_t bytes);
/* Bytes that follow a good status. */
struct parser_part {
    const void *data;
    size_t bytes;
};
struct parser_reply {
    enum status status;
    const struct diag *diag;
    bool
        memory_was_short; /* as errno ENOMEM since parser_begin: the failure is that of the limit */
    struct parser_part parts[2];
};
/* False: the parent is gone. */
bool parser_answer(int socket, const struct parser_reply *reply);
/* Forgets earlier shortages of memory. */
void parser_begin(void);

#endif
