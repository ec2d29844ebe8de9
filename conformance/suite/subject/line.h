/* The line to an agent: a child process or a socket, and what both ends know of each other.
 *
 * A line belongs to one process and is used by one thread.  It is opened when it is needed; once it
 * has ended, all that is asked of it fails until the next case begins, so that an end is a matter
 * of one case. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_LINE_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_LINE_H

#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/wire.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line;
struct subject;

/* How to reach an agent. */
struct line_place {
    const char *command; /* for a shell, copied; NULL: the socket at `address` */
    const char *address; /* "HOST:PORT" or "unix:PATH" */
    /* Whether this end of the command, with its last words, means that the line was lost, not the
     * agent; NULL: none does. */
    bool (*is_lost)(int exit_status, const char *words);
};

/* Makes a line that is not open yet. */
enum status line_make(struct line **out, const struct subject *s, const struct line_place *place,
                      struct diag *diag);
void line_close(struct line *l); /* takes NULL */
/* Opens it: says HELLO and CREATE.  STATUS_OK where it is open already. */
enum status line_open(struct line *l, struct diag *diag);

/* A case begins, for which there are limit_s seconds (0: no limit): a line that has ended may be
 * opened anew. */
void line_begin(struct line *l, double limit_s);
/* How it has ended since then, with the reason.  Answers that nobody asked for any more are waited
 * for, and what became of them is no matter of the case. */
enum engine_end line_ended(struct line *l, char *text, size_t bytes);

unsigned line_abilities(const struct line *l); /* of enum engine_ability; 0: never open */
bool line_gives_stats(const struct line *l);
const char *line_device(const struct line *l);
const char *line_runtime(const struct line *l);
uint32_t line_new_instance(struct line *l);

/* One exchange: line_start, then steps into its buffer, then line_end, which gives it a number,
 * then line_receive of that number, which waits for the answer: the payload of a frame, mem_free, a
 * reader of the answers in it, and how many these are.  Several may be on their way where
 * line_has_room says so. */
enum status line_start(struct line *l, uint32_t instance, struct wire_out **steps,
                       struct diag *diag);
/* The id under which the agent has these bytes; they are sent where it has not.  The line is
 * open; before line_start. */
uint64_t line_data(struct line *l, const void *bytes, size_t count);
uint32_t line_end(struct line *l, unsigned steps);
enum status line_receive(struct line *l, uint32_t exchange, uint8_t **payload,
                         struct wire_in *answers, unsigned *answered, struct diag *diag);
/* line_end and line_receive. */
enum status line_finish(struct line *l, unsigned steps, uint8_t **payload, struct wire_in *answers,
                        unsigned *answered, struct diag *diag);
/* Whether one more exchange, of so many bytes of data, may be sent before the others are answered:
 * neither end may wait for the other to read. */
bool line_has_room(struct line *l, size_t bytes);
/* Sends what line_receive would send first. */
void line_flush(struct line *l);
/* The answer is of no use any more. */
void line_forget(struct line *l, uint32_t exchange);
/* Tells the agent, with the next exchange, that an instance is of no use any more. */
void line_drop(struct line *l, uint32_t instance);
/* Notes that what the agent answered breaks the protocol; returns STATUS_INVALID. */
enum status line_break(struct line *l, struct diag *diag, const char *what);

#endif
