#ifndef TUI_CLI_PROBLEM_FILE_H
#define TUI_CLI_PROBLEM_FILE_H

#include "core/session/worker/evaluator.h"
#include "tui/cli/option_table.h"

/*
 * The problem that a file on the command line is: a JSON file as it stands, a
 * PyTorch file (.py) as a worker describes it, who runs it for that.
 */

struct problem_file {
    const char *path;
    const char *tolerance; /* the class that a PyTorch file gets; NULL: f32 */
    struct evaluator_options worker;
};

/* Append the problem's text to `out`.  STATUS_INVALID for a file that is none, in a line. */
enum status problem_file_read(const struct problem_file *file, struct strbuf *out,
                              struct error *err) MUST_CHECK;

/* --tolerance, which fills a const char * with "f32" or "mixed". */
extern const struct option_row tolerance_option[];

/* What a problem on the command line may be, for the help. */
#define PROBLEM_DETAILS                                                                            \
    "PROBLEM is a JSON file (FORMATS.md), or a PyTorch file (.py) in KernelBench's form: Model,\n" \
    "get_inputs and get_init_inputs. Its kernels have to compute with --tolerance f32, or "        \
    "mixed.\n"

/* The path of a file, or of a problem that ships by its name; NULL: neither. The caller frees. */
char *problem_file_find(const char *name);

#endif
