#include "backends/host/checked_build.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"

#define WITH_LINES "-g", "-O1", "-fno-omit-frame-pointer"

static const struct checked_build rows[] = {
    {"memory",
     {WITH_LINES, "-fsanitize=address,undefined,float-cast-overflow",
      "-fsanitize-recover=address,undefined,float-cast-overflow", "-fno-sanitize=vptr"},
     false},
    {"threads", {WITH_LINES, "-fsanitize=thread"}, true},
};

const struct checked_build *checked_build_wanted(void)
{
    const char *wanted = getenv("KFORGE_HOST_CHECK");

    for (size_t i = 0; wanted && i < COUNT(rows); i++)
        if (strcmp(rows[i].name, wanted) == 0)
            return &rows[i];
    return NULL;
}

bool checked_build_function(const char *name)
{
    static const char *const beginnings[] = {"__asan_", "__ubsan_", "__tsan_", "__sanitizer_"};

    for (size_t i = 0; i < COUNT(beginnings); i++)
        if (text_begins(name, beginnings[i]))
            return true;
    return false;
}

static void call_sanitizer(const char *function, const void *bytes, size_t count)
{
    void (*call)(const void *, size_t) = NULL;

    if (!checked_build_wanted())
        return;
    *(void **)&call = dlsym(RTLD_DEFAULT, function);
    if (call)
        call(bytes, count);
}

void checked_build_close(const void *bytes, size_t count)
{
    call_sanitizer("__asan_poison_memory_region", bytes, count);
}

void checked_build_open(const void *bytes, size_t count)
{
    call_sanitizer("__asan_unpoison_memory_region", bytes, count);
}
