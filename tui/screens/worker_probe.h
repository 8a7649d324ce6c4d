#ifndef TUI_SCREENS_WORKER_PROBE_H
#define TUI_SCREENS_WORKER_PROBE_H

#include "core/session/worker/evaluator.h"
#include "core/system/loop.h"
#include "tui/screens/problem_list.h"
#include "tui/screens/start_settings.h"

/*
 * Asks a worker in the background while the engineer uses the first screen: first for the devices,
 * then for the lint of one problem after another. A second worker reads PyTorch files, so that it
 * need not wait for a lint. The session on a PyTorch file takes over that worker.
 */

/* The pointers must outlive the probe. */
struct worker_probe_options {
    struct loop *loop;
    const struct evaluator_options *worker;
    /* receives the findings, and the problems of PyTorch files */
    struct problem_list *problem_list;
    struct start_settings *settings; /* receives the devices, or the reason why there are none */
    void (*changed)(void *data);
    /*
     * Called at the end of worker_probe_read_model(). If `err` is no error, the problem is the last
     * in the list.
     */
    void (*read)(void *data, const char *path, const struct error *err);
    void *data;
};

enum worker_probe_question { ASKED_NOTHING, ASKED_DEVICES, ASKED_LINT };

struct worker_probe {
    struct worker_probe_options options;
    struct evaluator *evaluator;
    enum worker_probe_question asked; /* the question that waits for its answer */
    struct loop_timer asking;         /* asks the next question */
    size_t linted;                    /* index of the problem in the question */
    bool is_outdated;                 /* that problem was read again after the question was asked */
    struct strbuf libraries;          /* versions that the judge uses; empty: unknown */

    struct evaluator *reader;  /* the reader of PyTorch files; NULL before the first file */
    struct loop_timer reading; /* begins to read */
    char *model;               /* path of the PyTorch file to read, or NULL */
};

/* Start a worker; a failure becomes the settings' trouble. */
void worker_probe_open(struct worker_probe *worker_probe,
                       const struct worker_probe_options *options);

/* End the workers, and return to all zeros; closing twice does nothing. */
void worker_probe_close(struct worker_probe *worker_probe);

/* Start reading a PyTorch file; false: another file is still being read. */
bool worker_probe_read_model(struct worker_probe *worker_probe, const char *path);

/*
 * Call when a problem was read again: it is linted again, and an answer under way for it is
 * dropped.
 */
void worker_probe_lint_again(struct worker_probe *worker_probe, size_t problem);

#endif
