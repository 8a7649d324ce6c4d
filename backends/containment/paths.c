#include "backends/containment/paths.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/strbuf.h"

/* Newer than the headers of Debian 12 (landlock(7)). */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif

#define READ \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define USE                                                                                       \
    (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_WRITE_FILE | \
     LANDLOCK_ACCESS_FS_IOCTL_DEV)
/* The rights that apply to a file that is not a folder. */
#define OF_FILES                                                                                 \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | \
     LANDLOCK_ACCESS_FS_TRUNCATE | LANDLOCK_ACCESS_FS_IOCTL_DEV)

/*
 * Folders of "/" that hold private data.  Of /dev, /run and /proc, selected entries are allowed
 * below.
 */
static const char *const private_folders[] = {".",    "..",  "home",       "root",  "tmp",
                                              "var",  "run", "mnt",        "media", "srv",
                                              "boot", "dev", "lost+found", "proc"};

/* Device files of GPUs, and those that store nothing. */
static const char *const usable[] = {"/dev/null",    "/dev/zero",  "/dev/full",       "/dev/random",
                                     "/dev/urandom", "/dev/dri",   "/dev/nvidia*",    "/dev/kfd",
                                     "/dev/dxg",     "/dev/accel", "/dev/nvidia-caps"};

struct rules {
    int fd; /* descriptor of the ruleset */
    uint64_t handled;
};

/* All rights that this version of Landlock knows, including those that version 1 has. */
static uint64_t known_rights(long version)
{
    const uint64_t first = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

    if (version >= 5)
        return first | LANDLOCK_ACCESS_FS_REFER | LANDLOCK_ACCESS_FS_TRUNCATE |
               LANDLOCK_ACCESS_FS_IOCTL_DEV;
    if (version >= 3)
        return first | LANDLOCK_ACCESS_FS_REFER | LANDLOCK_ACCESS_FS_TRUNCATE;
    return version == 2 ? first | LANDLOCK_ACCESS_FS_REFER : first;
}

/* A path that does not exist needs no rule. */
static void allow(const struct rules *rules, const char *path, uint64_t rights)
{
    struct landlock_path_beneath_attr rule = {
        .allowed_access = rights & rules->handled,
        .parent_fd = open(path, O_PATH | O_CLOEXEC),
    };
    struct stat about;

    if (rule.parent_fd < 0)
        return;
    if (fstat(rule.parent_fd, &about) == 0 && !S_ISDIR(about.st_mode))
        rule.allowed_access &= OF_FILES;
    (void)syscall(SYS_landlock_add_rule, rules->fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

static void allow_matches(const struct rules *rules, const char *pattern, uint64_t rights)
{
    glob_t found = {0};

    if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            allow(rules, found.gl_pathv[i], rights);
    globfree(&found);
}

/* True if `name`, a folder of "/", is private or contains the home folder. */
static bool is_private(const char *name)
{
    const char *home = getenv("HOME");
    size_t len = strlen(name);

    if (home && strncmp(home + 1, name, len) == 0 && (home[1 + len] == '/' || !home[1 + len]))
        return true;
    for (size_t i = 0; i < COUNT(private_folders); i++)
        if (strcmp(name, private_folders[i]) == 0)
            return true;
    return false;
}

/* True if `name`, an entry of /proc, belongs to a process, or is "." or "..". */
static bool is_of_process(const char *name)
{
    return *name == '.' || (*name >= '0' && *name <= '9');
}

/* Allow reading the entries of `folder`, except those that `is_left_out`; "" is the root folder. */
static void allow_entries(const struct rules *rules, const char *folder,
                          bool (*is_left_out)(const char *name))
{
    DIR *entries = opendir(*folder ? folder : "/");
    const struct dirent *entry;

    /* cppcheck-suppress readdirCalled ; nobody else reads this stream, readdir(3) */
    while (entries && (entry = readdir(entries))) {
        struct strbuf path = {0};

        strbuf_addf(&path, "%s/%s", folder, entry->d_name);
        if (!is_left_out(entry->d_name))
            allow(rules, strbuf_cstr(&path), READ);
        strbuf_release(&path);
    }
    if (entries)
        closedir(entries);
}

/* In /proc, processes other than this one stay hidden, because their command lines are private. */
static void allow_system(const struct rules *rules)
{
    allow_entries(rules, "", is_private);
    allow_entries(rules, "/proc", is_of_process);
    allow(rules, "/run/opengl-driver", READ); /* NixOS keeps its drivers here */
    /* CUDA's driver writes the names of its threads here, and does not start if it cannot. */
    allow(rules, "/proc/self/task", USE | LANDLOCK_ACCESS_FS_TRUNCATE);
}

/* Allow each path of a list that is separated by colons. */
static void allow_list(const struct rules *rules, const char *list, uint64_t rights)
{
    char *copy = strdup(list ? list : ""), *rest = copy, *path;

    while ((path = strsep(&rest, ":")))
        if (*path)
            allow(rules, path, rights);
    free(copy);
}

/* Allow the folder of the library that a driver's file of OpenCL's loader names by its path. */
static void allow_library(const struct rules *rules, const char *file)
{
    char path[4096] = "";
    FILE *stream = fopen(file, "re");
    const char *line = stream ? fgets(path, sizeof(path), stream) : NULL;
    char *slash = strrchr(path, '/');

    if (line && *path == '/' && slash > path) {
        *slash = '\0';
        allow(rules, path, READ);
    }
    if (stream)
        (void)fclose(stream);
}

/*
 * Allow what the variables of OpenCL's loader name: files and folders of files with the extension
 * .icd, and libraries. They may be in a folder that is private otherwise.
 */
static void allow_drivers(const struct rules *rules)
{
    static const char *const variables[] = {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES",
                                            "OPENCL_VENDOR_PATH"};

    for (size_t i = 0; i < COUNT(variables); i++) {
        const char *list = getenv(variables[i]);
        struct strbuf pattern = {0};
        glob_t found = {0};

        allow_list(rules, list, READ);
        if (list)
            allow_library(rules, list);
        strbuf_addf(&pattern, "%s/*.icd", list ? list : "");
        if (list && glob(strbuf_cstr(&pattern), GLOB_NOSORT, NULL, &found) == 0)
            for (size_t k = 0; k < found.gl_pathc; k++)
                allow_library(rules, found.gl_pathv[k]);
        globfree(&found);
        strbuf_release(&pattern);
    }
}

static void allow_own_folder(const struct rules *rules)
{
    char path[4096] = "";
    char *slash;

    if (readlink("/proc/self/exe", path, sizeof(path) - 1) > 0 && (slash = strrchr(path, '/'))) {
        *slash = '\0';
        allow(rules, path, READ);
    }
}

/* Create a ruleset that withholds these rights; allow() grants them for single paths. */
static bool open_rules(struct rules *rules, uint64_t rights)
{
    const long version =
        syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    const struct landlock_ruleset_attr attributes = {.handled_access_fs =
                                                         known_rights(version) & rights};

    if (version < 1)
        return false;
    rules->handled = attributes.handled_access_fs;
    rules->fd = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0);
    return rules->fd >= 0;
}

static bool enforce(const struct rules *rules)
{
    bool is_in_force = syscall(SYS_landlock_restrict_self, rules->fd, 0) == 0;

    close(rules->fd);
    return is_in_force;
}

static void allow_devices(const struct rules *rules)
{
    for (size_t i = 0; i < COUNT(usable); i++)
        allow_matches(rules, usable[i], USE);
}

bool paths_restrict(const char *scratch, const char *kept, const char *readable)
{
    struct rules rules;

    if (!open_rules(&rules, UINT64_MAX))
        return false;
    allow_system(&rules);
    allow_own_folder(&rules);
    allow_list(&rules, getenv("LD_LIBRARY_PATH"), READ);
    allow_drivers(&rules);
    allow_list(&rules, readable, READ);
    if (scratch)
        allow(&rules, scratch, rules.handled);
    if (kept)
        allow(&rules, kept, rules.handled);
    allow_devices(&rules);
    return enforce(&rules);
}

bool paths_restrict_writing(const char *folders)
{
    struct rules rules;

    if (!open_rules(&rules, ~(uint64_t)READ))
        return false;
    allow_list(&rules, folders, rules.handled);
    allow_devices(&rules);
    allow(&rules, "/dev/shm", rules.handled);
    /* the folders of processes started later, whose ids are not known yet */
    allow(&rules, "/proc", USE | LANDLOCK_ACCESS_FS_TRUNCATE);
    return enforce(&rules);
}
