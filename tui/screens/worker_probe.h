#ifndef TUI_SCREENS_WORKER_PROBE_H
#define TUI_SCREENS_WORKER_PROBE_H

#include "core/system/loop.h"
#include "tui/screens/problem_list.h"
#include "tui/screens/start_settings.h"

/*
 * What a worker tells while somebody chooses what to begin with: first which
 * devices there are, then what it finds in one problem after the other; a
 * PyTorch file, which only it can read, goes before the next of these.
 */

/* All outlive the worker_probe. */
struct worker_probe_options {
    struct loop *loop;
    const struct evaluator_options *worker;
    struct problem_list *problem_list; /* its problems are linted, and what is read is added */
    struct start_settings *settings;   /* get the devices, or why there are none */
    void (*changed)(void *data);
    /* Of worker_probe_read_model(); err NULL: it is the last problem now. */
    void (*read)(void *data, const char *path, const struct error *err);
    void *data;
};

enum worker_probe_question { ASKED_NOTHING, ASKED_DEVICES, ASKED_MODEL, ASKED_LINT };

struct worker_probe {
    struct worker_probe_options options;
    struct evaluator *evaluator;
    enum worker_probe_question asked; /* and not answered yet */
    struct loop_timer asking;         /* for the next */
    char *model;                      /* the PyTorch file to be read; NULL: none */
    size_t linted;                    /* the problem that is asked about */
    struct strbuf libraries;          /* of the judge; empty: not known */
};

/* Start a worker; what is wrong with it becomes the settings' trouble. */
void worker_probe_open(struct worker_probe *worker_probe,
                       const struct worker_probe_options *options);
void worker_probe_close(struct worker_probe *worker_probe);

/* Read a PyTorch file; false: another is being read. */
bool worker_probe_read_model(struct worker_probe *worker_probe, const char *path);

/* There is another problem to be linted. */
void worker_probe_continue(struct worker_probe *worker_probe);

#endif
