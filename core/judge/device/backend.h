#ifndef CORE_JUDGE_DEVICE_BACKEND_H
#define CORE_JUDGE_DEVICE_BACKEND_H

#include "core/base/digest.h"
#include "core/judge/device/binary.h"
#include "core/judge/device/safeguards.h"
#include "core/judge/oracle/fill.h"
#include "core/model/plan/dispatch.h"
#include "core/model/verdict.h"

/*
 * The contract of a back end: what a programming model has to offer so that
 * candidates in it can be judged.  All calls may block, and any of them may
 * take the process down with it: they are made in the executor, a child of
 * the judge, and nowhere else.
 *
 * Everything is in order: a call sees the effects of the calls before it.
 */

struct device_info {
    char *id;       /* "opencl:0", as on the command line */
    char *name;     /* the device, as its driver calls it */
    char *platform; /* the driver's name and version */
    char *compiler; /* what builds candidates: its language and version */
    char *language; /* what candidates are written in, a name in language.h */
    bool is_cpu;
    unsigned compute_units;
    unsigned vector_width_f32; /* preferred number of floats in a vector */
    size_t max_work_group;     /* work-items */
    int64_t memory_bytes, max_buffer_bytes, local_bytes;
};

struct device_list {
    struct device_info *items;
    size_t count, capacity;
    struct safeguards safeguards; /* of the process that found them, and would run candidates */
};

/* Free the texts; all zeros afterwards. */
void device_info_release(struct device_info *info);
void device_list_release(struct device_list *list);
struct json *device_info_encode(const struct device_info *info);
enum status device_info_decode(struct device_info *info, const struct json_ref *at,
                               struct error *err) MUST_CHECK;

struct device;  /* an open device; each back end has its own */
struct program; /* compiled source on a device */
struct buffer;  /* device memory with guard zones around it */

/* Bytes of guard on each side of a buffer, filled with BUFFER_GUARD_BYTE. */
enum { BUFFER_GUARD_BYTES = 4096, BUFFER_MARGINS_BYTES = 2 * 4096, BUFFER_GUARD_BYTE = 0xA5 };

/* What buffers are filled with: what fill_make() makes of the same.  Borrows the value. */
struct contents {
    const struct value *value;
    uint64_t seed;
    uint32_t stream;
};

/* What is compiled.  Borrows all. */
struct program_source {
    const char *text;
    const char *options;         /* for the compiler, separated by blanks */
    const struct binary *binary; /* what came of compiling it before; NULL: it has to be compiled */
};

/* What running took, on the device's clock. */
struct run_times {
    double *each_us; /* of every launch; the caller's array */
    double span_us;  /* from the start of the first launch to the end of the last; 0 without */
};

/* What a compiler makes that can be looked at. */
enum code_kind { CODE_PTX, CODE_MACHINE };

/* "ptx", "machine".  Static. */
const char *code_kind_name(enum code_kind kind);

struct backend_ops {
    const char
        *name; /* of its language (language.h), and the part of a device id before the colon */

    /* Append the devices of this machine.  Finding none is success. */
    enum status (*probe)(struct device_list *found, struct error *err);

    /* `index` counts as probe() lists. */
    enum status (*open)(size_t index, struct device **device, struct error *err);
    void (*close)(struct device *device);

    /*
     * Compile.  A rejection by the compiler is STATUS_OK with *program NULL;
     * the report then carries log and diagnostics.
     */
    enum status (*build)(struct device *device, const struct program_source *source,
                         struct program **program, struct build_report *report, struct error *err);
    void (*program_free)(struct program *program);

    /*
     * What loads the program again without the compiler, also what that made at the launches so
     * far; the caller's.  STATUS_UNAVAILABLE where the driver is as fast without.  Optional.
     */
    enum status (*binary)(const struct program *program, struct binary *made, struct error *err);

    /* Append what the driver tells of each of the program's kernels; what it does not, is unknown.
     */
    enum status (*resources)(struct program *program, struct resource_list *found,
                             struct error *err);

    /* STATUS_UNAVAILABLE when the device has no room. */
    enum status (*buffer_new)(struct device *device, size_t bytes, struct buffer **buffer,
                              struct error *err);
    void (*buffer_free)(struct buffer *buffer);

    /* Set the guard zones and every 32-bit word between them to `word`. */
    enum status (*buffer_poison)(struct buffer *buffer, uint32_t word, struct error *err);

    enum status (*buffer_fill)(struct buffer *buffer, const struct contents *contents,
                               struct error *err);

    /*
     * Whether there still is, bit for bit, what buffer_fill() made of the same
     * contents.  Optional, and STATUS_UNAVAILABLE where the device cannot make
     * them: then the host compares.
     */
    enum status (*buffer_holds)(struct buffer *buffer, const struct contents *contents, bool *holds,
                                struct error *err);

    /*
     * kforge's own kernels, which poison (`value` NULL) or make a value's contents, are compiled
     * when they are first needed.  Where that takes a while they can be made ready before: the key
     * is of source and options, false where there is nothing to make ready; load() takes what
     * make() has told, here or in another process.  Optional, all three.
     */
    bool (*internal_kernel_key)(const struct device *device, const struct value *value,
                                char key[DIGEST_HEX_SIZE]);
    enum status (*internal_kernel_load)(struct device *device, const struct value *value,
                                        const struct binary *kept, struct error *err);
    enum status (*internal_kernel_make)(struct device *device, const struct value *value,
                                        struct binary *made, struct error *err);

    /* Copy the whole allocation to the host, guard, contents, guard; or the guards to their places.
     */
    enum status (*buffer_read)(struct buffer *buffer, void *allocation, struct error *err);
    enum status (*buffer_read_guards)(struct buffer *buffer, void *allocation, struct error *err);

    /*
     * Run the launches, if any, one after the other and wait.  STATUS_INVALID
     * for a launch that the device refuses.
     */
    enum status (*run)(struct program *program, const struct launch_list *launches,
                       struct buffer *const *buffers, struct run_times *times, struct error *err);

    /*
     * Run the launches one by one, each waited for, so that an error names
     * the one that failed.  They, and nothing else, are what a profiler that
     * this process runs under sees.
     */
    enum status (*step)(struct program *program, const struct launch_list *launches,
                        struct buffer *const *buffers, struct error *err);

    /* Append what the compiler made; STATUS_UNAVAILABLE where it shows no such thing. */
    enum status (*code)(struct program *program, enum code_kind kind, struct strbuf *out,
                        struct error *err);
};

/* The back ends that this program was built with, ended by NULL (backends/registry.c.in). */
extern const struct backend_ops *const backend_list[];

#endif
