#ifndef CORE_JUDGE_DEVICE_BACKEND_H
#define CORE_JUDGE_DEVICE_BACKEND_H

#include "core/base/digest.h"
#include "core/judge/device/binary.h"
#include "core/judge/device/safeguards.h"
#include "core/model/device_info.h"
#include "core/model/plan/dispatch.h"
#include "core/model/verdict.h"
#include "core/system/thread_work.h"

/*
 * The contract of a back end: the calls that a programming model must offer so that its candidates
 * can be judged. All calls may block, and any of them may crash the process. They are made only in
 * the executor, a child of the judge.
 *
 * Calls take effect in order: a call sees the effects of the calls before it.
 */

struct device_list {
    struct device_info *items;
    size_t count, capacity;
    struct safeguards
        safeguards; /* those of the process that found the devices and would run candidates */
    /* why back ends whose driver is there have no device, each in one line; and those of them for
     * which an environment variable is set that may hide devices */
    struct strbuf absent, hidden;
};

/* Free the devices and the text. */
void device_list_release(struct device_list *list);

/*
 * Say why the back end for a language has no device, in words without a full stop. The environment
 * variables that may hide its devices are added.
 */
void device_list_miss(struct device_list *list, const char *language, const char *reason);

struct device;  /* an open device; each back end has its own */
struct program; /* compiled source on a device */
struct buffer;  /* device memory with guard zones around it */

/* Bytes of guard on each side of a buffer, and on both. */
enum { BUFFER_GUARD_BYTES = 4096, BUFFER_MARGINS_BYTES = 2 * 4096 };

/*
 * The byte in the guards of the buffer with this number: numbers near the largest of every type, or
 * NaN in f16, so that a result with an element from beyond the buffer is wrong. Eight buffers in a
 * row have different ones, so that a kernel which copies from beyond one buffer to beyond another
 * changes the guard.
 */
unsigned char buffer_guard_byte(size_t number);

/*
 * Report STATUS_UNAVAILABLE: a device has no room for a buffer of so many bytes. `reason` is the
 * driver's or the system's, in words.
 */
enum status buffer_refused(const struct device_info *info, size_t bytes, const char *reason,
                           struct error *err);

/* The numbers that buffer_poison() writes. */
struct buffer_poison {
    uint32_t word;       /* into the contents */
    unsigned char guard; /* into the guard zones */
};

/*
 * The name by which another process of the same user reads a buffer on the same device, in the form
 * of the driver. It is valid while the buffer exists. Drivers pack small buffers together, so only
 * buffers of at least BUFFER_EXPORTED_BYTES have one.
 */
enum { BUFFER_HANDLE_BYTES = 64, BUFFER_EXPORTED_BYTES = 1 << 22 };
struct buffer_handle {
    unsigned char bytes[BUFFER_HANDLE_BYTES];
};

/* The secret key of a digest of a buffer: without it no other contents with the digest are found.
 */
struct digest_key {
    uint64_t first, second;
};

/*
 * The contents to fill a buffer with, those that fill_make() makes of the same arguments. Borrows
 * the value.
 */
struct contents {
    const struct value *value;
    uint64_t seed;
    uint32_t stream;
};

/* A source to compile. Borrows everything. */
struct program_source {
    const char *text;
    const char *options; /* compiler options, separated by blanks */
    /* The result of an earlier compilation; NULL: compile the source. */
    const struct binary *binary;
    const char *language; /* a name in language.h; NULL: the device's own */
};

/* The times of a run, on the device's clock. */
struct run_times {
    /*
     * Times of each launch, in the caller's array.  NULL: nothing need come between two launches,
     * such as an event, so that span_us is the time that the launches take by themselves.
     */
    double *each_us;
    double
        span_us; /* from the start of the first launch to the end of the last; 0 without launches */
    double aside_us;  /* CPU time of the calling thread that is not the launches' own work */
    unsigned threads; /* number of threads that the launches divided their work among; 0: unknown */
    bool is_watched;  /* set by the caller: the machine is busy, measure `work` if possible */
    /* CPU time of the launches on the host's cores; all zeros: the caller of run() measures it */
    struct thread_work work;
};

/* The forms of compiled code that can be shown. */
enum code_kind { CODE_PTX, CODE_MACHINE };

/* "ptx", "machine".  Static. */
const char *code_kind_name(enum code_kind kind);

struct backend_ops {
    /*
     * The part of a device id before the colon, which the row of its own language (language.h)
     * names. Its devices may take further languages.
     */
    const char *name;

    /*
     * Its candidates are code for the processor that runs them in this process. The executor then
     * gives up files after open(), and processes and new threads after start()
     * (backends/containment).
     */
    bool runs_host_code;
    /* Its devices are listed only for a wanted id that begins with its name. */
    bool is_named;

    /* Append the devices of this machine. Finding none is success. */
    enum status (*probe)(struct device_list *found, struct error *err);

    /* `index` is the position in the list of probe(). */
    enum status (*open)(size_t index, struct device **device, struct error *err);

    /*
     * Called before start(): candidates in this language are to come, whose library (language.h) is
     * then loaded. Optional.
     */
    void (*expect)(struct device *device, const char *language);

    /* Start the threads that run candidates. Optional. */
    enum status (*start)(struct device *device, struct error *err);
    void (*close)(struct device *device);

    /*
     * Compile a source. A rejection by the compiler is STATUS_OK with *program NULL; the report
     * then has the log and the diagnostics.
     */
    enum status (*build)(struct device *device, const struct program_source *source,
                         struct program **program, struct build_report *report, struct error *err);
    void (*program_free)(struct program *program);

    /*
     * The binary from which the program can be loaded without the compiler; it includes code that
     * the driver compiled at the launches so far. The caller's. STATUS_UNAVAILABLE if loading a
     * binary is not faster. Optional.
     */
    enum status (*binary)(const struct program *program, struct binary *made, struct error *err);

    /*
     * Append the driver's data on the resources of each kernel. Data that it does not give is
     * unknown. Optional.
     */
    enum status (*resources)(struct program *program, struct resource_list *found,
                             struct error *err);

    /* STATUS_UNAVAILABLE if the device has no room. */
    enum status (*buffer_new)(struct device *device, size_t bytes, struct buffer **buffer,
                              struct error *err);
    void (*buffer_free)(struct buffer *buffer);

    /* Set the bytes of the guard zones, and every 32-bit word between them. */
    enum status (*buffer_poison)(struct buffer *buffer, struct buffer_poison poison,
                                 struct error *err);

    enum status (*buffer_fill)(struct buffer *buffer, const struct contents *contents,
                               struct error *err);

    /* Copy contents from the host, as many bytes as the buffer has. */
    enum status (*buffer_write)(struct buffer *buffer, const void *contents, struct error *err);

    /*
     * Name a buffer for another process, and copy the contents of another process's buffer of the
     * same size. The copy is complete on return. Opening a buffer takes far longer than copying it,
     * so the buffers of other processes stay open until imports_close(); call that before their
     * process frees them. STATUS_UNAVAILABLE if the driver refuses. Optional, all or none.
     */
    enum status (*buffer_export)(struct buffer *buffer, struct buffer_handle *handle,
                                 struct error *err);
    enum status (*buffer_import)(struct buffer *buffer, const struct buffer_handle *source,
                                 struct error *err);
    void (*imports_close)(struct device *device);

    /*
     * Copy the contents of a buffer of the same device and size. The copy is complete before later
     * work of this process. Optional.
     */
    enum status (*buffer_copy)(struct buffer *buffer, struct buffer *source, struct error *err);

    /* Bytes of the device's memory that no process uses; 0 if the driver does not say. Optional. */
    double (*free_bytes)(struct device *device);

    /*
     * Make a digest of the buffer's contents with a secret key. Optional, and STATUS_UNAVAILABLE if
     * the device makes none of a buffer of this size.
     */
    enum status (*buffer_digest)(struct buffer *buffer, struct digest_key key, uint64_t *digest,
                                 struct error *err);

    /*
     * Tell whether the buffer still holds, bit for bit, what buffer_fill() made of the same
     * contents. Optional, and STATUS_UNAVAILABLE if the device cannot make these contents: then the
     * host compares.
     */
    enum status (*buffer_holds)(struct buffer *buffer, const struct contents *contents, bool *holds,
                                struct error *err);

    /*
     * Internal kernels poison buffers (`value` NULL) or fill them with a value's contents. They are
     * compiled when they are first needed. If that is slow, a back end can prepare them: key() is
     * the digest of source and options, and returns false if there is nothing to prepare; make()
     * compiles; load() takes the binary of make(), in this process or another. Optional, all three.
     */
    bool (*internal_kernel_key)(const struct device *device, const struct value *value,
                                char key[DIGEST_HEX_SIZE]);
    enum status (*internal_kernel_load)(struct device *device, const struct value *value,
                                        const struct binary *kept, struct error *err);
    enum status (*internal_kernel_make)(struct device *device, const struct value *value,
                                        struct binary *made, struct error *err);

    /*
     * Copy the whole allocation to the host (guard, contents, guard), or only its guards to their
     * places.
     */
    enum status (*buffer_read)(struct buffer *buffer, void *allocation, struct error *err);
    enum status (*buffer_read_guards)(struct buffer *buffer, void *allocation, struct error *err);

    /*
     * Run the launches, if any, in order, and wait. STATUS_INVALID for a launch that the device
     * refuses.
     */
    enum status (*run)(struct program *program, const struct launch_list *launches,
                       struct buffer *const *buffers, struct run_times *times, struct error *err);

    /*
     * Run the launches one by one and wait for each, so that an error names the one that failed. A
     * profiler that this process runs under sees these launches and nothing else.
     */
    enum status (*step)(struct program *program, const struct launch_list *launches,
                        struct buffer *const *buffers, struct error *err);

    /* Append compiled code. STATUS_UNAVAILABLE if the back end cannot show this form. */
    enum status (*code)(struct program *program, enum code_kind kind, struct strbuf *out,
                        struct error *err);

    /*
     * Run the kernel PROFILE_WARM_UP (profile.h) for the profiler that observes this process: its
     * first kernel takes it a second more than later ones. Optional.
     */
    void (*warm_profiler)(struct device *device);
};

/* The back ends that this program was built with, ended by NULL (backends/registry.c.in). */
extern const struct backend_ops *const backend_list[];

#endif
