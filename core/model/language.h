#ifndef CORE_MODEL_LANGUAGE_H
#define CORE_MODEL_LANGUAGE_H

#include <stdbool.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * The languages that candidates are written in, one row of a table each.
 *
 * A new language needs three things: a row in language.c, a folder
 * backends/<device>/ whose CMakeLists.txt registers its back end (or a back end that takes the
 * language beside its own), and a folder
 * prompts/platforms/<name>/ with the texts that a language model is given.
 * No other file compares the name of a language.
 */

/* The kinds of code that kforge itself writes; core/codegen/dialect.c has a row for each. */
enum dialect_kind {
    /* kforge writes no code in it: no plain kernels, built-in agents or measured roofs */
    DIALECT_NONE,
    DIALECT_OPENCL,
    DIALECT_CUDA,
    DIALECT_HIP,
    DIALECT_C,
    DIALECT_COUNT
};

enum { LANGUAGE_WORDS = 10 };

struct language {
    const char *name;  /* in JSON and in the names of folders below prompts/platforms */
    const char *title; /* in messages and prompts: the language as the field writes it */
    /*
     * the part before the colon in the ids of the devices whose own language it is, or NULL. A
     * device may take further languages (device_info.h).
     */
    const char *device;
    const char *source_file; /* the kernel's file name in commits and exports */
    const char *syntax;      /* the table of colours, in tui/code/lexer_languages.c */

    /* Lists that end with NULL. */
    const char *fences[LANGUAGE_WORDS];  /* words that mark its code blocks in Markdown, the usual
                                            one first */
    const char *options[LANGUAGE_WORDS]; /* prefixes of the compiler options that a plan may give */
    const char *environment[LANGUAGE_WORDS]; /* prefixes of the environment variables that its
                                                drivers read */

    /* the environment variables among them that select devices or drivers */
    const char *selectors[LANGUAGE_WORDS];

    /* How clangd and clang read its sources in an editor: options, then the shipped folder with
     * the declarations that they lack, or NULL. */
    const char *clang_options[LANGUAGE_WORDS];
    const char *clang_headers;

    const char *compiler;     /* the shipped script that compiles its kernels (program_compiler.h);
                                 NULL: the back end does */
    const char *options_help; /* the allowed options, as an error message lists them */
    const char *caveat;       /* a warning to users about its devices, or NULL */
    const char *sanitizer;    /* the program that finds wrong accesses in its kernels (tool.h) */
    enum dialect_kind dialect;
    bool lacks_headers;    /* its compiler has no standard headers (bare_source.h) */
    bool has_programs;     /* a launch counts programs on tiles (dispatch.h) */
    bool has_nvidia_tools; /* ncu can observe its kernels */
    bool has_runtime;      /* its kernels call a library with threads of its own, which an executor
                              starts before it loads any (executor.h) */
    bool has_counters;     /* its kernels are functions, which the processor's counters observe */
    bool runs_in_c;        /* a candidate can be exported as a C program, by the files in export/ */
    bool runs_in_torch;    /* a candidate can be exported as a PyTorch module */
    bool driver_sizes_groups; /* if a plan gives no work-group size, the driver chooses one */
    bool shares_groups;       /* on a CPU, its drivers hand groups to whichever core is free */
    bool names_buffers;       /* its drivers name a buffer, which another process can then read */
};

/* The table, in the order in which devices are listed. It ends with a row without a name. */
extern const struct language languages[];

/*
 * The row of that name. A name that is not in the table, which a newer worker may report, gives a
 * row without a name and features.
 */
const struct language *language_of(const char *name);

/* The title of the language of that name, or the name if it is not in the table. */
const char *language_title(const char *name);

/* The language whose devices have this id or beginning of an id, "cuda:0", or NULL. */
const struct language *language_of_device(const char *id);

/*
 * The language of a source by the ending of its file's name, ".cl" or ".sycl.cpp"; the longest
 * counts. NULL if no language has it.
 */
const struct language *language_of_file(const char *path);

/* Fail for an unknown name: STATUS_INVALID, and the error lists the known names. */
enum status language_refuse(const char *name, struct error *err);

/* True when some language allows a plan to give this option to the compiler. */
bool language_allows_option(const char *option);

/* Append the allowed options of all languages, as an error message lists them. */
void language_list_options(struct strbuf *out);

/* Append the titles of the languages that kforge itself writes, "OpenCL C and CUDA C++". */
void language_list_dialects(struct strbuf *out);

/*
 * Append the environment variables in use that may hide devices, as NAME="value": those of the
 * language `name`, or of all if that is NULL.
 */
void language_list_selectors(const char *name, struct strbuf *out);

/* True when a variable, "NAME=value", configures the drivers of some language. */
bool language_reads_variable(const char *variable);

#endif
