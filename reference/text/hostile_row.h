/* The hostile models of fuzz/hostile: files of rows, each a model as text (hostile_model.c), or the
 * edit of one (reference/text/edit.h), damage to its bytes (hostile_damage.c), and the manifest:
 * what the reference, the delegate and LiteRT make of it.  fuzz/hostile/README.md describes the
 * form. */
#ifndef ASSAY_REFERENCE_TEXT_HOSTILE_ROW_H
#define ASSAY_REFERENCE_TEXT_HOSTILE_ROW_H

#include "reference/base/diag.h"
#include "reference/format/model.h"
#include "reference/format/write.h"

#include <stdbool.h>
#include <stddef.h>

/* Where a model ends. */
#define HOSTILE_STAGES(X)                                                                          \
    X(VERIFY, "verify")   /* tflite_verify refuses the bytes */                                    \
    X(OPEN, "open")       /* the interpreter cannot be made */                                     \
    X(PREPARE, "prepare") /* tensors cannot be allocated */                                        \
    X(INVOKE, "invoke")   /* an inference fails */                                                 \
    X(RUNS, "runs")       /* nothing fails */

enum hostile_stage {
#define X(name, text) HOSTILE_##name,
    HOSTILE_STAGES(X)
#undef X
        HOSTILE_STAGE_COUNT
};
const char *hostile_stage_text(enum hostile_stage stage);

enum { HOSTILE_DAMAGE_MAX = 8, HOSTILE_WORDS_MAX = 6, HOSTILE_ROWS_MAX = 4096 };

struct hostile_row {
    const char *name;  /* "conv_2d.stride_0", also that of the written file */
    const char *model; /* text; that of the base where there is one */
    /* The row whose model is edited, and the edit; NULL: none. */
    const char *base, *edit;
    bool is_base; /* of other rows */
    const char *damage[HOSTILE_DAMAGE_MAX];
    int damage_count;
    /* The verdict of verifier and reference. */
    enum hostile_stage stage;
    enum status status;
    int node, tensor;  /* that the message names; -1: none */
    const char *field; /* text of the message; NULL: none */
    const char *words[HOSTILE_WORDS_MAX];
    int word_count;
    /* The rule by which the delegate leaves a node to the CPU, "taken" when it takes all nodes, or
     * "unseen" when there is no graph.  Behind the rule: words of its refusal. */
    const char *rule;
    const char *rule_words[HOSTILE_WORDS_MAX];
    int rule_word_count;
    int rule_node; /* that the delegate's verdict is about; -1: that of the verdict above */
    /* With what the delegate decides: changes of the graph that it was given, which no file makes
     * (graph_edit.h; the row then has no verdict of others), its options, limits of a device. */
    const char *graph, *options, *limits;
    const char *boundary; /* rules at whose boundary the row lies, or NULL */
    /* "refuses", "crashes", "runs", or "undefined" where it depends on memory that is not its own,
     * or NULL: not asked; why it differs from ours. */
    const char *litert, *why;
    /* "runs", where a value that is known only in the inference is refused by the reference and not
     * by shaders, or NULL. */
    const char *device;
    /* Of LiteRT as the host of our delegate: "left" when the delegate takes nothing there,
     * "refuses" when the model opens without a delegate alone, or NULL. */
    const char *host;
    const char *feed, *result; /* of graph inputs, and of the first output; NULL: ones, unchecked */
    const char *pending;       /* why the verdict is not yet reached, or NULL */
    const char *file;          /* of the table, with the line of the row */
    int line;
};

/* The rows of all files *.txt of a folder, in the order of their names. */
struct hostile_table {
    struct hostile_row *rows;
    size_t count;
    struct hostile_text {
        char *text;
        struct hostile_text *next;
    } * texts;
};
enum status hostile_table_read(struct hostile_table *t, const char *folder, struct diag *diag);
/* The rows of one text, in which a line "#= FILE" begins the rows of a file.  On failure, as that
 * of hostile_table_read, *t is to be closed, too. */
enum status hostile_table_open(struct hostile_table *t, const char *text, size_t count,
                               struct diag *diag);
void hostile_table_close(struct hostile_table *t);

/* Whether a message names the node, the tensor, the field and the words of the row; if not, *diag
 * says what is missing. */
enum status hostile_row_judge(const struct hostile_row *row, const char *message,
                              struct diag *diag);

/* ---- hostile_model.c ---- */

/* The models of the hostile corpus: "base" has constants, a variable, strings, operators with
 * options and without, and one input too many; anything else is the text of a model, written down
 * whatever is wrong with it. */

/* The model, with an edit (edit.h) unless that is NULL.  STATUS_INVALID with the place in the text
 * of either; *m is then to be closed, too. */
enum status hostile_text_build(const char *text, const char *edit, struct model *m,
                               struct diag *diag);

/* ---- hostile_damage.c ---- */

/* Damage to the bytes of a .tflite file, at fields that the schema finds.
 *
 *     subgraphs[0].tensors[2].shape[1] = -1     an element of a vector
 *     subgraphs[0].tensors[2].buffer = 99       a scalar, which the file must have
 *     subgraphs[0].tensors[2].name.offset = 0   the 4 bytes that lead to a table, vector or string
 *     subgraphs[0].tensors[1].table_offset = 0  that of a table in a vector
 *     subgraphs[0].tensors.length = 0           of a vector or string
 *     subgraphs[0].vtable = 2                   offset to the vtable; .vtable_bytes, .table_bytes
 *     subgraphs[0].tensors[2].shape.entry = 0   of a field in the vtable
 *     buffers[1].data[0] = 7                    a byte; .int[2], .float[0] of data as numbers
 *     file.size = 7, file.append = 5, file.u8[4] = 1, file.u32[0] = 24 */

/* STATUS_INVALID with the text when the file lacks the field.  The file is sound before the first
 * damage; later ones must not need what an earlier one has broken. */
enum status hostile_damage(struct tflite_file *file, const char *text, struct diag *diag);

#endif
