#ifndef CORE_JUDGE_TOOLS_BOTTLENECK_H
#define CORE_JUDGE_TOOLS_BOTTLENECK_H

#include "core/model/profile.h"

/*
 * What a profile of a GPU's counters comes to: for each launch that takes a
 * share of the time worth speaking of, what limits it ("memory", "compute",
 * "cache" or "latency") and what is wasteful in it ("uncoalesced",
 * "bank_conflicts", "spills", "occupancy", "divergence", "tensor_unused"),
 * each with the numbers that show it.  The thresholds are those of the
 * "Kernel Profiling Guide" of Nsight Compute, where it gives any.
 */

/* Append the rules that apply to the profile's kernels. */
void bottleneck_find(struct profile *profile);

#endif
