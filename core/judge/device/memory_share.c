#include "core/judge/device/memory_share.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/system/clock.h"
#include "core/system/file.h"

enum { LOOK_MS = 50 }; /* the interval at which a waiting process tries again */

static const char gate_name[] = "next";

struct memory_share {
    char *folder;
    int64_t limit_us;
    int gate;   /* its lock is held by the process that is next; -1: there is no folder */
    char *path; /* of the own part's file, or NULL */
    int part;   /* the locked file, or -1 */
};

struct memory_share *memory_share_new(const char *folder, int64_t limit_us)
{
    struct memory_share *share = mem_alloc_zeroed(1, sizeof(*share));
    char *path = file_join(folder, gate_name);

    (void)mkdir(folder, 0700);
    *share = (struct memory_share){.folder = mem_strdup(folder),
                                   .limit_us = limit_us,
                                   .gate = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600),
                                   .part = -1};
    free(path);
    return share;
}

static void give_back(struct memory_share *share)
{
    if (share->path)
        (void)unlink(share->path);
    if (share->part >= 0)
        close(share->part);
    free(share->path);
    share->path = NULL;
    share->part = -1;
}

void memory_share_free(struct memory_share *share)
{
    if (!share)
        return;
    give_back(share);
    if (share->gate >= 0)
        close(share->gate);
    free(share->folder);
    free(share);
}

/* Read the part of another process from its file. Remove the file if that process has ended. */
static double part_of(const struct memory_share *share, const char *name)
{
    enum { NUMBER_BYTES = 64 };
    char *path = file_join(share->folder, name), text[NUMBER_BYTES] = "";
    int fd = open(path, O_RDWR | O_CLOEXEC);
    double part = 0;

    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        (void)unlink(path);
    else if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
        part = strtod(text, NULL);
    if (fd >= 0)
        close(fd);
    free(path);
    return part;
}

/* The parts of all other processes together. */
static double parts_of_others(const struct memory_share *share)
{
    DIR *folder = opendir(share->folder);
    const struct dirent *entry;
    double parts = 0;

    /* cppcheck-suppress readdirCalled ; nobody else reads this stream, readdir(3) */
    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, gate_name) != 0)
            parts += part_of(share, entry->d_name);
    if (folder)
        closedir(folder);
    return parts;
}

/*
 * Write the file of the own part. The caller holds the gate, so no process removes the file before
 * it is locked.
 */
static void enter(struct memory_share *share, double part)
{
    struct strbuf text = {0};

    share->path = file_join(share->folder, "XXXXXX");
    share->part = mkostemp(share->path, O_CLOEXEC);
    strbuf_addf(&text, "%.0f\n", part);
    if (share->part < 0 || flock(share->part, LOCK_EX | LOCK_NB) ||
        write(share->part, strbuf_cstr(&text), text.len) < 0)
        give_back(share);
    strbuf_release(&text);
}

static bool is_over(const struct turn_patience *patience)
{
    struct pollfd input = {.fd = patience->is_over ? patience->fd : -1, .events = POLLIN};

    (void)poll(&input, 1, LOOK_MS);
    return patience->is_over && (patience->fd < 0 || input.revents) &&
           patience->is_over(patience->data);
}

/* True if the part is free. Otherwise the gate stays locked. */
static bool is_free(const struct memory_share *share, double part, double total)
{
    double others;

    if (flock(share->gate, LOCK_EX | LOCK_NB))
        return false;
    others = parts_of_others(share);
    return others <= 0 || others + part <= total;
}

bool memory_share_take(struct memory_share *share, double part, double total,
                       const struct turn_patience *patience, int64_t *waited_us)
{
    int64_t began_us = clock_now_us();
    bool is_reported = false, has_ended = false;

    *waited_us = 0;
    give_back(share);
    if (share->gate < 0)
        return true;
    while (!has_ended && !is_free(share, part, total) &&
           clock_now_us() - began_us < share->limit_us) {
        if (!is_reported && patience->waits)
            patience->waits(patience->data);
        is_reported = true;
        has_ended = is_over(patience);
    }
    if (!has_ended)
        enter(share, part);
    (void)flock(share->gate, LOCK_UN);
    if (is_reported)
        *waited_us = clock_now_us() - began_us;
    return !has_ended;
}
