#ifndef TUI_CLI_SUITE_SUITE_TASK_H
#define TUI_CLI_SUITE_SUITE_TASK_H

#include "tui/cli/suite/suite_options.h"

/*
 * `kforge suite task SUITE NUMBER [PID]`: run the session of a task to its end, or resume it. Its
 * exit code is that of `kforge run`. It is interrupted when process PID, which started it, ends.
 */
enum exit_code suite_task(const struct suite_options *options);

#endif
