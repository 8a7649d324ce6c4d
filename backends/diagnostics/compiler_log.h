#ifndef BACKENDS_DIAGNOSTICS_COMPILER_LOG_H
#define BACKENDS_DIAGNOSTICS_COMPILER_LOG_H

#include "core/model/verdict.h"

/*
 * Parses a compiler's log into a list of messages.  Each compiler has its own format; this module
 * understands PoCL's (severity first), clang's, which NVIDIA's OpenCL and most others use (place
 * first), NVRTC's (a caret below the source line marks the column), and that of NVIDIA's assembler
 * ptxas.
 *
 * Lines and columns count from 1 in the source as it was given to the driver.  A message about
 * anything else, such as a macro on the command line or PTX, has no place.
 */

/*
 * A copy of the log in which the source is called kernel.cl.  PoCL names a temporary file, whose
 * name changes with each build, so that equal sources would have different logs.  The caller frees
 * it.
 */
char *compiler_log_name_source(const char *log);

/*
 * Limits: a source with thousands of wrong lines has a log of megabytes, which is too long to read.
 * At most COMPILER_LOG_MESSAGES errors are kept and as many warnings and notes, and one more note
 * then counts those left out.
 */
enum {
    COMPILER_LOG_MESSAGES = 100,
    COMPILER_LOG_TEXT_BYTES = 1000,  /* bytes of one message */
    COMPILER_LOG_MAX_BYTES = 1 << 18 /* bytes of the log in the report */
};

/*
 * Append the messages in `report->log` to `report->diagnostics`, each once, and shorten the log.
 * Takes time in proportion to the log's length.
 */
void compiler_log_read(struct build_report *report);

/* Read the log of a failed build: if no message is an error, the whole log becomes one. */
void compiler_log_read_failure(struct build_report *report);

/* Add to `found` the registers and spills that ptxas -v reports for the kernel `found->kernel`. */
void compiler_log_read_resources(const char *log, struct kernel_resources *found);

#endif
