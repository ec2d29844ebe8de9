/* What of a model is run: the subgraph of a signature, other sizes of its inputs, and of a model
 * with nodes that the reference does not know the nodes that it knows.
 *
 * Such a model is written anew, and model_file_read gives it in the place of the file. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_MODEL_USE_H
#define ASSAY_CONFORMANCE_SUITE_IO_MODEL_USE_H

#include "conformance/util/string_list.h"
#include "reference/base/diag.h"
#include "reference/format/file.h"
#include "reference/format/model.h"
#include "reference/runtime/interpreter.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A node that is not run. */
struct model_use_left {
    int node; /* in the file */
    int32_t version;
    char op[64];
    char why[256];
};

/* Zero-initialized, but for the first members; model_use_close frees it. */
struct model_use {
    const char *signature;     /* its key; NULL: the first subgraph */
    struct string_list shapes; /* NAME:DIMS, of inputs */
    const char *host;          /* who runs what the reference does not know; NULL: nobody */

    struct file_model file; /* of the model that was cut; empty: none was */
    struct model whole;
    size_t nodes; /* of it */
    struct model_use_left *left;
    size_t left_count;
};

/* Puts the signature's subgraph first and gives inputs their shapes; nothing where neither is asked
 * for.  STATUS_USAGE for a signature or a name that the model lacks, and for what is no NAME:DIMS.
 */
enum status model_use_choose(struct model_use *u, const char *path, struct diag *diag);
/* Where the model could not be opened for a node that the reference does not know (s), the other
 * nodes become the model: what they read of such a node is an input, what such a node reads an
 * output.  False: another failure, or no node would be left. */
bool model_use_cut(struct model_use *u, const char *path, enum status s, struct diag *diag);
void model_use_close(struct model_use *u);

/* What a report says of it, u may be NULL: the signature, where there are several or other
 * subgraphs; inputs whose sizes the file leaves open, with those of in (NULL: of the file); and the
 * nodes that are not run, or by the host.  In text a line each, with texts from a column on. */
void model_use_print(FILE *f, const struct model_use *u, const struct model *m,
                     struct interpreter *in, int column);
void model_use_json(json_t *o, const struct model_use *u, const struct model *m,
                    struct interpreter *in);
/* The number in the file of a node of the model that is run. */
int model_use_node(const struct model_use *u, int node);
/* After data that do not fit input i (s): where the file leaves sizes of it open, adds how to give
 * others.  Returns s. */
enum status model_use_explain(const struct model *m, size_t i, enum status s, struct diag *diag);
/* "1 of 246 nodes was not run: node 5, NoSuchOp"; empty where all were. */
void model_use_missing(const struct model_use *u, char *text, size_t bytes);

#endif
