#ifndef TESTS_CONTRACT_DEVICE_FIXTURE_H
#define TESTS_CONTRACT_DEVICE_FIXTURE_H

#include "core/model/tensor.h"
#include "tests/unit/unit.h"

#include "core/judge/device/backend.h"
#include "tests/contract/kernel_sources.h"

/*
 * A device under test, and helpers for its tests. Each helper fails the running test on an error
 * and prints the back end's message.
 */
struct device_fixture {
    const struct backend_ops *ops;
    size_t index, device_count;
    const struct device_info *info;
    const struct kernel_sources *sources;
    struct device *device;
};

/* Fail the running test with the error's text unless `st` is STATUS_OK. */
void assert_ok(enum status st, const struct error *err);

/* Compile the test kernels in the device's language. */
struct program *device_fixture_kernels(const struct device_fixture *s);

enum { DEVICE_FIXTURE_GUARD = 0x5A };

/* Make a buffer and poison it with UINT32_MAX; its guards are DEVICE_FIXTURE_GUARD. */
struct buffer *device_fixture_poisoned(const struct device_fixture *s, size_t bytes);

/* Describe a tensor of one axis with `count` elements. */
struct value row_value(enum dtype dtype, size_t count, struct fill fill);

#define FIXTURE_SEED   0x0123456789abcdef
#define FIXTURE_STREAM 5

/* Make a buffer filled as `value` says, from FIXTURE_SEED and FIXTURE_STREAM. */
struct buffer *device_fixture_filled(const struct device_fixture *s, const struct value *value);

/* Read a buffer with both guards: guard, contents, guard. The caller frees the copy. */
unsigned char *device_fixture_read(const struct device_fixture *s, struct buffer *buffer,
                                   size_t bytes);

/* Assert that both guards are intact and that the contents equal `want`. */
void device_fixture_assert_contents(const struct device_fixture *s, struct buffer *buffer,
                                    const void *want, size_t bytes);

/* Leave the group out of a launch in a language without groups; device_fixture_run() does so. */
void device_fixture_fit(const struct device_fixture *s, struct launch *launch);

/* Run one launch; assert that a successful one took time. */
enum status device_fixture_run(const struct device_fixture *s, struct program *program,
                               const struct launch *launch, struct buffer *const *buffers,
                               struct error *err);
void device_fixture_assert_runs(const struct device_fixture *s, struct program *program,
                                const struct launch *launch, struct buffer *const *buffers);

/* Assert that the device fills `value` with the same bits as fill_make() on the host. */
void device_fixture_assert_filled(const struct device_fixture *s, const struct value *value);

/* Return the resources of `kernel`; fail the test when the list lacks it. */
const struct kernel_resources *device_fixture_resources(const struct resource_list *list,
                                                        const char *kernel);

/* Initializers of launch arguments. */
#define BUFFER(index)  .kind = ARG_BUFFER, .buffer = (index)
#define INTEGER(value) .kind = ARG_INTEGER, .integer = (value)
#define FLOAT(value)   .kind = ARG_NUMBER, .dtype = DTYPE_F32, .number = (value)
#define LONG(value)    .kind = ARG_NUMBER, .dtype = DTYPE_I64, .number = (value)
#define LOCAL(bytes)   .kind = ARG_LOCAL, .integer = (bytes)

/*
 * Assert that the back end refuses the launch with a message that names the kernel and contains
 * `saying`.
 */
void device_fixture_assert_refused(const struct device_fixture *s, const struct launch *launch,
                                   const char *saying);

/*
 * Run the tests on all devices of a back end; each test gets a struct device_fixture as its state.
 * Return the number of failures; `*tested` counts the devices.
 */
int device_fixture_test_backend(const struct backend_ops *ops, const struct CMUnitTest *tests,
                                size_t count, size_t *tested);

/*
 * Run the tests on all back ends and return the program's exit status. A machine without any device
 * fails.
 */
int device_fixture_test_all(const struct CMUnitTest *tests, size_t count);

#endif
