#ifndef CORE_JUDGE_EXECUTOR_EXECUTOR_H
#define CORE_JUDGE_EXECUTOR_EXECUTOR_H

#include "core/judge/device/backend.h"
#include "core/judge/executor/executor_options.h"
#include "core/judge/executor/wire.h"
#include "core/model/graph.h"

/*
 * The executor: a child process that owns the device and runs candidates, because a candidate may
 * crash it, hang it or exhaust its memory. The outputs of a candidate reach the judge through
 * shared memory; the judge checks them there and trusts nothing else.
 *
 * A slot holds a loaded program, so that several programs can be timed in turn on the same tensors.
 * If the executor dies, the next call starts it again, without tensors and programs.
 *
 * Calls fail with STATUS_TIMEOUT or STATUS_IO if the process hangs or dies, with the status that
 * the back end returned, or with STATUS_CANCELLED. executor_outcome() then gives the candidate's
 * fault.
 */
struct executor;

/* No process is started before the first call that needs it. */
struct executor *executor_new(const struct executor_options *options);
void executor_free(struct executor *executor);

/*
 * Take over an executor that another thread has opened: from now on requests are cancelled by
 * `cancel`, and the process may take `grace_us` microseconds to end by itself.
 */
void executor_adopt(struct executor *executor, const struct child_cancel *cancel, int64_t grace_us);

/*
 * The fault of the candidate in a failed call: crashed, timed_out, out_of_memory, flooded or
 * launch_failed. OUTCOME_NONE if the call was cancelled or the candidate is not to blame.
 */
enum outcome executor_outcome(const struct executor *executor);

/* Begin with a new candidate: all candidates that were sent before count as others. */
void executor_announce(struct executor *executor);

/*
 * Candidates in this language are to come. If it has a library of its own (language.h), this
 * process or the next one starts with it; a process without it is ended.
 */
void executor_expect(struct executor *executor, const char *language);

/*
 * True if the process that ended last had been sent other candidates too. Then one of them may have
 * damaged it, and its end is no proof against the candidate that is judged.
 */
bool executor_was_shared(const struct executor *executor);

/*
 * Record that a candidate wrote where it must not and may have damaged the process: the next
 * executor_announce() or executor_set_tensors() starts another process.
 */
void executor_distrust(struct executor *executor);

/*
 * Record that a candidate may have damaged the process without a visible sign. The process stays in
 * use, but a failure in it is no proof against a later candidate. A new process is not doubted.
 */
void executor_doubt(struct executor *executor);
bool executor_is_doubted(const struct executor *executor);

/* The devices of the executor's back ends that match its options, at least one. */
enum status executor_probe(struct executor *executor, struct device_list *devices,
                           struct error *err) MUST_CHECK;

/* The executor's device; opens it if necessary. Borrowed, valid until the executor is freed. */
enum status executor_device(struct executor *executor, const struct device_info **device,
                            struct error *err) MUST_CHECK;

/* Make the graph's tensors on the device and free earlier ones. Empties all slots. */
enum status executor_set_tensors(struct executor *executor, const struct problem *problem,
                                 const struct graph *graph, struct error *err) MUST_CHECK;

/* Free the buffers of the problem on the device, if it has any. */
void executor_empty(struct executor *executor);

/* Free the report and the resources. */
void executor_build_release(struct executor_build *build);

/* A program to load; SLOT_PLAIN is for kforge's own kernels only. Borrows everything. */
struct executor_load {
    unsigned slot;
    const char *source;
    const struct dispatch *dispatch; /* with the compiler's options */
    const char *language;            /* a name in language.h; NULL: the device's own */
};

/*
 * Build a program and load it into a slot. A rejection by the compiler is STATUS_OK. Building the
 * same source with the same options again costs nothing.
 */
enum status executor_load(struct executor *executor, const struct executor_load *load,
                          struct executor_build *build, struct error *err) MUST_CHECK;

/*
 * True if the binary of this program may be cached and is not cached yet; ask before the program is
 * loaded. On a CPU a candidate that runs may take over the executor, so a binary is cached only if
 * no candidate was loaded before. On a GPU the result is false: executor_load() caches binaries
 * itself.
 */
bool executor_may_keep(const struct executor *executor, const struct executor_load *load);

/*
 * Cache the binary of a loaded program for other executors; a candidate must not have run yet. An
 * error is ignored, because the source can be compiled again. It may end the process, so the caller
 * loads the program again before it runs.
 */
void executor_keep(struct executor *executor, const struct executor_load *load);

/* Copy tensors on the device, see struct executor_stash. */
enum status executor_stash(struct executor *executor, const struct executor_stash *stash,
                           struct error *err) MUST_CHECK;

/*
 * Append the compiled code of the program in a slot to `text`; machine code is in base64,
 * one line for each file. STATUS_UNAVAILABLE if the back end has no such form.
 */
enum status executor_code(struct executor *executor, unsigned slot, enum code_kind kind,
                          struct strbuf *text, struct error *err) MUST_CHECK;

/* Make a run, and write its times to `times`. A failure may be the candidate's. */
enum status executor_run(struct executor *executor, const struct executor_run *run,
                         struct executor_times *times, struct error *err) MUST_CHECK;

/*
 * Repeat the run of a slot that was made last, on the same inputs, for about that time: its data
 * are in the caches then, as on a machine where nothing else runs. At least one run is made. What
 * is collected afterwards is that of the last one.
 */
struct executor_repeat {
    unsigned slot;
    enum poison_kind poison;
    int64_t for_us;
};
enum status executor_repeat_run(struct executor *executor, const struct executor_repeat *repeat,
                                struct repeat_times *times, struct error *err) MUST_CHECK;

/* Append what the process has printed besides its answer to the last call. */
void executor_add_printed(const struct executor *executor, struct strbuf *out);

/*
 * After a run of SLOT_CANDIDATE: copy the guard zones and outputs to `side`, and compare inputs and
 * params with the data that was put there.
 */
enum status executor_collect(struct executor *executor, unsigned side,
                             struct error *err) MUST_CHECK;

/*
 * Like executor_collect(), but large outputs stay on the device, where another executor can read
 * them until the next run: executor_handle() names them. Outputs are copied if the back end has no
 * handles.
 */
enum status executor_collect_in_place(struct executor *executor, unsigned side,
                                      struct error *err) MUST_CHECK;

/*
 * The handle (wire.h) by which output `index` was left in place; NULL if it was copied to the host.
 * Borrowed until the next call.
 */
const char *executor_handle(const struct executor *executor, size_t index);

/*
 * Copy the outputs that stayed on the device, because the other executor cannot read them. From now
 * on executor_collect_in_place() copies everything.
 */
enum status executor_fetch(struct executor *executor, unsigned side, struct error *err) MUST_CHECK;

/* Contents of a buffer: on the host, or, if `handle` is not NULL, in a buffer of another executor
 * on the same device. Borrowed. */
struct executor_source {
    const void *contents;
    const char *handle;
};

/*
 * Copy contents to buffer `index` of the program in SLOT_CANDIDATE, as many bytes as the buffer
 * has. They stay until something writes to the buffer (keeps_data in wire.h).
 */
enum status executor_deliver(struct executor *executor, size_t index,
                             const struct executor_source *source, struct error *err) MUST_CHECK;

/*
 * Close the buffers of other executors that executor_deliver() has read: they stay open, because
 * opening takes longer than copying. No process is started for it.
 */
void executor_close_imports(struct executor *executor);

/*
 * Set a function that is called before this executor's buffers are freed, because another executor
 * may have mapped them; NULL for none.
 */
void executor_on_free(struct executor *executor, void (*on_free)(void *data), void *data);

/* The sums so far; callers use differences. */
struct executor_spent executor_spent(const struct executor *executor);

/* The id of its process; 0 if none runs. */
pid_t executor_process_id(const struct executor *executor);

/* CPU time of the process on the host's cores since it was started. */
double executor_cpu_us(const struct executor *executor);

/* Time that the threads of the process have waited for a core (core/system/thread_work.h). */
double executor_waited_us(const struct executor *executor);

/*
 * Drop the copies of buffers, and give their memory back: the next candidate uses the same memory.
 */
void executor_wipe(struct executor *executor);

/*
 * The last copy on `side` of the allocation of buffer `index` of the candidate's dispatch: guard,
 * contents, guard (backend.h). The contents are valid only for an output. Borrowed until the next
 * call.
 */
const unsigned char *executor_allocation(const struct executor *executor, unsigned side,
                                         size_t index, size_t *contents_bytes);

/*
 * True if tensor `index`, an input or a param, no longer held its data when buffers were copied
 * last. The executor compares: it could forge a copy just as well.
 */
bool executor_has_changed(const struct executor *executor, size_t index);

#endif
