/* The parts of `assay report`: cmd_report_<part>.c has each. */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_CMD_REPORT_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_CMD_REPORT_H

#include "conformance/tools/cli/commands.h"

int report_show_run(const struct command *self, int argc, char **argv);
int report_merge_run(const struct command *self, int argc, char **argv);
int report_compare_run(const struct command *self, int argc, char **argv);
int report_accept_run(const struct command *self, int argc, char **argv);
int report_statement_run(const struct command *self, int argc, char **argv);

#endif
