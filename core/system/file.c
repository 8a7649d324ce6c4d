#include "core/system/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/mem.h"

/* The remedy for an error of the system, as the end of a sentence; "" if unknown. */
static const char *remedy_of(int error)
{
    static const struct {
        int error;
        const char *remedy;
    } remedies[] = {
        {ENOENT, "; check the path"},
        {ENOTDIR, "; check the path"},
        {ENAMETOOLONG, "; shorten the path"},
        {EACCES, "; change its permissions"},
        {EPERM, "; change its permissions"},
        {EROFS, "; choose a place that can be written"},
        {EISDIR, "; name a file"},
        {ENOSPC, "; free some space"},
        {EDQUOT, "; free some space, or raise the quota"},
        {EMFILE, "; raise the limit of open files (ulimit -n)"},
        {ENFILE, "; close some programs"},
        {EIO, "; check the disk"},
    };

    for (size_t i = 0; i < COUNT(remedies); i++)
        if (remedies[i].error == error)
            return remedies[i].remedy;
    return "";
}

enum status file_fail(struct error *err, const char *verb, const char *path)
{
    enum status code = errno == ENOENT ? STATUS_NOT_FOUND : STATUS_IO;

    return error_set(err, code, "%s: cannot %s: %s%s", path, verb, strerror(errno),
                     remedy_of(errno));
}

/* STATUS_INVALID rather than STATUS_IO when the path is at fault and not the disk. */
static enum status fail_reading(struct error *err, const char *verb, const char *path)
{
    enum status code = file_fail(err, verb, path);

    if (errno != EACCES && errno != EISDIR && errno != ENOTDIR && errno != ENAMETOOLONG)
        return code;
    if (err)
        err->code = STATUS_INVALID;
    return STATUS_INVALID;
}

static enum status read_all(int fd, const char *path, size_t max_bytes, struct strbuf *out,
                            struct error *err)
{
    char chunk[1 << 16];
    size_t total = 0;
    ssize_t got;

    while ((got = read(fd, chunk, sizeof(chunk))) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_reading(err, "read", path);
        total += (size_t)got;
        if (total > max_bytes)
            return error_set(err, STATUS_INVALID, "%s: larger than %zu bytes", path, max_bytes);
        strbuf_add(out, chunk, (size_t)got);
    }
    return STATUS_OK;
}

enum status file_read(const char *path, size_t max_bytes, struct strbuf *out, struct error *err)
{
    struct strbuf text = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    enum status st;

    if (fd < 0)
        return fail_reading(err, "open", path);
    st = read_all(fd, path, max_bytes, &text, err);
    close(fd);
    if (!st)
        strbuf_add(out, strbuf_cstr(&text), text.len);
    strbuf_release(&text);
    return st;
}

enum status file_write_all(int fd, const void *bytes, size_t len, struct error *err)
{
    const char *rest = bytes;

    while (len > 0) {
        ssize_t put = write(fd, rest, len);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return error_set(err, STATUS_IO, "cannot write: %s%s", strerror(errno),
                             remedy_of(errno));
        rest += put;
        len -= (size_t)put;
    }
    return STATUS_OK;
}

/* The contents of a file that is replaced. */
struct contents {
    const void *bytes;
    size_t len;
    bool is_durable; /* wait until the disk has them */
};

static enum status write_beside(const char *path, const char *beside,
                                const struct contents *contents, struct error *err)
{
    int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0)
        return file_fail(err, "write", path);
    if (file_write_all(fd, contents->bytes, contents->len, NULL) ||
        (contents->is_durable && fsync(fd) != 0)) {
        file_fail(err, "write", path);
        close(fd);
        return STATUS_IO;
    }
    close(fd);
    if (rename(beside, path) != 0)
        return file_fail(err, "write", path);
    return STATUS_OK;
}

static enum status replace(const char *path, const struct contents *contents, struct error *err)
{
    struct strbuf beside = {0};
    enum status st;

    strbuf_addf(&beside, "%s.%d.new", path, (int)getpid());
    st = write_beside(path, strbuf_cstr(&beside), contents, err);
    if (st)
        unlink(strbuf_cstr(&beside));
    strbuf_release(&beside);
    return st;
}

enum status file_write(const char *path, const void *bytes, size_t len, struct error *err)
{
    return replace(path, &(struct contents){bytes, len, true}, err);
}

enum status file_write_soon(const char *path, const void *bytes, size_t len, struct error *err)
{
    return replace(path, &(struct contents){bytes, len, false}, err);
}

enum status file_write_text(const char *folder, const char *name, const char *text,
                            struct error *err)
{
    char *path = file_join(folder, name);
    enum status st = file_write(path, text, strlen(text), err);

    free(path);
    return st;
}

enum status file_make_folder(const char *path, struct error *err)
{
    char *partial = mem_strdup(path);
    enum status st = STATUS_OK;

    for (char *p = partial + 1; !st; p++) {
        char kept = *p;

        if (kept != '/' && kept != '\0')
            continue;
        *p = '\0';
        if (mkdir(partial, 0777) != 0 && errno != EEXIST)
            st = file_fail(err, "make the folder", partial);
        *p = kept;
        if (!kept)
            break;
    }
    free(partial);
    return st;
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool file_is_empty_folder(const char *path)
{
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, alphasort);

    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return count == 2; /* "." and ".." */
}

bool file_has_room(const char *path, size_t bytes)
{
    struct statvfs disk;

    return statvfs(path, &disk) != 0 ||
           ((size_t)disk.f_bavail * disk.f_frsize >= bytes && (disk.f_favail || !disk.f_files));
}

char *file_join(const char *folder, const char *name)
{
    struct strbuf path = {0};

    strbuf_addf(&path, "%s/%s", folder, name);
    return strbuf_take(&path);
}

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/*
 * Append $HOME or, when it is not set, the user's home folder from the system; nothing when neither
 * is known.
 */
static void add_home(struct strbuf *out)
{
    const char *named = getenv("HOME");
    struct passwd user, *found = NULL;
    char texts[4096];

    if (named && *named)
        strbuf_adds(out, named);
    else if (getpwuid_r(geteuid(), &user, texts, sizeof(texts), &found) == 0 && found)
        strbuf_adds(out, user.pw_dir);
}

char *file_expand_home(const char *path)
{
    struct strbuf expanded = {0};

    if (path[0] == '~' && (path[1] == '/' || !path[1]))
        add_home(&expanded);
    strbuf_adds(&expanded, expanded.len ? path + 1 : path);
    return strbuf_take(&expanded);
}

bool file_has_ending(const char *path, const char *ending)
{
    size_t len = strlen(path), ending_len = strlen(ending);

    return len > ending_len && strcmp(path + len - ending_len, ending) == 0;
}

static const struct {
    const char *variable, *below_home;
} places[] = {
    [FILE_DATA] = {"XDG_DATA_HOME", ".local/share"},
    [FILE_CONFIG] = {"XDG_CONFIG_HOME", ".config"},
    [FILE_CACHE] = {"XDG_CACHE_HOME", ".cache"},
    [FILE_STATE] = {"XDG_STATE_HOME", ".local/state"},
};

const char *file_temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");

    return folder && *folder == '/' ? folder : "/tmp";
}

char *file_make_temporary_folder(const char *prefix, struct error *err)
{
    struct strbuf template = {0};
    char *folder;

    strbuf_addf(&template, "%s/%sXXXXXX", file_temporary_folder(), prefix);
    folder = strbuf_take(&template);
    if (mkdtemp(folder))
        return folder;
    error_set(err, STATUS_IO, "%s: cannot make a folder: %s; set TMPDIR to another folder",
              file_temporary_folder(), strerror(errno));
    free(folder);
    return NULL;
}

char *file_place_folder(enum file_place place)
{
    const char *folder = getenv(places[place].variable);
    struct strbuf path = {0};

    /* The XDG specification says to ignore relative paths. */
    if (folder && folder[0] == '/') {
        strbuf_addf(&path, "%s/kforge", folder);
    } else {
        add_home(&path);
        strbuf_addf(&path, "/%s/kforge", places[place].below_home);
    }
    return strbuf_take(&path);
}

enum status file_make_place(enum file_place place, struct error *err)
{
    char *folder = file_place_folder(place);
    struct error why = {0};
    enum status st = file_make_folder(folder, &why);

    if (!st && access(folder, W_OK) != 0)
        st = file_fail(&why, "write", folder);
    if (!st && !file_has_room(folder, 1))
        st = error_set(&why, STATUS_IO, "%s: no space is left; free some", folder);
    free(folder);
    return st ? error_set(err, STATUS_UNAVAILABLE, "%s, or set %s to another folder", why.text,
                          places[place].variable)
              : STATUS_OK;
}

/*
 * The data folder of an installation that was moved: bin/ and share/kforge/ keep their relative
 * places.
 */
static char *data_beside_program(void)
{
    char self[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

    self[len > 0 ? len : 0] = '\0';
    return file_join(dirname(self), "../share/kforge");
}

char *file_shipped(const char *name)
{
    static const char *const others[] = {KFORGE_SOURCE_DIR, KFORGE_DATA_DIR};
    const char *root = getenv("KFORGE_ROOT");
    char *beside = data_beside_program(), *path = file_join(root ? root : beside, name);

    for (size_t i = 0; !root && i < 2 && !file_exists(path); i++) {
        free(path);
        path = file_join(others[i], name);
    }
    free(beside);
    return path;
}

struct dated {
    char *path;
    struct timespec changed;
};

static int compare_dates(const void *a, const void *b)
{
    const struct timespec *x = &((const struct dated *)a)->changed;
    const struct timespec *y = &((const struct dated *)b)->changed;

    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

void file_find_oldest_first(const char *pattern, glob_t *found)
{
    struct dated *files;

    *found = (glob_t){0};
    if (glob(pattern, GLOB_NOSORT, NULL, found)) {
        globfree(found);
        *found = (glob_t){0};
        return;
    }
    files = mem_alloc_zeroed(found->gl_pathc, sizeof(*files));
    for (size_t i = 0; i < found->gl_pathc; i++) {
        struct stat about = {0};

        (void)lstat(found->gl_pathv[i], &about);
        files[i] = (struct dated){found->gl_pathv[i], about.st_mtim};
    }
    qsort(files, found->gl_pathc, sizeof(*files), compare_dates);
    for (size_t i = 0; i < found->gl_pathc; i++)
        found->gl_pathv[i] = files[i].path;
    free(files);
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)about;
    (void)kind;
    (void)at;
    (void)remove(path);
    return 0;
}

enum { OPEN_FOLDERS = 16 };

void file_remove_folder(const char *path)
{
    (void)nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
