#ifndef CORE_SUITE_SUITE_H
#define CORE_SUITE_SUITE_H

#include "core/agent/roles.h"
#include "core/base/json.h"
#include "core/session/state/limits.h"

/*
 * A suite: problems, arms (sets of session options) and a number of repeats.  Each problem runs
 * with each arm in each repeat: such a session is a task.  Plain data with a JSON form (FORMATS.md,
 * "Suite").
 */

/* The order in which waiting tasks begin. */
enum suite_order {
    SUITE_ROUND_ROBIN, /* in the order of suite_task_at() */
    /* first the task that is expected to take the shortest time (suite_queues.h) */
    SUITE_SHORTEST,
};

/* Names in files, by enum suite_order; NULL ends the list. */
extern const char *const suite_order_names[];

/*
 * One way of running a problem: the options of its sessions.  A NULL text is an option not given.
 */
struct suite_arm {
    char *name; /* unique in the suite */
    /* as for --agent; of several agents the first; not NULL after suite_parse() */
    char *agent;
    /* the further agents, which write kernels in turn with the first */
    char *others[ROUND_ATTEMPTS - 1];
    size_t other_count;
    char *analyst;        /* as for --analyst */
    bool without_profile; /* as for --without-profile */
    /* a preset of the gate, or a file of rules; not NULL after suite_parse() */
    char *policy;
    char *language;  /* as for --language */
    char *reference; /* a file, as for --reference */
    char *tolerance; /* for PyTorch files: "f32" or "mixed" */
    char *device;    /* as for --device */
    char *worker;    /* as for --worker */
    struct limits limits;
    /* seconds, as for --build-limit; 0: not given */
    double build_limit, run_limit, tune_limit, timing_limit;
    /* as for --tune-choices; 0: not given */
    size_t tune_choices;
};

struct suite {
    char *name;
    struct {
        /* names and patterns in a file of the user; paths of files in the folder of a suite */
        char **items;
        size_t count, capacity;
    } problems;
    struct {
        struct suite_arm *items;
        size_t count, capacity;
    } arms;
    unsigned repeats;
    enum suite_order order;
    char *on;                 /* where the tasks run, as for --on; NULL: here */
    double budget[RESOURCES]; /* for all sessions together, by enum resource; 0: no limit */
};

enum { SUITE_MOST_REPEATS = 1000, SUITE_MOST_TASKS = 100000, SUITE_MOST_JOBS = 256 };
enum { SUITE_MOST_NAME = 40 }; /* the most characters in the name of a suite or an arm */

/*
 * Read a suite.  Options that are not given get the defaults of `kforge run`.  `document` names the
 * file in errors.
 */
enum status suite_parse(struct suite *suite, const char *text, size_t len, const char *document,
                        struct error *err) MUST_CHECK;

/* Append the suite as an indented JSON document, which suite_parse() reads back. */
void suite_print(const struct suite *suite, struct strbuf *out);

/* Free the contents and leave it empty. */
void suite_release(struct suite *suite);

/* Copy an arm.  The caller owns the copy, and adds it to a suite, whose release frees it. */
struct suite_arm suite_arm_copy(const struct suite_arm *arm);

/* The roles of an arm's agents, whose names are borrowed from it. */
struct roles suite_arm_roles(const struct suite_arm *arm);

/* True if the arm's agents are models or programs, which take time without using the device. */
bool suite_arm_thinks(const struct suite_arm *arm);

/* The number of tasks. */
size_t suite_task_count(const struct suite *suite);

/* A task by its indices, all from 0. */
struct suite_task {
    size_t problem, arm;
    unsigned repeat;
};

/*
 * The task at an index, from 0.  Tasks are ordered by repeat, then problem, then arm, so that a
 * suite that is stopped has run all arms on the same problems.
 */
struct suite_task suite_task_at(const struct suite *suite, size_t index);

/* The index of a task, the inverse of suite_task_at(). */
size_t suite_task_index(const struct suite *suite, struct suite_task at);

/* Append the label of a problem: the name of its file without folder and ending. */
void suite_add_label(const struct suite *suite, size_t problem, struct strbuf *out);

#endif
