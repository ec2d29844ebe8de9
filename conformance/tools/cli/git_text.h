/* The commit that the program was built from; empty where it is not known.  The Makefile writes the
 * C file (ci/git-text.sh). */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_GIT_TEXT_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_GIT_TEXT_H

extern const char git_text[];

#endif
