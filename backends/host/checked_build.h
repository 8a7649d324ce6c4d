#ifndef BACKENDS_HOST_CHECKED_BUILD_H
#define BACKENDS_HOST_CHECKED_BUILD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Builds with a sanitizer of the compiler, for executors that run under that sanitizer
 * (core/judge/tools/compiler_sanitizer.h). Such an executor only reports findings; its runs are
 * neither verified nor timed. A candidate is first built and its object checked in the ordinary
 * way.
 */
struct checked_build {
    const char *name;              /* the value of KFORGE_HOST_CHECK */
    const char *const options[10]; /* NULL ends them */
    bool has_openmp;               /* kforge's OpenMP is built with the options too */
};

/* The build that KFORGE_HOST_CHECK asks for; NULL: the ordinary one. */
const struct checked_build *checked_build_wanted(void);

/* True for a function of the sanitizers' libraries. */
bool checked_build_function(const char *name);

/*
 * Mark these bytes in AddressSanitizer, if it is in this process, as inaccessible, or as accessible
 * again.
 */
void checked_build_close(const void *bytes, size_t count);
void checked_build_open(const void *bytes, size_t count);

#endif
