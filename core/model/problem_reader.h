#ifndef CORE_MODEL_PROBLEM_READER_H
#define CORE_MODEL_PROBLEM_READER_H

#include "core/model/problem.h"

/*
 * Read a problem from JSON text and check all of it, including the graph at all dimensions of the
 * file. Error messages call it `file`.
 *
 * Dimensions are from 1 to SHAPE_MAX_ELEMENTS, and no tensor has more elements than that. A kernel
 * that gets a larger dimension than 2^31 - 1 takes it as an i64.
 */
enum status problem_parse(struct problem *problem, const char *text, size_t len, const char *file,
                          struct error *err) MUST_CHECK;
enum status problem_load(struct problem *problem, const char *path, struct error *err) MUST_CHECK;

#endif
