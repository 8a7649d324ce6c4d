#ifndef TUI_SURVEY_H
#define TUI_SURVEY_H

#include "core/base/loop.h"
#include "tui/offer.h"
#include "tui/settings.h"

/*
 * What a worker tells while somebody chooses what to begin with: first which
 * devices there are, then what it finds in one problem after the other; a
 * PyTorch file, which only it can read, goes before the next of these.
 */

/* All outlive the survey. */
struct survey_options {
    struct loop *loop;
    const struct evaluator_options *worker;
    struct offer *offer;       /* its problems are linted, and what is read is added */
    struct settings *settings; /* get the devices, or why there are none */
    void (*changed)(void *data);
    /* Of survey_read_model(); err NULL: it is the last problem now. */
    void (*read)(void *data, const char *path, const struct error *err);
    void *data;
};

enum survey_question { ASKED_NOTHING, ASKED_DEVICES, ASKED_MODEL, ASKED_LINT };

struct survey {
    struct survey_options options;
    struct evaluator *evaluator;
    enum survey_question asked; /* and not answered yet */
    struct loop_timer asking;   /* for the next */
    char *model;                /* the PyTorch file to be read; NULL: none */
    size_t linted;              /* the problem that is asked about */
    struct strbuf libraries;    /* of the judge; empty: not known */
};

/* Start a worker; what is wrong with it becomes the settings' trouble. */
void survey_open(struct survey *survey, const struct survey_options *options);
void survey_close(struct survey *survey);

/* Read a PyTorch file; false: another is being read. */
bool survey_read_model(struct survey *survey, const char *path);

/* There is another problem to be linted. */
void survey_go_on(struct survey *survey);

#endif
