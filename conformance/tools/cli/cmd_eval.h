/* The parts of `assay eval`: cmd_eval_<part>.c defines each. */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_CMD_EVAL_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_CMD_EVAL_H

#include "conformance/tools/cli/commands.h"

int eval_imagenet_run(const struct command *self, int argc, char **argv);
int eval_coco_run(const struct command *self, int argc, char **argv);
int eval_llm_run(const struct command *self, int argc, char **argv);
int eval_segmentation_run(const struct command *self, int argc, char **argv);

#endif
