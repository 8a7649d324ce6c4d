#ifndef CORE_AGENT_REPLY_KERNEL_FILES_H
#define CORE_AGENT_REPLY_KERNEL_FILES_H

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * A candidate as files for an editor: the kernel under its language's file name ("kernel.cl"), the
 * plan beside it ("plan.json"), and compile_flags.txt, from which clangd learns the language.
 * Editors choose colours by the ending of a name, so a reply in Markdown is not edited as it is.
 *
 * The remark of the reply has no file; it is kept.
 */

/*
 * Write the candidate of a reply into a folder, which is made.  STATUS_INVALID if the reply holds
 * no candidate.  `language` is that of the reply's candidate (reply_language()).
 */
enum status kernel_files_write(const char *folder, const char *language, const char *reply,
                               struct error *err) MUST_CHECK;

/*
 * Read kernel and plan, and append the reply with these.  Unchanged files give `reply` to the byte.
 * STATUS_NOT_FOUND if a file is missing, STATUS_INVALID if one is empty or no text.
 */
enum status kernel_files_read(const char *folder, const char *language, const char *reply,
                              struct strbuf *edited, struct error *err) MUST_CHECK;

/* The paths of kernel and plan; the caller frees. */
char *kernel_files_source(const char *folder, const char *language);
char *kernel_files_plan(const char *folder);

/*
 * Append a candidate without a remark, in the form of a reply, from the path of a kernel: the plan
 * is NAME.json or plan.json beside NAME.cl. If both are missing, the reply has no plan
 * (reply_derive.h).
 */
enum status kernel_files_read_alone(const char *path, const char *language, struct strbuf *reply,
                                    struct error *err) MUST_CHECK;

#endif
