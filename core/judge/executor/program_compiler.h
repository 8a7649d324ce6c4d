#ifndef CORE_JUDGE_EXECUTOR_PROGRAM_COMPILER_H
#define CORE_JUDGE_EXECUTOR_PROGRAM_COMPILER_H

#include "core/judge/executor/child.h"
#include "core/judge/executor/compiled.h"
#include "core/judge/executor/wire.h"

/*
 * The compiler of kernels that are written in Python: a contained child process of the judge
 * (backends/python). It makes machine code with the numbers that a launch needs, and a back end
 * loads that as it loads a binary of its own compiler.
 *
 * The plan of such a kernel counts programs; the launches of the code have the threads, the shared
 * memory and the further arguments that the compiler has chosen. All executors of a judge share the
 * process. It starts with the first source that needs it.
 */
struct program_compiler;

/* `argv` is the command that starts it, without the script; borrowed. */
struct program_compiler *program_compiler_new(const char *const *argv);
void program_compiler_free(struct program_compiler *compiler);

/* Borrows everything. */
struct program_request {
    const char *language; /* a name in language.h, of a language with a compiler */
    const char *source;
    const struct dispatch *dispatch;
    /* the device's description of its compiler, whose last word is the target */
    const char *device;
    int64_t limit_us;
    struct child_cancel cancel;
};

/* The result; the caller releases it. */
struct program_code {
    /* the code in the form of binary_encode(); NULL if the source was refused */
    struct json *binary;
    /* the dispatch with the launches of that code; NULL if the source was refused */
    struct json *dispatch;
    char digest[DIGEST_HEX_SIZE]; /* digest of source, compiler and kernels */
    struct build_report report;
    enum outcome outcome; /* the outcome of a failure that is the candidate's fault */
};
void program_code_release(struct program_code *code);

/*
 * Compile the kernels of the launches, or take them from the cache. A refusal by the compiler is
 * STATUS_OK. STATUS_UNAVAILABLE names what this machine lacks.
 */
enum status program_compile(struct program_compiler *compiler,
                            const struct program_request *request, struct program_code *code,
                            struct error *err) MUST_CHECK;

/*
 * Announce the launches of a dispatch of the next source: from the next program_compile() on, their
 * kernels are compiled beside those that are asked for, several at a time, and wait to be asked
 * for. False if no more can be announced.
 */
bool program_compiler_foresee(struct program_compiler *compiler, const struct dispatch *dispatch);

/* Forget what was announced, and end the work on it, which would disturb a timing. */
void program_compiler_rest(struct program_compiler *compiler);

#endif
