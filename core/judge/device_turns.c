#include "core/judge/device_turns.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/base/digest.h"
#include "core/system/file.h"

enum { HOST_BYTES = 256 };

/* The path of a lock.  The cache may be on a disk that several hosts share.  The caller frees. */
static char *path_of(const struct device_info *device, const char *extension)
{
    char *cache = file_place_folder(FILE_CACHE), *path;
    char host[HOST_BYTES] = "", digest[DIGEST_HEX_SIZE];
    struct strbuf text = {0};

    (void)gethostname(host, sizeof(host) - 1);
    strbuf_addf(&text, "%s\n%s", host,
                device->is_cpu ? "cpu"
                : device->uuid ? device->uuid
                               : device->id);
    digest_sha256(strbuf_cstr(&text), text.len, digest);
    text.len = 0;
    strbuf_addf(&text, "device-%.16s.%s", digest, extension);
    path = file_join(cache, strbuf_cstr(&text));
    strbuf_release(&text);
    free(cache);
    return path;
}

/* A session that waits for its engineer may hold its memory for hours. */
static const int64_t memory_limit_us = 120 * INT64_C(1000000);

void device_turns_open(struct device_turns *turns, const struct judge_options *options,
                       const struct device_info *device)
{
    char *path;

    device_turns_close(turns);
    *turns = (struct device_turns){.options = options, .is_cpu = device->is_cpu};
    if (!options->shares_device)
        return;
    path = path_of(device, "lock");
    turns->lock = turn_lock_new(path);
    free(path);
    if (device->is_cpu || device->memory_bytes <= 0)
        return;
    path = path_of(device, "memory");
    turns->memory = memory_share_new(path, memory_limit_us);
    free(path);
}

void device_turns_close(struct device_turns *turns)
{
    turn_lock_free(turns->lock);
    memory_share_free(turns->memory);
    *turns = (struct device_turns){0};
}

static enum turn turn_of(const struct device_turns *turns, enum device_work work)
{
    static const struct {
        enum turn on_cpu, elsewhere;
    } rows[] = {
        [DEVICE_RESTS] = {TURN_NONE, TURN_NONE},    [DEVICE_HOST] = {TURN_BESIDE, TURN_NONE},
        [DEVICE_RUNS] = {TURN_BESIDE, TURN_BESIDE}, [DEVICE_TOOLS] = {TURN_BESIDE, TURN_ALONE},
        [DEVICE_TIMED] = {TURN_ALONE, TURN_ALONE},
    };

    return turns->is_cpu ? rows[work].on_cpu : rows[work].elsewhere;
}

static void report_wait_for_device(void *data)
{
    static const struct evaluation_progress waiting = {.stage = "waiting for the device"};
    const struct judge_options *options = ((struct device_turns *)data)->options;

    options->progress(options->data, &waiting);
}

static void report_wait_for_memory(void *data)
{
    static const struct evaluation_progress waiting = {.stage = "waiting for the device's memory"};
    const struct judge_options *options = ((struct device_turns *)data)->options;

    options->progress(options->data, &waiting);
}

static bool is_cancelled(void *data)
{
    const struct judge_options *options = ((struct device_turns *)data)->options;
    const struct child_cancel *cancel = &options->executor.cancel;

    return cancel->is_cancelled(cancel->data);
}

static struct turn_patience patience_of(struct device_turns *turns, void (*waits)(void *data))
{
    const struct child_cancel *cancel = &turns->options->executor.cancel;
    struct turn_patience patience = {.fd = -1, .waits = waits, .data = turns};

    if (cancel->is_cancelled) {
        patience.fd = cancel->fd;
        patience.is_over = is_cancelled;
    }
    return patience;
}

enum status device_turns_take(struct device_turns *turns, enum device_work work, int64_t *waited_us,
                              struct error *err)
{
    struct turn_patience patience;
    int64_t now_us = 0;
    bool is_granted;

    if (!turns->lock)
        return STATUS_OK;
    patience = patience_of(turns, report_wait_for_device);
    is_granted = turn_lock_take(turns->lock, turn_of(turns, work), &patience, &now_us);
    *waited_us += now_us;
    return is_granted ? STATUS_OK : error_set(err, STATUS_CANCELLED, "cancelled");
}

/*
 * The share of a GPU's memory that judges may reserve; the driver and the contexts of processes
 * without data take the rest.
 */
static const double usable_share = 0.95;

enum status device_turns_reserve(struct device_turns *turns, double bytes,
                                 const struct device_info *device, int64_t *waited_us,
                                 struct error *err)
{
    struct turn_patience patience;
    int64_t now_us = 0;
    bool is_granted;

    if (!turns->memory)
        return STATUS_OK;
    patience = patience_of(turns, report_wait_for_memory);
    is_granted = memory_share_take(turns->memory, bytes,
                                   usable_share * (double)device->memory_bytes, &patience, &now_us);
    *waited_us += now_us;
    return is_granted ? STATUS_OK : error_set(err, STATUS_CANCELLED, "cancelled");
}

static bool is_over(void *data)
{
    (void)data;
    return true;
}

bool device_turns_may_reserve(struct device_turns *turns, double bytes,
                              const struct device_info *device)
{
    const struct turn_patience none = {.fd = -1, .is_over = is_over};
    int64_t waited_us;

    return !turns->memory ||
           memory_share_take(turns->memory, bytes, usable_share * (double)device->memory_bytes,
                             &none, &waited_us);
}

void device_turns_rest(struct device_turns *turns)
{
    static const struct turn_patience none = {0};
    int64_t waited_us;

    if (turns->lock)
        (void)turn_lock_take(turns->lock, TURN_NONE, &none, &waited_us);
}

bool device_turns_are_wanted(const struct device_turns *turns)
{
    return turns->lock && turn_lock_is_wanted(turns->lock);
}
