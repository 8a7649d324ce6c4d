#ifndef BACKENDS_DIAGNOSTICS_COMPILER_LOG_H
#define BACKENDS_DIAGNOSTICS_COMPILER_LOG_H

#include "core/model/verdict.h"

/*
 * A compiler's log as a list of messages.  Every compiler prints its own way;
 * understood are PoCL's (severity first), what clang prints and so NVIDIA's
 * OpenCL and most others do (place first), NVRTC's (a caret below the source
 * line marks the column), and those of NVIDIA's assembler ptxas.  Places are those of the source as
 * it was given to the driver; a message about anything else (a macro of the command line, PTX) has
 * no place.
 */

/*
 * A log in which the source is called kernel.cl: PoCL calls it by the path of a file that has
 * another name for each build, so that the same source would not have the same log.  The caller
 * frees.
 */
char *compiler_log_name_source(const char *log);

/* Append the messages of `report->log` to `report->diagnostics`, each once. */
void compiler_log_read(struct build_report *report);

/* The same for a failed build: where no message is an error, the log as a whole becomes one. */
void compiler_log_read_failure(struct build_report *report);

/* Add to `found` what ptxas -v says in a log of the kernel that it is for: registers, spills. */
void compiler_log_read_resources(const char *log, struct kernel_resources *found);

#endif
