#include "backends/host/compilers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/host/spawn.h"
#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/strbuf.h"
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

/* gcc 12 computes running sums of vectors wrongly if several threads share the loop around them. */
#define WITHOUT_FAULTS "-fno-predictive-commoning"

/* C++ without what needs its library at run time. */
#define WITHOUT_LIBRARY "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"

/*
 * A warning about constructors of a kernel's own global objects is an error, because the headers'
 * own ones are allowed (object.h).
 */
#define WITH_RUNTIME                                                                \
    "-std=c++17", "-Wall", "-fno-color-diagnostics", "-Werror=global-constructors", \
        "-Wno-unused-command-line-argument", "-fvisibility-inlines-hidden", FOR_SPEED, AS_OBJECT

/* A row whose name contains another row's name comes first: "clang++" contains "g++". */
static const struct compiler rows[] = {
    {"gcc",
     "c",
     NULL,
     {"-std=gnu17", "-Wall", "-fdiagnostics-color=never", FOR_SPEED, AS_OBJECT, WITHOUT_FAULTS,
      "-fno-semantic-interposition", "-Wno-psabi"}},
    {"clang",
     "c",
     NULL,
     {"-std=gnu17", "-Wall", "-fno-color-diagnostics", FOR_SPEED, AS_OBJECT,
      "-Wno-unused-command-line-argument"}},
    {"clang++",
     "cpp",
     NULL,
     {"-std=gnu++17", "-Wall", "-fno-color-diagnostics", FOR_SPEED, AS_OBJECT, WITHOUT_LIBRARY,
      "-Wno-unused-command-line-argument"}},
    {"g++",
     "cpp",
     NULL,
     {"-std=gnu++17", "-Wall", "-fdiagnostics-color=never", FOR_SPEED, AS_OBJECT, WITHOUT_FAULTS,
      WITHOUT_LIBRARY, "-fno-semantic-interposition", "-fno-gnu-unique", "-Wno-psabi"}},
    {"acpp", "sycl", "#include <sycl/sycl.hpp>\n", {"--acpp-targets=omp", WITH_RUNTIME}},
    {"icpx", "sycl", NULL, {"-fsycl", WITH_RUNTIME}},
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
static const struct compiler *row_of(const char *path, const char *language)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        if (strcmp(rows[i].language, language) == 0 && strstr(file_name(path), rows[i].name))
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

static void release(struct found_compiler *found)
{
    free(found->path);
    free(found->version);
    *found = (struct found_compiler){0};
}

/* Take a compiler if it runs. Takes ownership of `path`, which may be NULL. */
static bool take(struct found_compiler *found, char *path, const char *language)
{
    const struct compiler *row = path ? row_of(path, language) : NULL;
    char *version = row ? ask_version(path) : NULL;

    if (version && *version) {
        *found = (struct found_compiler){.row = row, .path = path, .version = version};
        return true;
    }
    free(version);
    free(path);
    return false;
}

/* The path of a program that is named by a variable; NULL if there is none. The caller frees. */
static char *named_by(const char *variable)
{
    const char *wanted = getenv(variable);

    if (!wanted || !*wanted)
        return NULL;
    return strchr(wanted, '/') ? mem_strdup(wanted) : look_up(wanted);
}

/* The compiler that `variable` names, or the first in PATH of the language's rows. */
static bool find(struct found_compiler *found, const char *variable, const char *language)
{
    const char *wanted = getenv(variable);

    if (wanted && *wanted)
        return take(found, named_by(variable), language);
    for (size_t i = 0; i < COUNT(rows); i++)
        if (strcmp(rows[i].language, language) == 0 && take(found, look_up(rows[i].name), language))
            return true;
    return false;
}

/*
 * The path of the C++ compiler that belongs to a C compiler: g++-12 for gcc-12. The caller frees
 * it.
 */
static char *beside(const struct found_compiler *c)
{
    const char *name = strstr(file_name(c->path), c->row->name);
    struct strbuf path = {0};

    strbuf_add(&path, c->path, (size_t)(name - c->path));
    strbuf_addf(&path, "%s%s", strcmp(c->row->name, "gcc") == 0 ? "g++" : "clang++",
                name + strlen(c->row->name));
    return strbuf_take(&path);
}

bool compilers_find(struct found_compiler found[COMPILER_LANGUAGES])
{
    char *path;

    memset(found, 0, COMPILER_LANGUAGES * sizeof(*found));
    if (!find(&found[0], "KFORGE_CC", "c"))
        return false;
    path = named_by("KFORGE_CXX");
    (void)take(&found[1], path ? path : beside(&found[0]), "cpp");
    (void)find(&found[2], "KFORGE_SYCL", "sycl");
    return true;
}

const struct found_compiler *compilers_of(const struct found_compiler found[COMPILER_LANGUAGES],
                                          const char *language)
{
    for (size_t i = 0; i < COMPILER_LANGUAGES; i++)
        if (found[i].row && strcmp(found[i].row->language, language ? language : "c") == 0)
            return &found[i];
    return NULL;
}

void compilers_release(struct found_compiler found[COMPILER_LANGUAGES])
{
    for (size_t i = 0; i < COMPILER_LANGUAGES; i++)
        release(&found[i]);
}
