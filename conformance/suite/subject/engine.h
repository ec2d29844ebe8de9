/* A model opened on a subject, whoever runs it: our interpreter with a delegate, another TensorFlow
 * Lite C library, or LiteRT's CompiledModel API.
 *
 * The judge speaks to this interface alone.  What one kind of subject cannot do is said by
 * engine_abilities: such a check is left out, and counted as left out, never as passed. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_ENGINE_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_ENGINE_H

#include "conformance/suite/cases/case.h"
#include "conformance/suite/subject/outputs.h"
#include "conformance/suite/subject/subject.h"
#include "reference/base/diag.h"
#include "reference/format/model.h"
#include "reference/runtime/interpreter.h"
#include "reference/runtime/options.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum engine_ability {
    ENGINE_GUARDS = 1,       /* memory round its tensors is watched, and so are its inputs */
    ENGINE_POISON = 2,       /* outputs hold poison_word before they are written */
    ENGINE_RESIZE = 4,       /* the inputs of an opened model take another batch */
    ENGINE_RESET = 8,        /* variables can be reset */
    ENGINE_NODES = 16,       /* it says of each node whether it was taken, else of the model only */
    ENGINE_OFFSET = 32,      /* it takes offset_bytes */
    ENGINE_RESIZE_OPEN = 64, /* inputs take other sizes when the delegate has been applied */
    ENGINE_DECLINE = 128,    /* nodes can be kept from the delegate */
    ENGINE_ABILITIES = 255,
    /* Not of engines at the end of a line, which run one thing after the other. */
    ENGINE_LOCAL = 256
};

/* How an engine at the end of a line ended, if it did. */
enum engine_end {
    ENGINE_RUNS,
    ENGINE_CRASHED,
    ENGINE_LATE,  /* a step took longer than the case may */
    ENGINE_LOST,  /* the line, which says nothing about the subject */
    ENGINE_BROKEN /* it answered what is no answer */
};

enum { ENGINE_EXPECTED_MAX = 64 };

/* Bytes of guard words: NaN in floats, and another value, which is large and finite. */
enum { ENGINE_GUARD_NAN = 0xff, ENGINE_GUARD_NUMBER = 0x5a };

/* One inference that is to come: engine_reopen with the word of poison where
 * that is not 0, engine_guards where `guards` is none of its own, engine_reset
 * where `reset` is set, then engine_write of the frame. */
struct engine_expected {
    const struct case_instance *x; /* must outlive the engine */
    int frame;
    bool reset;
    int guards;        /* a byte; -1: they stay */
    uint32_t reopened; /* with this word of poison; 0: it stays open */
};

struct engine_request {
    const struct subject *subject; /* loaded; must outlive the engine */
    TfLiteDelegate *delegate;      /* NULL: none; must outlive the engine */
    /* Must outlive the engine.  Of engine_reads_files NULL, where there is only a file, of bytes
     * that nobody has verified, for the runtime to read as they are: nothing but poison_word is
     * then asked for. */
    const struct model *model;
    const struct tflite_file *file; /* the model as a file, where there is one; must outlive it */
    uint32_t poison_word; /* outputs before they are written; 0: left alone where that can be */
    int32_t batch;        /* dimension `axis` of the inputs in `resized`; 0: as the file says */
    int axis;             /* 0: the first */
    const bool *resized;  /* of each input; only read where batch is not 0 */
    /* Of ENGINE_OFFSET: host tensors and constants lie so many bytes behind a multiple of 64,
     * rounded down to the size of their elements, as far as the kind can place them; less than 64.
     */
    size_t offset_bytes;
    /* Of ENGINE_DECLINE: nodes that the delegate does not get, though it may want them. */
    int declined_first, declined_count;
    /* What is asked of it first, where that is known: an engine at the end of a line does all of it
     * in one exchange.  Copied. */
    const struct engine_expected *expected;
    size_t expected_count; /* at most ENGINE_EXPECTED_MAX */
    /* From expected[then_at] on, which is opened anew, another model is expected, with its file as
     * above.  NULL: none. */
    const struct model *then;
    const struct tflite_file *then_file;
    size_t then_at;
    /* Runs nodes that our interpreter lacks, where that runs the model; may be NULL. */
    const struct interpreter_stand_in *stand_in;
    /* Gets the messages of whoever runs the model; may be NULL. */
    void (*report)(void *user, const char *format, va_list args);
    void *report_user;
};

/* An input or output as the runtime has it. */
struct engine_tensor {
    TfLiteType type;
    int rank;
    int dims[REF_MAX_RANK];
    size_t bytes;
};

struct engine {
    const struct engine_type *type; /* the first member of what open returns */
};

/* What a kind of subject implements.  The functions below call these. */
struct engine_type {
    unsigned abilities;                                /* of enum engine_ability */
    unsigned (*abilities_of)(const struct subject *s); /* where options change them; NULL: never */
    enum status (*open)(const struct engine_request *request, struct engine **out,
                        struct diag *diag);
    void (*close)(struct engine *e);
    bool (*is_taken)(struct engine *e, int node);
    const char *(*refusal)(struct engine *e); /* NULL: it never has a text */
    enum status (*reset)(struct engine *e, struct diag *diag);
    enum status (*write)(struct engine *e, const struct case_instance *x, int frame,
                         struct diag *diag);
    enum status (*invoke)(struct engine *e, struct diag *diag);
    enum status (*read)(struct engine *e, struct outputs *got, struct diag *diag);
    enum status (*check)(struct engine *e, const struct case_instance *x, int frame,
                         struct diag *diag);
    bool reads_files; /* its runtime does; models of others are read by the suite */
    /* False past the last one, and where the model was refused. */
    bool (*tensor)(struct engine *e, bool output, size_t index, struct engine_tensor *t);
    /* NULL: write, then invoke. */
    enum status (*round_trip)(struct engine *e, const struct case_instance *x, struct diag *diag);
    size_t (*bytes)(struct engine *e);              /* NULL: not known */
    bool (*guards)(struct engine *e, uint8_t byte); /* NULL: its guard words do not change */
    /* NULL without ENGINE_RESIZE_OPEN. */
    enum status (*resize)(struct engine *e, int axis, int32_t size, const bool *resized,
                          struct diag *diag);
    /* Of engines at the end of a line; NULL of others.  reopen: false where it was not expected.
     * begin_open: *out stays NULL where the line has no room. */
    void (*begin_open)(const struct engine_request *request, struct engine **out);
    enum status (*end_open)(struct engine *e, struct diag *diag);
    void (*flush)(const struct subject *s);
    bool (*reopen)(struct engine *e, const struct engine_request *request);
    double (*took_ms)(struct engine *e);
    bool (*stats)(struct engine *e, char *json, size_t bytes);
    void (*begin)(const struct subject *s, double limit_s);
    enum engine_end (*ended)(const struct subject *s, char *text, size_t bytes);
};

/* What each of them has, from functions of its file that have these names. */
#define ENGINE_STEPS                                                                               \
    .open = open_model, .close = end, .is_taken = is_taken, .reset = reset, .write = write_inputs, \
    .invoke = invoke, .read = read_outputs, .check = check

/* The kinds: engine_interpreter.c and the files of the others. */
extern const struct engine_type engine_interpreter;
/* The one that runs the models of a subject. */
const struct engine_type *engine_type_of(const struct subject *s);
unsigned engine_abilities(const struct subject *s);

/* Opens the model and gets it ready to run.  A model that the subject does not take is no failure:
 * then engine_is_taken is false, and it need not run.  On failure *out is NULL. */
enum status engine_open(const struct engine_request *request, struct engine **out,
                        struct diag *diag);
void engine_close(struct engine *e); /* takes NULL */
/* engine_open in two calls, between which other models may be opened and run, and the request's
 * `expected` is of no use any more.  *out is NULL where it cannot be begun: then it is opened
 * later.  On failure of engine_end_open it is closed, and *e is NULL. */
void engine_begin_open(const struct engine_request *request, struct engine **out);
enum status engine_end_open(struct engine **e, struct diag *diag);
/* Lets a subject at the end of a line get to work on what was begun. */
void engine_flush(const struct subject *s);
/* Closes it and opens it with another word of poison, all else alike; of NULL opens it. */
enum status engine_reopen(const struct engine_request *request, struct engine **e,
                          struct diag *diag);
/* Whether its runtime reads files itself, so that it can be given any bytes. */
bool engine_reads_files(const struct subject *s);
/* An input or output as the runtime has it; false past the last one, and where it has refused the
 * model. */
bool engine_tensor(struct engine *e, bool output, size_t index, struct engine_tensor *t);
/* Whether the subject runs the node itself; without ENGINE_NODES, whether it runs the model. */
bool engine_is_taken(struct engine *e, int node);
/* Why the model was not taken, in the words of who refused it; "" where nothing is known. */
const char *engine_refusal(struct engine *e);
/* Sets the variables to zero; without ENGINE_RESET by opening the model anew. */
enum status engine_reset(struct engine *e, struct diag *diag);

/* One inference in four steps, so that the second can be timed.  write fills the inputs with a
 * frame (0: A, 1: B) of x, and the outputs with poison; read copies the outputs; check looks
 * whether anything was written that must be left alone: guard words, inputs, the bytes of the
 * model. */
enum status engine_write(struct engine *e, const struct case_instance *x, int frame,
                         struct diag *diag);
enum status engine_invoke(struct engine *e, struct diag *diag);
/* The same, and how long it took: at the end of a line by the clock there. */
enum status engine_invoke_timed(struct engine *e, double *ms, struct diag *diag);
enum status engine_read(struct engine *e, struct outputs *got, struct diag *diag);
enum status engine_check(struct engine *e, const struct case_instance *x, int frame,
                         struct diag *diag);
/* One inference as an application has it, from frame A in the host's memory until the outputs can
 * be read there; without poison, and without a copy of the outputs. */
enum status engine_round_trip(struct engine *e, const struct case_instance *x, struct diag *diag);
/* Fills the guard words with a byte; opened, an engine has ENGINE_GUARD_NAN.  False: it cannot. */
bool engine_guards(struct engine *e, uint8_t byte);
/* Gives the inputs in `resized` another dimension `axis`, as an application does that has applied
 * its delegate; needs ENGINE_RESIZE_OPEN. */
enum status engine_resize(struct engine *e, int axis, int32_t size, const bool *resized,
                          struct diag *diag);
/* What the agent at the end of a line says of its memory: the object of STATS (PROTOCOL.md), cut
 * where it does not fit.  False: it says nothing, or is none. */
bool engine_stats(struct engine *e, char *json, size_t bytes);
/* Bytes of its tensors; 0 when not known. */
size_t engine_bytes(struct engine *e);

/* A case begins, for which there are limit_s seconds (0: no limit): a line that ended may be opened
 * anew, and from now on engine_ended says how this one ended.  Others never end alone: their
 * process ends with them. */
void engine_begin(const struct subject *s, double limit_s);
enum engine_end engine_ended(const struct subject *s, char *text, size_t bytes);

/* How many variable tensors, and handles of variables, the first graph has: a model with one keeps
 * state. */
size_t engine_count_variables(const struct model *m);
/* An op with state writes its new state to the tensors of the old one, be they inputs of the graph
 * or not. */
bool engine_is_written_back(const struct model *m, int tensor);

/* ---- engine_interpreter.c ---- */

/* Our interpreter as the host of a delegate, and opened alike without one. */

/* Opens an interpreter of request->model, resizes its inputs, applies the delegate (NULL: none) and
 * allocates.  The request's subject is not read.  On failure *in is NULL. */
enum status engine_interpreter_start(const struct engine_request *request,
                                     const struct interpreter_options *options,
                                     struct interpreter **in, struct diag *diag);

/* ---- engine_line.c: runs models at the end of a line (line.h) ---- */

extern const struct engine_type engine_line;

/* ---- engine_litert.c: runs models in LiteRT's CompiledModel API ---- */

/* The subject's runtime is a struct litert. */
extern const struct engine_type engine_litert;

#endif
