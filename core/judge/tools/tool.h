#ifndef CORE_JUDGE_TOOLS_TOOL_H
#define CORE_JUDGE_TOOLS_TOOL_H

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * Programs that examine candidates from outside: those of the CUDA toolkit, and oclgrind. None is
 * required. Each is
 * searched for when it is needed: in PATH, in the toolkit ($CUDA_HOME, $CUDA_PATH,
 * /usr/local/cuda), and where NVIDIA's packages install it.
 */

/*
 * The path of the program `name`, the caller's. STATUS_UNAVAILABLE names the package that has it.
 */
enum status tool_find(const char *name, char **path, struct error *err) MUST_CHECK;

/*
 * Run a tool that takes no input to its end, and append its output. STATUS_UNAVAILABLE if it does
 * not start, exits with a status other than 0, or runs for longer than a minute.
 */
enum status tool_run(const char *const *argv, struct strbuf *output, struct error *err) MUST_CHECK;

/* Remove a folder with a tool's files, and free its name. NULL is allowed. */
void tool_folder_free(char *folder);

#endif
