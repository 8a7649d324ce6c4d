#ifndef TESTS_CONTRACT_COMPARISON_SCENE_H
#define TESTS_CONTRACT_COMPARISON_SCENE_H

#include "tests/unit/unit.h"

#include "core/judge/executor/executor.h"
#include "core/judge/task/expected_outputs.h"

/*
 * A problem with two outputs of three rows, whose expected values are computed on the CPU, for
 * tests that compare what a device has computed. The functions fail the running test on an error.
 */
struct scene {
    struct problem problem;
    struct binding bindings[1];
    struct graph graph;
    struct expectation here; /* computed on the CPU */
};

/* What a test is about: a problem without its head, and the class of its tolerance. */
struct scene_problem {
    const char *text, *class;
};

/*
 * Outputs of different types. The logarithm of a negative number is NaN, and some of the numbers
 * are infinite in f16. There are more elements than work-items. On a GPU the first is large enough
 * to stay there, and the second is not.
 */
extern const struct scene_problem scene_outputs_f32, scene_outputs_mixed;

/* Columns around their means, and products with them: tolerances need two evaluations. */
extern const struct scene_problem scene_centred_f32;

/* Square roots of what rounding leaves of 0, which may be NaN. */
extern const struct scene_problem scene_edges_f32;

/* True if the device of this id is a GPU; NULL is the first one, on a CPU. */
bool scene_is_on_gpu(const char *id);

void scene_open(struct scene *s, const struct scene_problem *of);
void scene_close(struct scene *s);

/* Run the plain kernels on the data of the scene, in an executor that the caller frees. */
struct executor *scene_run_plain(struct scene *s, const struct executor_options *options);

#endif
