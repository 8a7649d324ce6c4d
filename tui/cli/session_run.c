#include <unistd.h>

#include "tui/cli/headless.h"

enum exit_code run_session(const struct run_options *options)
{
    return headless_run(options);
}
