#ifndef CORE_JUDGE_TASK_PAIRED_INPUTS_H
#define CORE_JUDGE_TASK_PAIRED_INPUTS_H

#include <stdbool.h>

#include "core/model/graph.h"

/* Inputs that belong together, such as predictions and what they are compared with. */

/* True if an input's whole numbers can be places in the rows of another one. */
bool paired_inputs_are_indices(const struct graph *graph);

/* True if two inputs of real numbers, one after the other, have one shape. */
bool paired_inputs_are_alike(const struct graph *graph);

#endif
