#ifndef CORE_JUDGE_DEVICE_TURNS_H
#define CORE_JUDGE_DEVICE_TURNS_H

#include "core/judge/device/memory_share.h"
#include "core/judge/judge_options.h"
#include "core/model/device_info.h"
#include "core/system/turn_lock.h"

/*
 * The judges of a machine share its devices: only one judge times on a device at a time. All work
 * that would disturb a timing waits until the timing is over. On a CPU that is all work of other
 * judges, because it takes the cores; on a GPU it is the work that runs there, while compilers and
 * the CPU's oracle continue. The locks are files in the user's cache folder: one for all CPU
 * devices of a host, and one for each GPU.
 */
struct device_turns {
    const struct judge_options *options; /* borrowed */
    struct turn_lock *lock;              /* NULL: the judge does not share the device */
    struct memory_share *memory;         /* its share of a GPU's memory, or NULL */
    bool is_cpu;
};

enum device_work {
    DEVICE_RESTS,
    DEVICE_HOST,  /* only the host works: compilers, the oracle */
    DEVICE_RUNS,  /* programs run on the device, but none is timed */
    DEVICE_TOOLS, /* a profiler or a sanitizer runs them */
    DEVICE_TIMED
};

/* Takes turns for a step of an evaluation: waits for one for this work (device_turns_take()). */
struct turn_taker {
    enum status (*take)(void *data, enum device_work work, struct error *err);
    void *data;
};

/*
 * Share the device with the other judges that open it, if the options say so. It may be called
 * again for another device.
 */
void device_turns_open(struct device_turns *turns, const struct judge_options *options,
                       const struct device_info *device);
void device_turns_close(struct device_turns *turns);

/*
 * End this judge's earlier work, and wait until its new work disturbs no timing of another judge
 * and no other judge's work disturbs its own timing. The time waited is added to `*waited_us`.
 * Fails only if cancelled.
 */
enum status device_turns_take(struct device_turns *turns, enum device_work work, int64_t *waited_us,
                              struct error *err) MUST_CHECK;

/*
 * Reserve `bytes` of the device's memory in place of what the judge had, and wait until other
 * judges leave that much. A judge that has the device to itself gets any number, and one
 * that has waited for two minutes is not kept longer. Fails only if cancelled.
 */
enum status device_turns_reserve(struct device_turns *turns, double bytes,
                                 const struct device_info *device, int64_t *waited_us,
                                 struct error *err) MUST_CHECK;

/* Likewise, but false, with nothing reserved, if the judge would have to wait. */
bool device_turns_may_reserve(struct device_turns *turns, double bytes,
                              const struct device_info *device);

/* End this judge's work on the device. Never waits. */
void device_turns_rest(struct device_turns *turns);

/* True if another judge waits for the device. */
bool device_turns_are_wanted(const struct device_turns *turns);

#endif
