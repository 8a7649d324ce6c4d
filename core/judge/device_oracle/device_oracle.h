#ifndef CORE_JUDGE_DEVICE_ORACLE_DEVICE_ORACLE_H
#define CORE_JUDGE_DEVICE_ORACLE_DEVICE_ORACLE_H

#include "core/judge/executor/executor.h"
#include "core/judge/task/expected_outputs.h"

/*
 * The oracle on the device: for large problems the expected outputs are computed by kernels of
 * kforge's own (oracle_program.h), in an executor of its own, which never loads a candidate. Both
 * executors make the same inputs from the same seeds. The CPU's oracle stays the definition; the
 * tests hold this one against it.
 *
 * A call may come from any thread; one is served at a time.
 */
struct device_oracle;

struct device_oracle_options {
    /* the options of the candidates' executor; but requests cannot be cancelled */
    struct executor_options executor;
    const char *build; /* options for the compiler, or NULL; borrowed */
    /* compare outputs of at least this size on the device; 0: as expected_outputs_are_deferred() */
    double compares_bytes;
    int64_t inlined_elements; /* as in struct oracle_program_request */
    size_t most_kernels;      /* the same */
};

/* Make a device oracle. Its executor's process starts with the first call that needs it. */
struct device_oracle *device_oracle_new(const struct device_oracle_options *options);
void device_oracle_free(struct device_oracle *oracle);

/* Start the process and open its device, which the first call has to wait for otherwise. */
void device_oracle_wake(struct device_oracle *oracle);

/*
 * Forget the graph of the last call and free its tensors on the device. Call this before freeing a
 * graph that was given to device_oracle_expect().
 */
void device_oracle_rest(struct device_oracle *oracle);

/*
 * Compute the outputs of a problem at the graph's dimensions, for data from the seeds of `made`,
 * and set made->outputs, which are the caller's. Large outputs with derived tolerances stay on
 * the device: then made->outputs is NULL, and made->compare_us is set. It fails if an operation has
 * no kernel, if the device has no double precision or too little memory, or if its driver fails;
 * the CPU then computes the outputs. This is the function of struct expected_outputs_device.
 */
enum status device_oracle_expect(void *device_oracle, const struct problem *problem,
                                 const struct graph *graph, struct expectation *made,
                                 struct error *err) MUST_CHECK;

/*
 * Compute the expected outputs again if they stay on the device, and compare an output with them.
 * The elements are first copied into memory of the oracle's own executor, so that no candidate can
 * reach the comparison. This is the second function of struct expected_outputs_device.
 */
enum status device_oracle_compare(void *device_oracle, const struct expected_comparison *comparison,
                                  struct trial *trial, struct error_map *map,
                                  struct error *err) MUST_CHECK;

/*
 * Make a digest of all bits of an output that expected outputs on the device would be compared
 * with: `handle` or `got` of the comparison. It fails if nothing is compared on the device. This is
 * the third function of struct expected_outputs_device.
 */
enum status device_oracle_digest(void *device_oracle, const struct expected_comparison *comparison,
                                 uint64_t *digest, struct error *err) MUST_CHECK;

/*
 * Compute the expected outputs that the next comparisons will need, as many as there is room for
 * (device_oracle_allow()); none if the tensors of the graph take so much memory that those of a
 * candidate might find none. Errors are left to those comparisons. This is the fourth function of
 * struct expected_outputs_device.
 */
void device_oracle_look_ahead(void *device_oracle, const struct problem *problem,
                              const struct graph *graph, struct expectation_list *next);

/*
 * Compile the graph's program and load it, so that the next device_oracle_expect() only runs it.
 * This occupies no more of the device than a candidate's build. This is the fifth function of
 * struct expected_outputs_device.
 */
enum status device_oracle_load(void *device_oracle, const struct problem *problem,
                               const struct graph *graph, struct error *err) MUST_CHECK;

/* Set the bytes of the device's memory that outputs may take which are computed ahead. */
void device_oracle_allow(struct device_oracle *oracle, double bytes);

/*
 * Unmap the candidate's buffers that comparisons have read; this is necessary before they are
 * freed. Free own buffers too if they take much of the device's memory. The function is for
 * executor_on_free().
 */
void device_oracle_let_go(void *device_oracle);

#endif
