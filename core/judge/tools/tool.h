#ifndef CORE_JUDGE_TOOLS_TOOL_H
#define CORE_JUDGE_TOOLS_TOOL_H

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * Programs of CUDA's toolkit that look at candidates from outside.  None is
 * needed, and each is found when it is asked for: in PATH, in the toolkit
 * ($CUDA_HOME, $CUDA_PATH, /usr/local/cuda), or where NVIDIA's packages put it.
 */

/*
 * The path of `name`, the caller's.  STATUS_UNAVAILABLE says which package of
 * NVIDIA's repository has it.
 */
enum status tool_find(const char *name, char **path, struct error *err) MUST_CHECK;

/*
 * Run to its end a tool that takes no input, and append what it prints.
 * STATUS_UNAVAILABLE where it does not start, ends with another status than 0,
 * or works for longer than a minute.
 */
enum status tool_run(const char *const *argv, struct strbuf *output, struct error *err) MUST_CHECK;

/* A new folder for a tool's files, the caller's to free; NULL with the error set. */
char *tool_folder_new(struct error *err);

/* Remove the folder, with the files in it, and free its name.  NULL is no folder. */
void tool_folder_free(char *folder);

#endif
