#include "core/system/file_watch.h"

#include <errno.h>
#include <limits.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/system/loop.h"

enum { NAMES_MAX = 8 };

struct file_watch {
    struct loop *loop;
    void (*saved)(void *data);
    void (*lost)(void *data);
    void *data;
    struct loop_timer quiet;
    int fd;
    char *names[NAMES_MAX];
    size_t count;
};

static bool is_watched(const struct file_watch *watch, const char *name)
{
    for (size_t i = 0; i < watch->count; i++)
        if (strcmp(watch->names[i], name) == 0)
            return true;
    return false;
}

static void call_saved(void *data)
{
    struct file_watch *watch = data;

    watch->saved(watch->data);
}

static void call_lost(void *data)
{
    struct file_watch *watch = data;

    watch->lost(watch->data);
}

/* True if the event ends the watch. */
static bool take_event(struct file_watch *watch, const struct inotify_event *event)
{
    if (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT))
        return true;
    /* After an overflow of the queue any file may have been saved. */
    if ((event->mask & IN_Q_OVERFLOW) || (event->len > 0 && is_watched(watch, event->name)))
        loop_set_timer(watch->loop, &watch->quiet, FILE_WATCH_QUIET_US, call_saved, watch);
    return false;
}

static void take_events(void *data, int fd, unsigned ready)
{
    alignas(struct inotify_event) char events[16 * (sizeof(struct inotify_event) + NAME_MAX + 1)];
    struct file_watch *watch = data;
    ssize_t len = read(fd, events, sizeof(events));
    const char *at = events;
    bool is_lost = false;

    (void)ready;
    while (len > 0 && at < events + len) {
        const struct inotify_event *event = (const void *)at;

        is_lost |= take_event(watch, event);
        at += sizeof(*event) + event->len;
    }
    if (!is_lost)
        return;
    loop_unwatch(watch->loop, fd);
    loop_set_timer(watch->loop, &watch->quiet, 0, call_lost, watch);
}

static enum status begin(struct file_watch *watch, const char *folder, struct error *err)
{
    const uint32_t mask = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE |
                          IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

    watch->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (watch->fd >= 0 && inotify_add_watch(watch->fd, folder, mask) >= 0)
        return STATUS_OK;
    if (errno == EMFILE || errno == ENOSPC)
        return error_set(err, STATUS_UNAVAILABLE,
                         "%s: cannot watch: the system's limit of inotify is reached, see "
                         "/proc/sys/fs/inotify",
                         folder);
    return error_set(err, STATUS_UNAVAILABLE, "%s: cannot watch: %s", folder, strerror(errno));
}

enum status file_watch_open(struct loop *loop, const struct file_watch_spec *spec,
                            struct file_watch **watch, struct error *err)
{
    struct file_watch *opened = mem_alloc_zeroed(1, sizeof(*opened));
    enum status st;

    opened->loop = loop;
    opened->saved = spec->saved;
    opened->lost = spec->lost;
    opened->data = spec->data;
    while (spec->names[opened->count] && opened->count < NAMES_MAX) {
        opened->names[opened->count] = mem_strdup(spec->names[opened->count]);
        opened->count++;
    }
    st = begin(opened, spec->folder, err);
    if (st) {
        file_watch_close(opened);
        return st;
    }
    loop_watch(loop, opened->fd, LOOP_READ, take_events, opened);
    *watch = opened;
    return STATUS_OK;
}

void file_watch_close(struct file_watch *watch)
{
    if (!watch)
        return;
    loop_clear_timer(watch->loop, &watch->quiet);
    if (watch->fd >= 0) {
        loop_unwatch(watch->loop, watch->fd);
        close(watch->fd);
    }
    for (size_t i = 0; i < watch->count; i++)
        free(watch->names[i]);
    free(watch);
}
