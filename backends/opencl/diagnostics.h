#ifndef BACKENDS_OPENCL_DIAGNOSTICS_H
#define BACKENDS_OPENCL_DIAGNOSTICS_H

#include "core/model/verdict.h"

/*
 * A compiler's log as a list of messages.  Every driver prints its own way;
 * understood are PoCL's (severity first), what clang prints and so NVIDIA
 * and most others do (place first), and those of NVIDIA's assembler ptxas.
 * Places are those of the source as it was given to the driver; a message
 * about anything else (a macro of the command line, PTX) has no place.
 */

/* Append the messages of `report->log` to `report->diagnostics`, each once. */
void opencl_diagnostics_read(struct build_report *report);

/* The same for a failed build: where no message is an error, the log as a whole becomes one. */
void opencl_diagnostics_read_failure(struct build_report *report);

#endif
