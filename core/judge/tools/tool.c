#include "core/judge/tools/tool.h"

#include <errno.h>
#include <glob.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/system/clock.h"
#include "core/system/file.h"
#include "core/system/log.h"
#include "core/system/process.h"

static const struct tool {
    const char *name, *remedy;
    const char *pattern; /* pattern for glob(3) of the folder where a package installs it; NULL:
                            nowhere else */
} tools[] = {
    {"ncu", "install nsight-compute from NVIDIA's repository", "/opt/nvidia/nsight-compute/*/ncu"},
    {"compute-sanitizer", "install cuda-sanitizer from NVIDIA's repository",
     "/usr/local/cuda*/compute-sanitizer/compute-sanitizer"},
    {"nvdisasm", "install cuda-nvdisasm from NVIDIA's repository", NULL},
    {"oclgrind", "install the package oclgrind", NULL},
    {"gcc", "install the package gcc", NULL},
};

static const struct tool *find_row(const char *name)
{
    size_t i = 0;

    while (strcmp(tools[i].name, name) != 0)
        i++;
    return &tools[i];
}

/* The last match, which is the newest version. */
static char *match(const char *pattern)
{
    glob_t found = {0};
    char *path = NULL;

    if (glob(pattern, 0, NULL, &found) == 0)
        path = mem_strdup(found.gl_pathv[found.gl_pathc - 1]);
    globfree(&found);
    return path;
}

/* NULL if `folder` has no such program. */
static char *look_in(const char *folder, const char *name)
{
    char *path = file_join(folder, name);

    if (access(path, X_OK) == 0)
        return path;
    free(path);
    return NULL;
}

static char *look_in_path(const char *name)
{
    const char *path = getenv("PATH");
    char *folders = mem_strdup(path ? path : ""), *rest = folders, *found = NULL;
    const char *folder;

    while (!found && (folder = strsep(&rest, ":")))
        found = look_in(*folder ? folder : ".", name);
    free(folders);
    return found;
}

static char *look_in_toolkits(const char *name)
{
    const char *const roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    char *found = NULL;

    for (size_t i = 0; !found && i < COUNT(roots); i++) {
        char *folder = roots[i] ? file_join(roots[i], "bin") : NULL;

        if (folder)
            found = look_in(folder, name);
        free(folder);
    }
    return found;
}

enum status tool_find(const char *name, char **path, struct error *err)
{
    const struct tool *tool = find_row(name);
    char *found = look_in_path(name);

    if (!found)
        found = look_in_toolkits(name);
    if (!found && tool->pattern)
        found = match(tool->pattern);
    if (!found)
        return error_set(err, STATUS_UNAVAILABLE,
                         "%s is not installed on the device's machine: %s, or add it to PATH", name,
                         tool->remedy);
    *path = found;
    return STATUS_OK;
}

enum { TOOL_LIMIT_US = 60000000, CHUNK_BYTES = 1 << 16 };

/* Append all output until the deadline; false if it does not end by then. */
static bool read_all(int fd, int64_t deadline_us, struct strbuf *output)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    char chunk[CHUNK_BYTES];

    for (;;) {
        int64_t rest_ms = (deadline_us - clock_now_us()) / 1000;
        ssize_t len;

        if (rest_ms <= 0 || poll(&ready, 1, (int)rest_ms) == 0)
            return false;
        len = read(fd, chunk, sizeof(chunk));
        if (len == 0 || (len < 0 && errno != EINTR))
            return len == 0;
        strbuf_add(output, chunk, len > 0 ? (size_t)len : 0);
    }
}

enum status tool_run(const char *const *argv, struct strbuf *output, struct error *err)
{
    struct process_spec spec = {.argv = argv, .stderr_fd = log_fd() > 0 ? log_fd() : 0};
    struct process process = {0};
    int64_t deadline_us = clock_now_us() + TOOL_LIMIT_US;
    enum status st = process_start(&process, &spec, err);
    bool is_done;
    int status;

    if (st)
        return st;
    is_done = read_all(process.out, deadline_us, output);
    status = process_finish(&process, is_done ? deadline_us - clock_now_us() : 0);
    if (is_done && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return STATUS_OK;
    return error_set(err, STATUS_UNAVAILABLE, "%s ended with status %d: %.*s", argv[0],
                     WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                     (int)strcspn(strbuf_cstr(output), "\n"), strbuf_cstr(output));
}

void tool_folder_free(char *folder)
{
    if (folder)
        file_remove_folder(folder);
    free(folder);
}
