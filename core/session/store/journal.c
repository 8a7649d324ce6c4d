#include "core/session/store/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/system/file.h"

struct journal {
    char *path;
    int fd;
    uint64_t events;
    off_t size;   /* bytes of the complete lines */
    bool is_torn; /* bytes of a failed write may follow them */
};

/*
 * The lock belongs to the open file description (fcntl(2), F_OFD_SETLK), so the kernel does not
 * report the process that holds it. Therefore the lock covers the bytes 0 to pid - 1: its length is
 * the pid, and any two locks overlap.
 */
static enum status lock(int fd, const char *path, struct error *err)
{
    struct flock mine = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = getpid()};
    struct flock other = mine;

    if (fcntl(fd, F_OFD_SETLK, &mine) == 0)
        return STATUS_OK;
    if (errno != EAGAIN && errno != EACCES)
        return file_fail(err, "lock", path);
    if (fcntl(fd, F_OFD_GETLK, &other) != 0 || other.l_type == F_UNLCK)
        return error_set(err, STATUS_UNAVAILABLE,
                         "%s: is open in another kforge: close it there first", path);
    return error_set(err, STATUS_UNAVAILABLE,
                     "%s: is open in another kforge (pid %lld): close it there first", path,
                     (long long)other.l_len);
}

pid_t journal_owner(const char *path)
{
    struct flock other = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool is_locked;

    if (fd < 0)
        return 0;
    is_locked = fcntl(fd, F_OFD_GETLK, &other) == 0 && other.l_type != F_UNLCK;
    close(fd);
    return is_locked ? (pid_t)other.l_len : 0;
}

/* Reads complete lines; counts the events and bytes that were read. */
struct reader {
    FILE *file;
    const char *path;
    char *line;
    size_t capacity;
    uint64_t events; /* before the next line */
    off_t size;      /* bytes of their lines */
};

/* True if a crash left the line incomplete: its end, or a block within it, is not on disk. */
static bool is_torn(const struct reader *reader, size_t len)
{
    bool has_hole = memchr(reader->line, '\0', len) != NULL;
    int next;

    if (reader->line[len - 1] != '\n')
        return true;
    if (!has_hole)
        return false;
    next = getc(reader->file);
    ungetc(next, reader->file);
    return next == EOF;
}

static enum status pass_event(const struct reader *reader, const struct event *event,
                              journal_event_fn *on_event, void *data, struct error *err)
{
    uint64_t number = reader->events + 1;
    struct error inner = {0};
    enum status st;

    if (event->seq != number)
        return error_set(err, STATUS_INVALID,
                         "%s:%" PRIu64 ": expected event %" PRIu64 ", found event %" PRIu64,
                         reader->path, number, number, event->seq);
    st = on_event(data, event, &inner);
    if (st)
        error_set(err, st, "%s:%" PRIu64 ": %s", reader->path, number, inner.text);
    return st;
}

static enum status pass_line(const struct reader *reader, size_t len, journal_event_fn *on_event,
                             void *data, struct error *err)
{
    struct strbuf place = {0};
    struct event event = {0};
    enum status st;

    strbuf_addf(&place, "%s:%" PRIu64, reader->path, reader->events + 1);
    if (strlen(reader->line) != len)
        st = error_set(err, STATUS_INVALID, "%s: holds NUL bytes", strbuf_cstr(&place));
    else
        st = event_parse(&event, reader->line, strbuf_cstr(&place), err);
    if (!st)
        st = pass_event(reader, &event, on_event, data, err);
    event_release(&event);
    strbuf_release(&place);
    return st;
}

/* The lines before a damaged one are a journal too, because events only build on earlier ones. */
static void add_remedy(struct error *err)
{
    struct error damage = err ? *err : (struct error){0};

    error_set(err, damage.code,
              "%s; restore the file from a copy, or cut it off before this line and resume",
              damage.text);
}

static enum status pass_lines(struct reader *reader, journal_event_fn *on_event, void *data,
                              struct error *err)
{
    enum status st = STATUS_OK;
    ssize_t len;

    while (!st && (len = getline(&reader->line, &reader->capacity, reader->file)) > 0) {
        if (is_torn(reader, (size_t)len))
            return STATUS_OK;
        st = pass_line(reader, (size_t)len, on_event, data, err);
        if (st == STATUS_INVALID)
            add_remedy(err);
        if (st)
            break;
        reader->events++;
        reader->size += len;
    }
    if (!st && ferror(reader->file))
        st = file_fail(err, "read", reader->path);
    return st;
}

static enum status read_journal(struct reader *reader, journal_event_fn *on_event, void *data,
                                struct error *err)
{
    enum status st;

    reader->file = fopen(reader->path, "re");
    if (!reader->file)
        return file_fail(err, "open", reader->path);
    if (reader->size && fseeko(reader->file, reader->size, SEEK_SET) != 0)
        st = file_fail(err, "read", reader->path);
    else
        st = pass_lines(reader, on_event, data, err);
    fclose(reader->file);
    free(reader->line);
    return st;
}

enum status journal_read(const char *path, journal_event_fn *on_event, void *data,
                         struct error *err)
{
    struct reader reader = {.path = path};

    return read_journal(&reader, on_event, data, err);
}

enum status journal_read_on(const char *path, struct journal_place *place,
                            journal_event_fn *on_event, void *data, struct error *err)
{
    struct reader reader = {.path = path, .events = place->events, .size = place->bytes};
    enum status st = read_journal(&reader, on_event, data, err);

    *place = (struct journal_place){reader.events, reader.size};
    return st;
}

/* Sync the folder of a new file, because only then is the file's name on disk. */
static enum status sync_folder(const char *path, struct error *err)
{
    struct strbuf folder = {0};
    enum status st = STATUS_OK;
    int fd;

    strbuf_addf(&folder, "%.*s.", (int)(file_name(path) - path), path);
    fd = open(strbuf_cstr(&folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0)
        st = file_fail(err, "write the folder of", path);
    if (fd >= 0)
        close(fd);
    strbuf_release(&folder);
    return st;
}

/* Cut off the bytes after the complete lines. */
static enum status cut(struct journal *journal, struct error *err)
{
    if (ftruncate(journal->fd, journal->size) != 0 || fsync(journal->fd) != 0)
        return file_fail(err, "cut off an incomplete line of", journal->path);
    journal->is_torn = false;
    return STATUS_OK;
}

static enum status begin(struct journal *journal, journal_event_fn *on_event, void *data,
                         struct error *err)
{
    struct reader reader = {.path = journal->path};
    enum status st = lock(journal->fd, journal->path, err);

    if (!st)
        st = sync_folder(journal->path, err);
    if (!st)
        st = read_journal(&reader, on_event, data, err);
    journal->events = reader.events;
    journal->size = reader.size;
    return st ? st : cut(journal, err);
}

enum status journal_open(const char *path, journal_event_fn *on_event, void *data,
                         struct journal **journal, struct error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    struct journal *opened;
    enum status st;

    if (fd < 0)
        return file_fail(err, "open", path);
    opened = mem_alloc_zeroed(1, sizeof(*opened));
    opened->path = mem_strdup(path);
    opened->fd = fd;
    st = begin(opened, on_event, data, err);
    if (st)
        journal_close(opened);
    else
        *journal = opened;
    return st;
}

bool journal_is_in_place(const struct journal *journal)
{
    struct stat here, there;

    return fstat(journal->fd, &here) == 0 && stat(journal->path, &there) == 0 &&
           here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/*
 * Write a line to disk. fdatasync() is enough: it also writes the file's size if the data cannot be
 * read without it (fdatasync(2)).
 */
static enum status write_line(struct journal *journal, const struct strbuf *line, struct error *err)
{
    struct error inner = {0};

    if (file_write_all(journal->fd, line->data, line->len, &inner))
        return error_set(err, STATUS_IO, "%s: %s", journal->path, inner.text);
    if (fdatasync(journal->fd) != 0)
        return file_fail(err, "write", journal->path);
    journal->size += (off_t)line->len;
    journal->events++;
    return STATUS_OK;
}

/*
 * Check that the file is as this process left it. A process that was suspended may have lost its
 * lock to another one (FUSE).
 */
static enum status check_unchanged(const struct journal *journal, struct error *err)
{
    struct stat here;

    if (!journal_is_in_place(journal))
        return error_set(err, STATUS_IO,
                         "%s: was removed or replaced while the session ran; its candidates are "
                         "still in the repository",
                         journal->path);
    if (fstat(journal->fd, &here) == 0 && here.st_size != journal->size)
        return error_set(err, STATUS_IO, "%s: another process has written to it, so this one stops",
                         journal->path);
    return STATUS_OK;
}

/*
 * Write a line. If that fails, cut off the bytes that may have been written: now or, if that fails
 * too, before the next line is written.
 */
static enum status write_or_cut(struct journal *journal, const struct strbuf *line,
                                struct error *err)
{
    enum status st = journal->is_torn ? cut(journal, err) : STATUS_OK;

    if (st)
        return st;
    st = check_unchanged(journal, err);
    if (st)
        return st;
    st = write_line(journal, line, err);
    if (st)
        journal->is_torn = cut(journal, NULL) != STATUS_OK;
    return st;
}

enum status journal_append(struct journal *journal, struct event *event, struct error *err)
{
    char stamp[CLOCK_STAMP_SIZE];
    struct strbuf line = {0};
    enum status st;

    clock_stamp(stamp);
    event_stamp(event, journal->events + 1, stamp);
    json_print(event->body, &line);
    strbuf_adds(&line, "\n");
    st = write_or_cut(journal, &line, err);
    strbuf_release(&line);
    return st;
}

/*
 * Closing the file removes the lock, except on file systems in user space (FUSE): they are told of
 * the end of such a lock only when it is removed explicitly.
 */
static void unlock(int fd)
{
    struct flock none = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

    (void)fcntl(fd, F_OFD_SETLK, &none);
}

void journal_close(struct journal *journal)
{
    if (!journal)
        return;
    unlock(journal->fd);
    close(journal->fd);
    free(journal->path);
    free(journal);
}
