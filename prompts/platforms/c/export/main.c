/* Loads the kernels, compares them with plain kernels on random data, and times them. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "data.h"

/* A program and its memory; all programs share inputs and params. */
struct loaded {
    const struct program *program;
    void *object;
    void **buffers;
};

static struct loaded load(const struct program *program, const struct loaded *shares)
{
    struct loaded loaded = {program, NULL, allocate(program->buffer_count * sizeof(void *))};
    char path[4096];

    snprintf(path, sizeof(path), "%s%s.so", OBJECT_FOLDER, strrchr(program->file, '/') + 1);
    loaded.object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!loaded.object)
        fail(path, dlerror());
    for (size_t i = 0; i < program->buffer_count; i++)
        loaded.buffers[i] = shares && i < tensor_count && tensors[i].role != OUTPUT
                                ? shares->buffers[i]
                                : allocate(program->buffer_bytes[i]);
    return loaded;
}

static void fill(const struct loaded *loaded)
{
    for (size_t i = 0; i < tensor_count; i++) {
        void *contents = tensors[i].role == OUTPUT ? NULL : make_contents(&tensors[i]);

        if (contents)
            memcpy(loaded->buffers[i], contents, loaded->program->buffer_bytes[i]);
        free(contents);
    }
}

/* Registers for whole numbers and pointers, by the conventions of x86-64 and AArch64. */
#ifdef __x86_64__
enum { WHOLE = 6 };
#define WHOLE_TYPES uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t
#define WHOLE_OF(w) w[0], w[1], w[2], w[3], w[4], w[5]
#else
enum { WHOLE = 8 };
#define WHOLE_TYPES uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t
#define WHOLE_OF(w) w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]
#endif
enum { REAL = 8, STACK = 64 };
#define EIGHT_TYPES uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t
#define EIGHT(s, i) s[i], s[i + 1], s[i + 2], s[i + 3], s[i + 4], s[i + 5], s[i + 6], s[i + 7]
typedef void function(WHOLE_TYPES, double, double, double, double, double, double, double, double,
                      EIGHT_TYPES, EIGHT_TYPES, EIGHT_TYPES, EIGHT_TYPES, EIGHT_TYPES, EIGHT_TYPES,
                      EIGHT_TYPES, EIGHT_TYPES);

static void call(const struct loaded *loaded, const struct launch *launch)
{
    uint64_t whole[WHOLE] = {0}, stack[STACK] = {0};
    size_t wholes = 0, reals = 0, stacked = 0;
    double real[REAL] = {0};
    void *found = dlsym(loaded->object, launch->kernel);
    function *kernel;

    if (!found)
        fail(launch->kernel, "there is no such function");
    memcpy(&kernel, &found, sizeof(kernel));
    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct argument *argument = &launch->arguments[i];
        uint64_t bits = argument->kind == BUFFER
                            ? (uint64_t)(uintptr_t)loaded->buffers[argument->index]
                            : argument->bits;

        if (argument->is_real && reals < REAL)
            memcpy(&real[reals++], &bits, sizeof(bits));
        else if (!argument->is_real && wholes < WHOLE)
            whole[wholes++] = bits;
        else
            stack[stacked++] = bits;
    }
    omp_set_num_threads(launch->global[0] < (size_t)omp_get_num_procs() ? (int)launch->global[0]
                                                                        : omp_get_num_procs());
    kernel(WHOLE_OF(whole), EIGHT(real, 0), EIGHT(stack, 0), EIGHT(stack, 8), EIGHT(stack, 16),
           EIGHT(stack, 24), EIGHT(stack, 32), EIGHT(stack, 40), EIGHT(stack, 48),
           EIGHT(stack, 56));
}

/* Microseconds. */
static double run(const struct loaded *loaded, const struct launches *list)
{
    struct timespec first, last;

    (void)clock_gettime(CLOCK_MONOTONIC, &first);
    for (size_t i = 0; i < list->count; i++)
        call(loaded, &list->items[i]);
    (void)clock_gettime(CLOCK_MONOTONIC, &last);
    return (double)(last.tv_sec - first.tv_sec) * 1e6 +
           (double)(last.tv_nsec - first.tv_nsec) / 1e3;
}

static bool verify(const struct loaded *own)
{
    struct loaded plain = load(reference, own);
    bool is_right = true;

    (void)run(&plain, &plain.program->prepare);
    (void)run(&plain, &plain.program->each);
    for (size_t i = 0; i < tensor_count; i++)
        if (tensors[i].role == OUTPUT)
            is_right = compare(&tensors[i], own->buffers[i], plain.buffers[i]) && is_right;
    return is_right;
}

enum { RUNS = 21 };

int main(void)
{
    struct loaded own = load(&candidate, NULL);
    double times[RUNS];
    bool is_right = true;

    printf("on %d cores\n", omp_get_num_procs());
    fill(&own);
    (void)run(&own, &own.program->prepare);
    for (size_t i = 0; i < RUNS; i++)
        times[i] = run(&own, &own.program->each);
    if (reference)
        is_right = verify(&own);
    else
        puts("not checked: there are no plain kernels for this problem");
    printf("%.1f us, the median of %d runs\n", median(times, RUNS), RUNS);
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
