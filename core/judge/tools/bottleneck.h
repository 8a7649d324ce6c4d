#ifndef CORE_JUDGE_TOOLS_BOTTLENECK_H
#define CORE_JUDGE_TOOLS_BOTTLENECK_H

#include "core/model/profile.h"

/*
 * Rules that summarise the counters of a GPU: for each launch with a relevant share of the time,
 * its limiter ("memory", "compute", "cache" or "latency") and its inefficiencies ("uncoalesced",
 * "bank_conflicts", "spills", "occupancy", "divergence", "tensor_unused"), each with the numbers
 * that show it. The thresholds are those of the "Kernel Profiling Guide" of Nsight Compute, where
 * it gives any.
 */

/* Append the rules that apply to the profile's kernels. */
void bottleneck_find(struct profile *profile);

#endif
