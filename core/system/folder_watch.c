#include "core/system/folder_watch.h"

#include <errno.h>
#include <limits.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/system/loop.h"

struct folder_watch {
    struct loop *loop;
    folder_watch_fn *on_change;
    void *data;
    int fd;
};

static void take_event(const struct folder_watch *watch, const struct inotify_event *event)
{
    if (event->mask & IN_Q_OVERFLOW)
        watch->on_change(watch->data, -1, "");
    else if (event->len > 0)
        watch->on_change(watch->data, event->wd, event->name);
    else if (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT))
        watch->on_change(watch->data, event->wd, "");
}

static void take_events(void *data, int fd, unsigned ready)
{
    alignas(struct inotify_event) char events[64 * (sizeof(struct inotify_event) + NAME_MAX + 1)];
    const struct folder_watch *watch = data;
    ssize_t len = read(fd, events, sizeof(events));
    const char *at = events;

    (void)ready;
    while (len > 0 && at < events + len) {
        const struct inotify_event *event = (const void *)at;

        take_event(watch, event);
        at += sizeof(*event) + event->len;
    }
}

static enum status fail(const char *what, struct error *err)
{
    if (errno == EMFILE || errno == ENOSPC)
        return error_set(err, STATUS_UNAVAILABLE,
                         "%s: cannot watch: the system's limit of inotify is reached, see "
                         "/proc/sys/fs/inotify",
                         what);
    return error_set(err, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_UNAVAILABLE,
                     "%s: cannot watch: %s", what, strerror(errno));
}

enum status folder_watch_open(struct loop *loop, folder_watch_fn *on_change, void *data,
                              struct folder_watch **watch, struct error *err)
{
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    struct folder_watch *opened;

    if (fd < 0)
        return fail("inotify", err);
    opened = mem_alloc_zeroed(1, sizeof(*opened));
    *opened = (struct folder_watch){loop, on_change, data, fd};
    loop_watch(loop, fd, LOOP_READ, take_events, opened);
    *watch = opened;
    return STATUS_OK;
}

enum status folder_watch_add(struct folder_watch *watch, const char *path, int *folder,
                             struct error *err)
{
    const uint32_t mask = IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE |
                          IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
    int added = inotify_add_watch(watch->fd, path, mask);

    if (added < 0)
        return fail(path, err);
    *folder = added;
    return STATUS_OK;
}

void folder_watch_remove(struct folder_watch *watch, int folder)
{
    inotify_rm_watch(watch->fd, folder);
}

void folder_watch_close(struct folder_watch *watch)
{
    if (!watch)
        return;
    loop_unwatch(watch->loop, watch->fd);
    close(watch->fd);
    free(watch);
}
