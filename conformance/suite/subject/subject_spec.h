/* Subjects as the command line names them. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_SUBJECT_SPEC_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_SUBJECT_SPEC_H

#include "conformance/suite/subject/subject.h"
#include "conformance/util/string_list.h"

/* Reads path and options (KEY=VALUE each); copies all.  path NULL: our delegate, beside the program
 * or in ../lib; "none": the reference.  Does not load the library: a parent process stays free of
 * what a delegate does when loaded.  STATUS_IO when the file is missing or unreadable. */
enum status subject_init(struct subject *s, const char *path, const struct string_list *options,
                         struct diag *diag);
/* Reads KIND:LIBRARY?KEY=VALUE&KEY=VALUE, as --subject takes it: "delegate:PATH", "litert:gpu",
 * "tflite-c:PATH?delegate=PATH", "reference".  %XX is the character of that hexadecimal code, for
 * ? & and %.  The key bounds is the class of bounds.  Otherwise as subject_init; STATUS_USAGE for a
 * text that is no subject. */
enum status subject_parse(struct subject *s, const char *text, struct diag *diag);
/* Writes the subject as subject_parse reads it; false when it does not fit. */
bool subject_spec(const struct subject *s, char *text, size_t bytes);
#endif
