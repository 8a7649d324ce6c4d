#include "core/agent/builtin/plan/remedies.h"

#include <math.h>
#include <string.h>

#include "core/base/array.h"

/* threads whose memory accesses the hardware coalesces */
enum { WARP = 32 };

enum {
    TILED = FAMILY_PRODUCT | FAMILY_CONVOLUTION | FAMILY_ATTENTION,
    ANY = 2 * FAMILY_POOLING - 1
};

static const struct remedy remedies[] = {
    {"uncoalesced", KNOB_FUSE, 1, 0, ANY},
    {"uncoalesced", KNOB_LANES, 1, WARP, FAMILY_ROWWISE | FAMILY_SCAN},
    {"uncoalesced", KNOB_BLOCK, 1, 0, FAMILY_TRANSPOSE},
    {"small_grid", KNOB_TILE_M, -1, 0, TILED},
    {"small_grid", KNOB_TILE_N, -1, 0, TILED},
    {"small_grid", KNOB_SPAN, -1, 0, FAMILY_PRODUCT},
    {"small_grid", KNOB_SLICES, 1, 0, FAMILY_PRODUCT},
    {"small_grid", KNOB_ITEMS, -1, 0, FAMILY_ELEMENTWISE | FAMILY_MOVEMENT | FAMILY_POOLING},
    {"small_grid", KNOB_GROUP, -1, 0, FAMILY_ELEMENTWISE | FAMILY_MOVEMENT | FAMILY_POOLING},
    {"small_grid", KNOB_LANES, 1, 0, FAMILY_ROWWISE},
    {"small_grid", KNOB_BLOCK, -1, 0, FAMILY_TRANSPOSE},
    {"spills", KNOB_HOLD, -1, 0, FAMILY_ROWWISE},
    {"spills", KNOB_TILE_M, -1, 0, TILED},
    {"spills", KNOB_TILE_N, -1, 0, TILED},
    {"spills", KNOB_VEC, -1, 0, FAMILY_ELEMENTWISE | FAMILY_MOVEMENT | FAMILY_POOLING},
    {"latency", KNOB_LANES, 1, 0, FAMILY_ROWWISE},
    {"latency", KNOB_SLICES, 1, 0, FAMILY_PRODUCT},
    {"latency", KNOB_STAGES, 1, 0, FAMILY_PRODUCT},
    {"occupancy", KNOB_HOLD, -1, 0, FAMILY_ROWWISE},
    {"occupancy", KNOB_TILE_N, -1, 0, TILED},
    {"cache", KNOB_TILE_M, 1, 0, TILED},
    {"cache", KNOB_TILE_N, 1, 0, TILED},
    {"cache", KNOB_HOLD, 1, 0, FAMILY_ROWWISE},
    {"memory", KNOB_FUSE, 1, 0, ANY},
    {"memory", KNOB_HOLD, 1, 0, FAMILY_ROWWISE},
    {"memory", KNOB_STORE, -1, 0, FAMILY_ROWWISE},
    {"compute", KNOB_FAST, 1, 0, ANY},
};

static const struct {
    const char *rule;
    struct reason reason;
} reasons[] = {
    {"uncoalesced",
     {"neighbouring threads touch distant elements",
      "neighbouring threads touch neighbouring elements and use all fetched bytes", "coalescing"}},
    {"small_grid",
     {"too few blocks for all multiprocessors",
      "more blocks with less work each reach all multiprocessors", "parallelism"}},
    {"spills", {"registers spill to memory", "the remaining values fit in registers", "registers"}},
    {"latency",
     {"warps wait while no unit is busy", "more loads are in flight at a time", "latency"}},
    {"occupancy",
     {"few warps are resident on each multiprocessor",
      "fewer registers and less shared memory per warp leave room for more warps", "occupancy"}},
    {"cache",
     {"operands come from the caches again and again", "values in registers are used more often",
      "reuse"}},
    {"memory", {"traffic to and from DRAM", "less data goes to DRAM", "traffic"}},
    {"compute", {"arithmetic", "the kernel takes fewer instructions", "arithmetic"}},
};

/* The promised gain for a rule without an estimate. */
static const double usual_gain = 1.1;

/* The limit of a promised gain: counters alone do not justify more. */
static const double greatest_gain = 4;

const struct remedy *remedies_at(size_t i)
{
    return i < COUNT(remedies) ? &remedies[i] : NULL;
}

static double share_of(const struct profile *profile, const char *kernel)
{
    for (size_t i = 0; i < profile->kernels.count; i++)
        if (strcmp(profile->kernels.items[i].name, kernel) == 0)
            return profile->kernels.items[i].share;
    return 0;
}

const struct profile_rule *remedies_rule(const struct profile *profile, const char *name)
{
    const struct profile_rule *found = NULL;

    for (size_t i = 0; i < profile->rules.count; i++) {
        const struct profile_rule *rule = &profile->rules.items[i];

        if (strcmp(rule->name, name) == 0 &&
            (!found || share_of(profile, rule->kernel) > share_of(profile, found->kernel)))
            found = rule;
    }
    return found;
}

double remedies_gain(const struct profile_rule *rule)
{
    return rule->has_estimate ? fmin(sqrt(rule->estimate), greatest_gain) : usual_gain;
}

bool remedies_apply(const struct remedy *remedy, const struct schedule *schedule, unsigned families)
{
    return remedy->families & families &&
           (!remedy->below || schedule->of[remedy->knob] < remedy->below);
}

static bool is_step(const struct remedy *remedy, const struct schedule *from,
                    const struct schedule *to)
{
    int moved = to->of[remedy->knob] - from->of[remedy->knob];

    return remedy->direction > 0 ? moved > 0 : moved < 0;
}

const struct profile_rule *remedies_answered_rule(const struct profile *profile,
                                                  const struct schedule *from,
                                                  const struct schedule *to)
{
    const struct remedy *remedy;

    for (size_t i = 0; (remedy = remedies_at(i)); i++) {
        const struct profile_rule *rule = remedies_rule(profile, remedy->rule);

        if (rule && remedies_apply(remedy, from, remedy->families) && is_step(remedy, from, to))
            return rule;
    }
    return NULL;
}

const struct reason *remedies_reason(const struct profile_rule *rule)
{
    size_t i = 0;

    while (strcmp(reasons[i].rule, rule->name) != 0)
        i++;
    return &reasons[i].reason;
}
