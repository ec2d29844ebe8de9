/* A delegate for tests of its host: it takes the nodes that a test selects, runs them with the
 * reference kernels on memory of its own, fails where the test says, and logs what was called. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_MOCK_DELEGATE_H
#define ASSAY_REFERENCE_TESTS_KIT_MOCK_DELEGATE_H

#include "reference/tests/kit/graph_kit.h"

#include "reference/kernels/op.h"

enum { MOCK_LOG = 4096, MOCK_SLOTS = 16 };

struct mock {
    TfLiteDelegate abi;

    /* Behaviour.  All zero: takes all nodes, copies outputs, never fails. */
    bool (*takes)(const struct mock *mock, int node); /* NULL: all */
    uint64_t choice;                                  /* for takes */
    TfLiteStatus prepare_status;
    int fail_init, fail_kernel_prepare, fail_invoke; /* the n-th call fails; 0: none */
    bool swallow;                                    /* Prepare says ok whatever Replace returned */
    bool handles;                                    /* outputs stay in its own buffers */
    bool dynamic_outputs; /* kernels make their outputs dynamic and resize them in invoke */
    bool add_temporary;   /* each kernel's init adds a tensor and lists it as temporary */
    void (*probe)(struct mock *mock, TfLiteContext *context, const char *where);

    /* Log: P Prepare, i init, p prepare, v invoke, f free, c CopyFromBufferHandle, h
     * FreeBufferHandle. */
    char log[MOCK_LOG];
    size_t logged;
    int inits, kernel_prepares, invokes, live_kernels, last_freed;
    const void *last_context; /* of last_freed */
    int partitions;           /* by Preview, in the last Prepare */
    TfLiteStatus replaced;    /* what Replace returned */
    struct {
        void *data;
        size_t bytes;
    } slot[MOCK_SLOTS]; /* by handle */
    int slots;
};

/* Appends an event to the log. */
void mock_note(struct mock *m, char event);
void mock_clear_log(struct mock *m);
bool mock_has(const TfLiteIntArray *a, int value);
/* A copy of count ints, allocated with malloc as the ABI wants it. */
TfLiteIntArray *mock_ints(int count, const int *data);

/* ---- the kernel ---- */

void *mock_init(TfLiteContext *context, const char *buffer, size_t length);
/* Infers all shapes from those of the partition's inputs, as a real delegate has to. */
TfLiteStatus mock_prepare(TfLiteContext *context, TfLiteNode *node);
TfLiteStatus mock_invoke(TfLiteContext *context, TfLiteNode *node);
void mock_free(TfLiteContext *context, void *data);

/* ---- the delegate ---- */

TfLiteStatus mock_delegate_prepare(TfLiteContext *context, TfLiteDelegate *delegate);
/* Sets up the ABI struct of *m, whose behaviour is set afterwards. */
void mock_begin(struct mock *m);
/* To be called after the interpreters are closed: asserts that everything was freed. */
void mock_end(struct mock *m);
/* One of this name, until the end of the block. */
#define MOCK(m)                                                                                    \
    struct mock m CLOSED_BY(mock_end);                                                             \
    mock_begin(&m)
/* Values for takes: nodes whose bit in choice is set; all but every choice-th; node choice alone;
 * nodes from choice on; nodes below choice; none. */
bool mock_by_bits(const struct mock *m, int node);
bool mock_not_every(const struct mock *m, int node);
bool mock_only(const struct mock *m, int node);
bool mock_from(const struct mock *m, int node);
bool mock_below(const struct mock *m, int node);
bool mock_none(const struct mock *m, int node);

#endif
