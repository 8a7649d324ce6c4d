#ifndef BACKENDS_HOST_DEVICE_H
#define BACKENDS_HOST_DEVICE_H

#include "backends/host/compiler_child.h"
#include "backends/host/team.h"
#include "core/judge/device/backend.h"

/* The cores of this machine that the process may use, as one device, if a compiler is installed. */
struct device {
    struct device_info info;
    struct found_compiler compilers[COMPILER_LANGUAGES];
    struct compiler_child child;
    struct team *team;            /* NULL until host_start() */
    bool wants_runtime;           /* candidates in SYCL are to come */
    struct sycl_runtime *runtime; /* NULL if not wanted, and until host_start() */
    const struct program *last;   /* the program that ran last */
};

/* The functions of these names in struct backend_ops (core/judge/device/backend.h). */
enum status host_probe(struct device_list *found, struct error *err);
enum status host_open(size_t index, struct device **device, struct error *err) MUST_CHECK;
void host_expect(struct device *device, const char *language);
enum status host_start(struct device *device, struct error *err) MUST_CHECK;
void host_close(struct device *device);

#endif
