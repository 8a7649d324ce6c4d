#include "core/judge/device_oracle/oracle_stash.h"

#include <math.h>

#include "core/judge/executor/readback.h"
#include "core/system/clock.h"
#include "core/system/log.h"

/* The share of the device's memory that stays free besides stashes. */
static const double free_share = 0.4;

/* The request for a stash, with the tensors that are compared. */
static struct executor_stash stash_of(const struct device_oracle *oracle, size_t place, bool back)
{
    const struct oracle_program *program = &oracle->program;
    struct executor_stash stash = {.place = place, .back = back};

    for (size_t i = 0; i < program->compared.count && stash.count + 2 <= STASH_TENSORS; i++) {
        stash.tensors[stash.count++] = program->compared.items[i].value;
        stash.tensors[stash.count++] = program->compared.items[i].allowed;
    }
    return stash;
}

static double bytes_of(const struct device_oracle *oracle)
{
    const struct executor_stash stash = stash_of(oracle, 0, false);
    const struct buffer_spec *buffers = oracle->program.dispatch.buffers.items;
    double bytes = 0;

    for (size_t i = 0; i < stash.count; i++)
        bytes += (double)readback_contents(&buffers[stash.tensors[i]]);
    return bytes;
}

/* The bytes that all stashes may take. */
static double room_of(const struct device_oracle *oracle)
{
    const struct device_info *device;

    if (executor_device(oracle->executor, &device, NULL))
        return 0;
    if (oracle->free_bytes <= 0) /* the driver does not say */
        return oracle->ahead_bytes;
    return fmin(oracle->ahead_bytes,
                oracle->free_bytes - free_share * (double)device->memory_bytes);
}

/* The number of stashes that there is room for. */
static size_t count_places(const struct device_oracle *oracle)
{
    size_t outputs = oracle->program.compared.count;
    double places = outputs ? room_of(oracle) / bytes_of(oracle) : 0;

    if (2 * outputs > STASH_TENSORS || places < 1)
        return 0;
    return places < STASH_COUNT ? (size_t)places : STASH_COUNT;
}

static struct oracle_stash *find(struct device_oracle *oracle, const struct expectation *seeds)
{
    for (size_t i = 0; i < STASH_COUNT; i++) {
        struct oracle_stash *stash = &oracle->stashes[i];

        if (stash->is_used && stash->param_seed == seeds->param_seed &&
            stash->input_seed == seeds->input_seed)
            return stash;
    }
    return NULL;
}

/* Compute the values for these seeds, and copy them to a stash. */
static enum status put(struct device_oracle *oracle, size_t place, const struct expectation *seeds)
{
    struct oracle_stash *stash = &oracle->stashes[place];
    const struct executor_stash request = stash_of(oracle, place, false);
    struct error later;
    enum status st;

    if (find(oracle, seeds) == stash)
        return STATUS_OK;
    stash->is_used = false;
    st = oracle_state_compute(oracle, seeds, &later);
    if (!st)
        st = executor_stash(oracle->executor, &request, &later);
    if (!st)
        *stash = (struct oracle_stash){true, seeds->param_seed, seeds->input_seed};
    return st;
}

static bool is_late(const struct expectation_list *next)
{
    return next->is_late && *next->is_late;
}

/* All in the order in which they will be compared: what is not computed in time is the last. */
static enum status fill_all(struct device_oracle *oracle, struct expectation_list *next)
{
    enum status st = STATUS_OK;

    for (; !st && next->computed < next->count && !is_late(next); next->computed += !st)
        st = put(oracle, next->computed, next->items[next->computed]);
    return st;
}

/* The last ones come first, because computing leaves the values in place. */
static enum status fill_some(struct device_oracle *oracle, struct expectation_list *next,
                             size_t count)
{
    struct error later;
    enum status st = STATUS_OK;

    for (size_t i = count; !st && i-- > 1;)
        st = is_late(next) ? STATUS_CANCELLED : put(oracle, i - 1, next->items[i]);
    if (!st && count)
        st = oracle_state_compute(oracle, next->items[0], &later);
    next->computed = st ? 0 : count;
    return st == STATUS_CANCELLED ? STATUS_OK : st;
}

enum status oracle_stash_fill(struct device_oracle *oracle, struct expectation_list *next)
{
    size_t places = count_places(oracle);
    int64_t began_us = clock_now_us();
    enum status st;

    next->computed = 0;
    st = next->count <= places ? fill_all(oracle, next) : fill_some(oracle, next, places + 1);
    if (st)
        oracle->ahead_bytes = 0; /* there was less room than it seemed */
    log_long("to compute expected values ahead", began_us);
    return st;
}

bool oracle_stash_take(struct device_oracle *oracle, const struct expectation *seeds)
{
    struct oracle_stash *stash = find(oracle, seeds);
    struct executor_stash request;
    struct error later;

    if (!stash)
        return false;
    request = stash_of(oracle, (size_t)(stash - oracle->stashes), true);
    if (executor_stash(oracle->executor, &request, &later)) {
        stash->is_used = false;
        return false;
    }
    oracle->has_values = true;
    oracle->value_param_seed = seeds->param_seed;
    oracle->value_input_seed = seeds->input_seed;
    return true;
}
