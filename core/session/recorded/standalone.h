#ifndef CORE_SESSION_RECORDED_STANDALONE_H
#define CORE_SESSION_RECORDED_STANDALONE_H

#include "core/model/candidate.h"
#include "core/model/problem.h"

/*
 * A candidate as a program that needs nothing of kforge: its kernels, the
 * launch plan at the problem's main dimensions, in numbers, and what a host
 * has to do.  The texts come from templates and files in prompts/export.
 */
struct standalone {
    const struct problem *problem;
    const struct candidate *candidate;
    const char *tuned; /* the choice of tunables, as verdicts name it; NULL: the first */
};

/*
 * Write a C program for CMake into a new folder, for OpenCL or CUDA: it
 * checks the kernels against the plain ones of every operation, on random
 * data, and times them.
 */
enum status standalone_write_c(const struct standalone *standalone, const char *folder,
                               struct error *err) MUST_CHECK;

/*
 * Write a CUDA candidate as a Python file for PyTorch with a class ModelNew,
 * in the form of KernelBench.  Beside it, as FILE_reference.py, goes what it
 * stands for: Model, get_inputs and get_init_inputs.
 */
enum status standalone_write_torch(const struct standalone *standalone, const char *path,
                                   struct error *err) MUST_CHECK;

#endif
