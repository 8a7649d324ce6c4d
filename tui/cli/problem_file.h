#ifndef TUI_CLI_PROBLEM_FILE_H
#define TUI_CLI_PROBLEM_FILE_H

#include "core/session/worker/evaluator.h"

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

/* A row of a table for getopt_long(), beyond the worker's options, and its part of a synopsis. */
enum { OPTION_TOLERANCE = 512 };
#define TOLERANCE_OPTION                                       \
    {                                                          \
        "tolerance", required_argument, NULL, OPTION_TOLERANCE \
    }
#define TOLERANCE_SYNOPSIS "[--tolerance f32|mixed]"

/* What a problem on the command line may be, for the help. */
#define PROBLEM_DETAILS                                                                            \
    "PROBLEM is a JSON file (FORMATS.md), or a PyTorch file (.py) in KernelBench's form: Model,\n" \
    "get_inputs and get_init_inputs. Its kernels have to compute with --tolerance f32, or "        \
    "mixed.\n"

/* The path of a file, or of a problem that ships by its name; NULL: neither. The caller frees. */
char *problem_file_find(const char *name);

/* Take the option's text, which stays borrowed.  STATUS_INVALID when it is no class. */
enum status problem_file_take_tolerance(const char **tolerance, const char *text,
                                        struct error *err) MUST_CHECK;

#endif
