#ifndef CORE_JUDGE_INSPECT_H
#define CORE_JUDGE_INSPECT_H

#include "core/judge/executor/executor.h"
#include "core/judge/task/expectations.h"

/*
 * Checks of everything that a run left in shared memory: the guard zones, the inputs, which must
 * not have changed, and the outputs, which must match the expected values.
 */
struct inspection {
    struct executor *executor;
    unsigned side; /* one of the two copies (readback.h) */
    const struct problem *problem;
    const struct dispatch *dispatch;
    const struct expectations_case *shape;
    uint64_t param_seed, input_seed;    /* seeds of the data that the run worked on */
    const struct expectation *expected; /* NULL if it is not computed */
    unsigned seed_id;                   /* number of the seed in the verdict */
    bool is_timed; /* a timed run: it becomes a trial of the verdict only if it is wrong */
    bool is_again; /* a second run on the same data */
    enum poison_kind poison; /* before the run */
    /*
     * outputs of an earlier run, by tensor; NULL for the array or for a tensor means what the
     * executor holds now
     */
    void *const *outputs;
};

/* Digests of the outputs of a run that have stayed on the device, by tensor. */
struct run_digests {
    uint64_t *items;  /* NULL for none */
    bool is_followed; /* the outputs of a second run will be digested soon */
};

/*
 * Check guard zones, inputs and outputs. If something is wrong, conclude the verdict with the first
 * fault. A trial for each output is appended to the verdict. This run's error map replaces the
 * verdict's if there is none yet or if this run is wrong. Fails if the expected values cannot be
 * computed.
 */
enum status inspect_run(const struct inspection *inspection, struct verdict *verdict,
                        struct error *err) MUST_CHECK;

/*
 * After the run: copy guard zones and outputs, and compare inputs. Large outputs stay on the
 * device if their expected elements do.
 */
enum status inspect_collect(const struct inspection *inspection, struct error *err) MUST_CHECK;

/*
 * True if output `index` of the run has stayed on the device; the second function: if any output
 * has.
 */
bool inspect_is_in_place(const struct inspection *inspection, size_t index);
bool inspect_any_is_in_place(const struct inspection *inspection);

/* The elements of output `index` of the run, in host memory. */
const unsigned char *inspect_output(const struct inspection *inspection, size_t index);

/* Check the outputs only, like inspect_run(). */
enum status inspect_outputs(const struct inspection *inspection, struct verdict *verdict,
                            struct error *err) MUST_CHECK;

/*
 * Check the guard zones and the inputs only, like inspect_run(); false if something is wrong. After
 * a write to a guard zone, nothing else is loaded into the executor's process: on a CPU, the run
 * may have damaged it.
 */
bool inspect_surroundings(const struct inspection *inspection, struct verdict *verdict);

/*
 * Check a run that repeats an earlier run on the same data, whose outputs were copied to `side`. If
 * any bit differs, verify the outputs; if they are right, add the hazard "nondeterministic". If
 * outputs stay on the device, the run is verified in any case.
 */
enum status inspect_repetition(const struct inspection *inspection, unsigned side,
                               struct verdict *verdict, struct error *err) MUST_CHECK;

/*
 * Make the digests of a run; run_digests_release() frees them. STATUS_UNAVAILABLE if the device
 * cannot.
 */
enum status inspect_digest(const struct inspection *inspection, struct run_digests *digests,
                           struct error *err) MUST_CHECK;
void run_digests_release(struct run_digests *digests);

/*
 * Set `*is_same`: all bits of the outputs of this run and of an earlier one are equal. Those of the
 * earlier one were copied to `side`, or have left `digests` on the device.
 */
enum status inspect_is_same(const struct inspection *inspection, unsigned side,
                            const struct run_digests *digests, bool *is_same,
                            struct error *err) MUST_CHECK;

#endif
