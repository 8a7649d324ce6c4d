#ifndef CORE_MODEL_ROOFLINE_FLOOR_H
#define CORE_MODEL_ROOFLINE_FLOOR_H

#include "core/model/roofline/needs.h"
#include "core/model/verdict.h"

/*
 * The floor: a time that no correct candidate can beat, whatever its algorithm. Every run reads the
 * inputs that the outputs depend on (needs.h), writes the outputs, and takes at least as long as an
 * empty launch. The floor does not depend on operations, params or tolerances.
 */

/*
 * Compute the floor; it is not changed if the roofs have neither bandwidth nor launch time.
 * `ignored` is as in needs.h.
 */
void floor_compute(const struct graph *graph, const bool *ignored, const struct roofs *roofs,
                   struct time_floor *result);

/* True if the time of an empty launch, not the traffic, makes the floor. */
bool floor_is_launch(const struct time_floor *limit);

/*
 * The shortest time that can be believed: the floor less the roofs' own error of measurement; 0 if
 * there is no floor. `cores` is the number of the host's cores that make up the device, 0 for a
 * GPU: while other processes kept some of these cores busy, the roofs were measured on the
 * remaining ones only.
 */
double floor_least_us(const struct time_floor *limit, const struct roofs *roofs, unsigned cores);

/* True when `us` is shorter than floor_least_us(). */
bool floor_is_beaten(const struct time_floor *limit, double us, const struct roofs *roofs,
                     unsigned cores);

#endif
