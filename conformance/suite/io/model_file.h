/* The bytes of a model, in whatever form it is given: a .tflite file, a text (reference/text) in a
 * file that ends in ".txt", the text itself where a path is expected, as --model=TEXT has it, or a
 * model of a bundle (bundle.h): FILE where it has one, else FILE#NAME. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_MODEL_FILE_H
#define ASSAY_CONFORMANCE_SUITE_IO_MODEL_FILE_H

#include "conformance/suite/io/bundle.h"
#include "reference/base/diag.h"
#include "reference/format/file.h"
#include "reference/format/model.h"
#include "reference/format/write.h"

#include <stdbool.h>
#include <stdio.h>

/* A name that begins so is the text of a model, not a path. */
#define MODEL_FILE_PREFIX "text:"

struct model_file {
    struct file_model tflite; /* file_model_close */
    bool from_text;
};

/* Reads a model, of at most the limit file_bytes.  The bytes of a .tflite file are not judged; a
 * text has to be a model, unless as_written (model_text.h), and its errors name line and column.
 * "-" is standard input, in either form. */
enum status model_file_open(struct model_file *m, const char *name, bool as_written,
                            struct diag *diag);

/* The same for commands that read a model several times, to which "-" is a file's name: in place of
 * file_model_open (format/file.h). */
enum status model_file_read(const char *name, struct file_model *file, struct diag *diag);

/* What model_file_read gives from now on for a name, in this process and those that it forks, not
 * as a copy: what is read has to be closed before model_file_restore.  Takes file->bytes, also when
 * it fails. */
enum status model_file_replace(const char *name, struct tflite_file *file, struct diag *diag);
bool model_file_is_replaced(const char *name);
/* Forgets that, and the bundle. */
void model_file_restore(void);

/* The bundle that the model which was read last lies in, and the number of its section; NULL: in
 * none. */
const struct bundle *model_file_bundle(size_t *chosen);

/* Writes a model as a text, and constants that are long into the file "PATH.data" beside it, which
 * is written first; each is whole or not there.  path NULL: on f, with all constants. */
enum status model_file_write_text(const struct model *m, FILE *f, const char *path,
                                  struct diag *diag);

#endif
