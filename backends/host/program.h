#ifndef BACKENDS_HOST_PROGRAM_H
#define BACKENDS_HOST_PROGRAM_H

#include "backends/host/device.h"
#include "backends/host/signature.h"

/* A loaded object, with the functions that it defines. */
struct program {
    struct device *device;
    char *log;
    struct strbuf object;
    struct strbuf path; /* file of the object of a checked build, or empty */
    int file; /* a file in memory with the object, because dlopen() loads objects from files only */
    void *handle;
    struct kernel {
        char *name;
        void *function;
        struct signature signature;
    } * kernels;
    size_t count, capacity;
    bool has_runtime;         /* its kernels get the queue of the device's runtime */
    unsigned late_points;     /* for calls whose work went on after their end (run.c) */
    struct host_calls *calls; /* table for the object's OpenMP; NULL if it uses no OpenMP */
};

/* The functions of these names in struct backend_ops. */
enum status host_build(struct device *device, const struct program_source *source,
                       struct program **program, struct build_report *report,
                       struct error *err) MUST_CHECK;
void host_program_free(struct program *program);
enum status host_binary(const struct program *program, struct binary *made,
                        struct error *err) MUST_CHECK;
enum status host_resources(struct program *program, struct resource_list *found,
                           struct error *err) MUST_CHECK;
enum status host_code(struct program *program, enum code_kind kind, struct strbuf *out,
                      struct error *err) MUST_CHECK;

/*
 * Find a function of the source; STATUS_INVALID if there is none, and the error lists the existing
 * ones.
 */
enum status host_program_kernel(const struct program *program, const char *name,
                                const struct kernel **kernel, struct error *err) MUST_CHECK;

#endif
