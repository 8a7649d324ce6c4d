#include "backends/host/compilers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/host/spawn.h"
#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/system/file.h"

/*
 * Code for this machine's cores. The compiler may contract a product and a sum to a fused
 * multiply-add, as in OpenCL and CUDA. No code reads errno or traps of floating point.
 */
#define FOR_SPEED \
    "-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"
/* A shared object without the compiler's start-up files, so that it has no constructors. */
#define AS_OBJECT                                                                         \
    "-shared", "-fPIC", "-nostdlib", "-nostartfiles", "-fno-stack-protector", "-fopenmp", \
        "-Wl,-z,noexecstack", "-Wl,-z,relro", "-Wl,-z,now", "-Wl,--as-needed",            \
        "-Wl,--hash-style=both"

static const struct compiler rows[] = {
    {"gcc",
     {"-std=gnu17", "-Wall", "-fdiagnostics-color=never", FOR_SPEED, AS_OBJECT,
      "-fno-semantic-interposition", "-Wno-psabi"}},
    {"clang",
     {"-std=gnu17", "-Wall", "-fno-color-diagnostics", FOR_SPEED, AS_OBJECT,
      "-Wno-unused-command-line-argument"}},
};

/* Find a program in PATH; NULL if there is none. The caller frees the path. */
static char *look_up(const char *name)
{
    const char *path = getenv("PATH");
    char *folders = mem_strdup(path ? path : ""), *rest = folders, *found = NULL;
    const char *folder;

    while (!found && (folder = strsep(&rest, ":"))) {
        found = *folder ? file_join(folder, name) : NULL;
        if (found && access(found, X_OK) != 0) {
            free(found);
            found = NULL;
        }
    }
    free(folders);
    return found;
}

/* The row whose name is in the program's name, as in "gcc-12" and "x86_64-linux-gnu-gcc". */
static const struct compiler *row_of(const char *path)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        if (strstr(file_name(path), rows[i].name))
            return &rows[i];
    return NULL;
}

/*
 * The first line that the compiler prints about its version; "" if it does not run. The caller
 * frees.
 */
static char *ask_version(const char *path)
{
    const char *const argv[] = {path, "--version", NULL};
    int output = memfd_create("version", MFD_CLOEXEC);
    char line[256] = "";

    if (output >= 0 && spawn_run(argv, output) && pread(output, line, sizeof(line) - 1, 0) <= 0)
        *line = '\0';
    if (output >= 0)
        close(output);
    line[strcspn(line, "\n")] = '\0';
    return mem_strdup(line);
}

static bool take(struct found_compiler *found, char *path)
{
    *found = (struct found_compiler){.row = row_of(path), .path = path};
    if (found->row)
        found->version = ask_version(path);
    if (found->version && *found->version)
        return true;
    found_compiler_release(found);
    return false;
}

bool compilers_find(struct found_compiler *found)
{
    const char *wanted = getenv("KFORGE_CC");
    char *path;

    if (wanted && *wanted) {
        path = strchr(wanted, '/') ? mem_strdup(wanted) : look_up(wanted);
        return path && take(found, path);
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        path = look_up(rows[i].name);
        if (path && take(found, path))
            return true;
    }
    return false;
}

void found_compiler_release(struct found_compiler *found)
{
    free(found->path);
    free(found->version);
    *found = (struct found_compiler){0};
}
