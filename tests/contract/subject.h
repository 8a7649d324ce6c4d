#ifndef TESTS_CONTRACT_SUBJECT_H
#define TESTS_CONTRACT_SUBJECT_H

#include "core/model/tensor.h"
#include "tests/unit/unit.h"

#include "core/judge/device/backend.h"
#include "tests/contract/dialect.h"

/*
 * A device under test, and the steps that its tests have in common.  What
 * must succeed fails the running test otherwise, with the back end's error.
 */
struct subject {
    const struct backend_ops *ops;
    size_t index, device_count;
    const struct device_info *info;
    const struct dialect *dialect;
    struct device *device;
};

void assert_ok(enum status st, const struct error *err);

/* The kernels of the dialect, compiled. */
struct program *subject_kernels(const struct subject *s);

/* A buffer poisoned with UINT32_MAX. */
struct buffer *subject_poisoned(const struct subject *s, size_t bytes);

/* A tensor of `count` elements in one row. */
struct value row_value(enum dtype dtype, size_t count, struct fill fill);

#define SUBJECT_SEED   0x0123456789abcdef
#define SUBJECT_STREAM 5

/* A buffer with the contents of `value` from that seed and stream. */
struct buffer *subject_filled(const struct subject *s, const struct value *value);

/* Guard, contents, guard; the caller frees. */
unsigned char *subject_read(const struct subject *s, struct buffer *buffer, size_t bytes);

/* The guards are whole, and between them are `want`. */
void subject_assert_contents(const struct subject *s, struct buffer *buffer, const void *want,
                             size_t bytes);

/* Run one launch; one that succeeds must have taken time. */
enum status subject_run(const struct subject *s, struct program *program,
                        const struct launch *launch, struct buffer *const *buffers,
                        struct error *err);
void subject_assert_runs(const struct subject *s, struct program *program,
                         const struct launch *launch, struct buffer *const *buffers);

/* What the device makes of `value` is what fill_make() makes of it. */
void subject_assert_filled(const struct subject *s, const struct value *value);

/* Those of the kernel, which must be there. */
const struct kernel_resources *subject_resources(const struct resource_list *list,
                                                 const char *kernel);

/* The arguments of launches. */
#define BUFFER(index)  .kind = ARG_BUFFER, .buffer = (index)
#define INTEGER(value) .kind = ARG_INTEGER, .integer = (value)
#define FLOAT(value)   .kind = ARG_NUMBER, .dtype = DTYPE_F32, .number = (value)
#define LONG(value)    .kind = ARG_NUMBER, .dtype = DTYPE_I64, .number = (value)
#define LOCAL(bytes)   .kind = ARG_LOCAL, .integer = (bytes)

/* The launch is refused, in words that name the kernel and say `saying`. */
void subject_assert_refused(const struct subject *s, const struct launch *launch,
                            const char *saying);

/*
 * Run the tests, which are given a struct subject, on all devices of a back
 * end; return how many failed.  `*tested` counts the devices.
 */
int subject_test_backend(const struct backend_ops *ops, const struct CMUnitTest *tests,
                         size_t count, size_t *tested);

/* The same on all back ends, as a program's exit status: a machine without any device fails. */
int subject_test_all(const struct CMUnitTest *tests, size_t count);

#endif
