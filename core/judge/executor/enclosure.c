#include "core/judge/executor/enclosure.h"

#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/strbuf.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/model/language.h"
#include "core/system/file.h"

#define FOLDER_PREFIX "kforge-executor-"

enum { NEEDED_BYTES = 16 << 20 }; /* several times what a compiler writes for a candidate */

struct variables {
    char **items;
    size_t count, capacity;
};

/*
 * Variables that programs, drivers and sanitizers need: a name up to its "=", or the beginning of
 * several names. None of them is known to carry a secret.
 */
static bool is_passed_on(const char *variable)
{
    static const char *const allowed[] = {
        "USER=",
        "LOGNAME=",
        "LANG=",
        "LC_",
        "TZ=",
        "OMP_",
        "OPENBLAS_",
        "MKL_",
        "ROCR_",
        "HIP_",
        "PYTHON",
        "LD_LIBRARY_PATH=",
        "TORCH",
        "VIRTUAL_ENV=",
        "ASAN_",
        "UBSAN_",
        "TSAN_",
        "LSAN_",
        "KFORGE_READABLE=",
        "KFORGE_PYTHON=",
        "KFORGE_ROOT=",
    };

    for (size_t i = 0; i < COUNT(allowed); i++)
        if (text_begins(variable, allowed[i]))
            return true;
    return language_reads_variable(variable);
}

static void add_variable(struct variables *variables, const char *name, const char *value)
{
    struct strbuf text = {0};

    strbuf_addf(&text, "%s=%s", name, value);
    vec_push(variables, strbuf_take(&text));
}

/* Add the system's folders of programs to PATH if they are missing: PoCL starts a linker. */
static void add_path(struct variables *variables)
{
    static const char system[] = "/usr/local/bin:/usr/bin:/bin";
    const char *path = getenv("PATH");
    struct strbuf all = {0};

    strbuf_addf(&all, "%s%s%s", path ? path : "", path && *path ? ":" : "", system);
    add_variable(variables, "PATH", strbuf_cstr(&all));
    strbuf_release(&all);
}

static char **make_environment(const char *folder)
{
    static const char *const places[] = {"HOME", "TMPDIR", "XDG_CACHE_HOME", "POCL_CACHE_DIR",
                                         "KFORGE_SCRATCH"};
    struct variables variables = {0};

    for (char **v = environ; *v; v++)
        if (is_passed_on(*v) && !text_begins(*v, "POCL_CACHE_DIR="))
            vec_push(&variables, mem_strdup(*v));
    add_path(&variables);
    for (size_t i = 0; i < COUNT(places); i++)
        add_variable(&variables, places[i], folder);
    vec_push(&variables, NULL);
    return variables.items;
}

/*
 * Open the folder and lock it; the descriptor holds the lock. -1 if another judge holds the lock or
 * the folder is gone.
 */
static int lock_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat about = {0};

    if (fd < 0)
        return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &about) == 0 && about.st_nlink > 0 &&
        about.st_uid == geteuid())
        return fd;
    close(fd);
    return -1;
}

/* Remove the folders that killed judges have left. */
static void sweep(void)
{
    struct strbuf pattern = {0};
    glob_t found = {0};

    strbuf_addf(&pattern, "%s/" FOLDER_PREFIX "*", file_temporary_folder());
    if (glob(strbuf_cstr(&pattern), GLOB_NOSORT, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            int fd = lock_folder(found.gl_pathv[i]);

            if (fd < 0)
                continue;
            file_remove_folder(found.gl_pathv[i]);
            close(fd);
        }
    }
    globfree(&found);
    strbuf_release(&pattern);
}

/* Another judge may remove the folder before it is locked; then a new one is made. */
static char *make_folder(int *lock, struct error *err)
{
    char *folder = NULL;

    *lock = -1;
    while (*lock < 0) {
        free(folder);
        folder = file_make_temporary_folder(FOLDER_PREFIX, err);
        if (!folder)
            return NULL;
        *lock = lock_folder(folder);
    }
    return folder;
}

enum status enclosure_check_room(struct error *err)
{
    if (file_has_room(file_temporary_folder(), NEEDED_BYTES))
        return STATUS_OK;
    return error_set(err, STATUS_UNAVAILABLE,
                     "%s: compilers need %d MB there: make room, or name another place with TMPDIR",
                     file_temporary_folder(), NEEDED_BYTES >> 20);
}

enum status enclosure_make(struct enclosure *enclosure, struct error *err)
{
    char *folder;
    int lock;

    sweep();
    folder = make_folder(&lock, err);
    if (!folder)
        return STATUS_IO;
    *enclosure =
        (struct enclosure){.folder = folder, .lock = lock, .environment = make_environment(folder)};
    return STATUS_OK;
}

void enclosure_release(struct enclosure *enclosure)
{
    if (!enclosure->folder)
        return;
    file_remove_folder(enclosure->folder);
    close(enclosure->lock);
    for (char **v = enclosure->environment; *v; v++)
        free(*v);
    free(enclosure->environment);
    free(enclosure->folder);
    *enclosure = (struct enclosure){0};
}

void enclosure_set(struct enclosure *enclosure, const char *name, const char *value)
{
    struct strbuf text = {0};
    size_t i = 0;

    strbuf_addf(&text, "%s=", name);
    while (enclosure->environment[i] && !text_begins(enclosure->environment[i], strbuf_cstr(&text)))
        i++;
    strbuf_adds(&text, value);
    if (!enclosure->environment[i]) {
        enclosure->environment =
            mem_resize(enclosure->environment, i + 2, sizeof(*enclosure->environment));
        enclosure->environment[i] = enclosure->environment[i + 1] = NULL;
    }
    free(enclosure->environment[i]);
    enclosure->environment[i] = strbuf_take(&text);
}

static void add_folders(const char *path, struct strbuf *folders)
{
    int len = (int)(file_name(path) - path);

    strbuf_addf(folders, ":%.*s:%.*s..", len, path, len, path);
}

void enclosure_admit_programs(struct enclosure *enclosure, const char *const *argv)
{
    const char *readable = getenv("KFORGE_READABLE");
    struct strbuf folders = {0};

    strbuf_adds(&folders, readable ? readable : "");
    for (size_t i = 0; argv[i]; i++) {
        char *own = argv[i][0] == '/' ? realpath(argv[i], NULL) : NULL;

        if (argv[i][0] == '/')
            add_folders(argv[i], &folders);
        if (own)
            add_folders(own, &folders); /* the Python that a virtual environment links to */
        free(own);
    }
    enclosure_set(enclosure, "KFORGE_READABLE", strbuf_cstr(&folders));
    strbuf_release(&folders);
}
