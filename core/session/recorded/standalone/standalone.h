#ifndef CORE_SESSION_RECORDED_STANDALONE_STANDALONE_H
#define CORE_SESSION_RECORDED_STANDALONE_STANDALONE_H

#include "core/model/candidate.h"
#include "core/model/problem.h"

/*
 * Writes a candidate as a program that runs without kforge: its kernels, its plan as numbers for
 * the problem's main dimensions, and the host code.  The templates are in prompts/export and
 * prompts/platforms/<language>/export.
 */
struct standalone {
    const struct problem *problem;
    const struct candidate *candidate;
    const char *tuned;      /* the choice of tunables, named as in a verdict; NULL: the first */
    bool tf32_convolutions; /* for PyTorch, in CUDA: round as PyTorch (standalone_rounding.h) */
};

/*
 * Write a C program with a CMake build into a new folder.  It compares the kernels with the plain
 * kernels on random data, and times both.
 */
enum status standalone_write_c(const struct standalone *standalone, const char *folder,
                               struct error *err) MUST_CHECK;

/*
 * Write a candidate in CUDA, Triton or CuTe DSL as a Python file for PyTorch with a class ModelNew,
 * in the form of KernelBench. If the problem is a PyTorch file, the Python file contains it, and
 * ModelNew is a subclass of its Model. A second file, FILE_reference.py, has the PyTorch model that
 * ModelNew replaces: Model, get_inputs and get_init_inputs.
 */
enum status standalone_write_torch(const struct standalone *standalone, const char *path,
                                   struct error *err) MUST_CHECK;

#endif
