#ifndef CORE_SUITE_SUITE_H
#define CORE_SUITE_SUITE_H

#include "core/agent/roles.h"
#include "core/base/json.h"
#include "core/session/state/limits.h"

/*
 * A suite: problems, the arms with which each of them is run, and the number of repeats.  A task is
 * one session of it: a problem, an arm and a repeat.  This is plain data with its JSON form
 * (FORMATS.md, "Suite").
 */

/* The order of the tasks that wait for a device. */
enum suite_order {
    SUITE_ROUND_ROBIN, /* in the order of suite_task_at() */
    SUITE_SHORTEST,    /* the one that is expected to take the shortest time (suite_queues.h) */
};

/* Names in files, by enum suite_order; NULL ends the list. */
extern const char *const suite_order_names[];

/* One way of running a problem: the options of its sessions.  NULL texts are not given. */
struct suite_arm {
    char *name;                       /* unique in the suite */
    char *agent;                      /* as for --agent, the first one; never NULL once read */
    char *others[ROUND_ATTEMPTS - 1]; /* further ones, which write kernels in turn with it */
    size_t other_count;
    char *analyst;        /* as for --analyst */
    bool without_profile; /* as for --without-profile */
    char *policy;         /* a preset of the gate, or a file of rules; never NULL once read */
    char *language;       /* as for --language */
    char *reference;      /* a file, as for --reference */
    char *tolerance;      /* of PyTorch files: "f32" or "mixed" */
    char *device;         /* as for --device */
    char *worker;         /* as for --worker */
    struct limits limits;
    double build_limit, run_limit, tune_limit, timing_limit; /* seconds, as --build-limit; or 0 */
    size_t tune_choices;                                     /* as --tune-choices; or 0 */
};

struct suite {
    char *name;
    struct {
        char **items; /* patterns and names in a file of the user; files in a suite that runs */
        size_t count, capacity;
    } problems;
    struct {
        struct suite_arm *items;
        size_t count, capacity;
    } arms;
    unsigned repeats;
    enum suite_order order;
    char *on;                 /* where the tasks run, as for --on; NULL: here */
    double budget[RESOURCES]; /* of all sessions together, by enum resource; 0: no limit */
};

enum { SUITE_MOST_REPEATS = 1000, SUITE_MOST_TASKS = 100000, SUITE_MOST_JOBS = 256 };
enum { SUITE_MOST_NAME = 40 }; /* characters of the name of a suite or an arm */

/*
 * Read a suite.  What is not given gets the default of `kforge run`.  `document` names the file in
 * errors.
 */
enum status suite_parse(struct suite *suite, const char *text, size_t len, const char *document,
                        struct error *err) MUST_CHECK;

/* Append the suite as an indented JSON document, which suite_parse() reads back. */
void suite_print(const struct suite *suite, struct strbuf *out);

/* Free the contents and leave it empty. */
void suite_release(struct suite *suite);

/* A copy of an arm, which the caller puts into a suite. */
struct suite_arm suite_arm_copy(const struct suite_arm *arm);

/* The roles of an arm's agents, whose names are borrowed from it. */
struct roles suite_arm_roles(const struct suite_arm *arm);

/* True if its agents are models or programs, which take time without using the device. */
bool suite_arm_thinks(const struct suite_arm *arm);

/* The number of tasks. */
size_t suite_task_count(const struct suite *suite);

/* A task by its indices, all from 0. */
struct suite_task {
    size_t problem, arm;
    unsigned repeat;
};

/*
 * The task with an index from 0.  Each repeat comes after the one before it, and in a repeat each
 * problem goes through all arms, so that a suite that is stopped has compared all arms alike.
 */
struct suite_task suite_task_at(const struct suite *suite, size_t index);

/* The index of a task, the inverse of suite_task_at(). */
size_t suite_task_index(const struct suite *suite, struct suite_task at);

/* Append the label of a problem: the name of its file without folder and ending. */
void suite_add_label(const struct suite *suite, size_t problem, struct strbuf *out);

#endif
