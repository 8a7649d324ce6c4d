#ifndef TUI_CLI_PROBLEM_FILE_H
#define TUI_CLI_PROBLEM_FILE_H

#include "core/session/worker/evaluator.h"
#include "tui/cli/option_table.h"
#include "tui/cli/worker_query.h"

/*
 * Reads a problem that is named on the command line. A JSON file is the problem itself. A PyTorch
 * file (.py) is executed by a worker, which describes it as a problem.
 */

struct problem_file {
    const char *path;
    const char *tolerance; /* for a PyTorch file: "f32" or "mixed"; NULL: f32 */
    struct evaluator_options worker;
};

/*
 * Append the file's text to `out`: the problem, or the source of a model if `*is_model`.
 * STATUS_INVALID: a bad file.
 */
enum status problem_file_open(const struct problem_file *file, struct strbuf *out, bool *is_model,
                              struct error *err) MUST_CHECK;

/*
 * The members of the question "describe" to a worker (backends/service.h) about the model's source.
 * The answer has the problem. The caller owns the object.
 */
struct json *problem_file_question(const struct problem_file *file, const struct strbuf *source);

/*
 * Append the problem's text to `out`. For a PyTorch file, wait for the worker of `*worker_query`;
 * if that is NULL, start one, which the caller closes after an error too. STATUS_INVALID: a bad
 * file.
 */
enum status problem_file_read(const struct problem_file *file, struct worker_query **worker_query,
                              struct strbuf *out, struct error *err) MUST_CHECK;

/* --tolerance, which fills a const char * with "f32" or "mixed". */
extern const struct option_row tolerance_option[];

/* The help text of the argument PROBLEM. */
#define PROBLEM_DETAILS                                                                            \
    "PROBLEM is a JSON file (FORMATS.md), or a PyTorch file (.py) in KernelBench's form: Model,\n" \
    "get_inputs and get_init_inputs, or the name of a problem that ships with kforge, such as\n"   \
    "softmax. --tolerance is for PyTorch files: f32, or mixed, which permits computing in 16 "     \
    "bits."

/*
 * The path of the file `name`, or of the shipped problem with that name; NULL if there is neither.
 * The caller frees it.
 */
char *problem_file_find(const char *name);

#endif
