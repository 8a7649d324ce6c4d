#include "core/judge/host_library/blas.h"

#include <cblas.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char choice[] = "OPENBLAS_CORETYPE";

static const char program[] =
    "/proc/self/exe"; /* the file of the running program, wherever its path leads now */

/*
 * The logarithm to base 2 of the number of cycles that OpenBLAS's idle threads spin before they
 * sleep.
 */
static const char patience[] = "OPENBLAS_THREAD_TIMEOUT", soon[] = "24";

/* The kernels that OpenBLAS uses on an unknown x86 processor. */
static const char oldest[] = "Prescott";

/* The newest kernels whose instructions the processor has. */
static const char *newest_kernels(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "Haswell";
#endif
    return NULL;
}

const char *blas_better_kernels(const char *chosen)
{
    return strcmp(chosen, oldest) == 0 ? newest_kernels() : NULL;
}

/* Set the variable, unless the engineer has set it. Returns whether it was set here. */
static bool choose(const char *variable, const char *value)
{
    return value && !getenv(variable) && setenv(variable, value, 1) == 0;
}

/* True if the path leads to the running program, whose file may have been replaced meanwhile. */
static bool is_self(const char *path)
{
    struct stat there, self;

    return stat(path, &there) == 0 && stat(program, &self) == 0 && there.st_dev == self.st_dev &&
           there.st_ino == self.st_ino;
}

/*
 * Restart by the program's path, because a process is named after the file that it executes. If
 * another program is at that path now, use the file of the running one: the judge must stay of one
 * build.
 */
static void begin_anew(char *const *argv)
{
    char path[PATH_MAX] = "";

    (void)!readlink(program, path, sizeof(path) - 1);
    (void)execv(is_self(path) ? path : program, argv);
}

void blas_suit_machine(char *const *argv)
{
    bool is_chosen = choose(choice, blas_better_kernels(openblas_get_corename()));

    if (choose(patience, soon) || is_chosen)
        begin_anew(argv);
}

void blas_use_cores(bool all)
{
    static int threads; /* as the engineer may have set them */

    if (!threads)
        threads = openblas_get_num_threads();
    openblas_set_num_threads(all ? threads : 1);
}
