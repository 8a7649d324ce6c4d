#ifndef TUI_CLI_SUITE_SUITE_NEW_H
#define TUI_CLI_SUITE_SUITE_NEW_H

#include "core/suite/suite.h"
#include "tui/cli/suite/suite_options.h"

/*
 * Read the suite that the command line describes: FILE, or --problems with the options of one arm.
 * The paths of its problems, references and rules are made absolute. Relative paths in FILE refer
 * to the folder of FILE.
 */
enum status suite_new(struct suite *suite, const struct suite_options *options,
                      struct error *err) MUST_CHECK;

#endif
