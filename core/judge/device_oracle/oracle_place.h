#ifndef CORE_JUDGE_DEVICE_ORACLE_ORACLE_PLACE_H
#define CORE_JUDGE_DEVICE_ORACLE_ORACLE_PLACE_H

#include "core/judge/device_oracle/oracle_kernel.h"

/*
 * Chooses the places of the values: in buffers of doubles, which later values take again, in the
 * tensors of an output, or nowhere, because their readers compute them by a function.
 */

/*
 * The places before the first node: those of given tensors. By value of the graph; the caller
 * frees the array.
 */
struct oracle_place *oracle_places_new(const struct oracle_writer *w);

/* Place the result of node number `node`; true if it becomes a function of its readers. */
bool oracle_place_result(struct oracle_writer *w, size_t node);

/* After node number `node`: free the buffers of inner values that no later node reads. */
void oracle_places_give(struct oracle_writer *w, size_t node);

#endif
