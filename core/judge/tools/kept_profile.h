#ifndef CORE_JUDGE_TOOLS_KEPT_PROFILE_H
#define CORE_JUDGE_TOOLS_KEPT_PROFILE_H

#include "core/model/device_info.h"
#include "core/model/problem.h"
#include "core/model/profile.h"

/*
 * A cache of profiles in the user's cache folder. Taking a profile takes seconds, and the sessions
 * of a suite often reach the same kernel: in repeats, and in arms that begin alike. A profile is
 * found only for the same source, resolved plan, problem and device, with the same driver and
 * compiler. Profiles of a source that includes files of its own are not cached
 * (compiled_can_keep()). Executors cannot write to this cache.
 */
struct profiled_code {
    const struct device_info *device;
    const struct problem *problem;
    const char *language, *source;
    const struct json *dispatch; /* the resolved plan at the main dimensions (dispatch_encode()) */
    bool without_lines;          /* the profile has no lines of the source */
};

/* Find the profile of this code, which is marked as kept; false if there is none. */
bool kept_profile_recall(const struct profiled_code *code, struct profile *profile);

/* Keep a complete profile; others are not kept. */
void kept_profile_keep(const struct profiled_code *code, const struct profile *profile);

#endif
