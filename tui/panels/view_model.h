#ifndef TUI_PANELS_VIEW_MODEL_H
#define TUI_PANELS_VIEW_MODEL_H

#include "core/model/candidate.h"
#include "core/model/device_info.h"
#include "core/model/recommendation.h"
#include "core/session/driver/driver.h"
#include "core/session/store/diff.h"
#include "tui/keys/keymap.h"
#include "tui/panels/candidate_query.h"
#include "tui/panels/text_cache.h"
#include "tui/widgets/scene.h"

/*
 * The data that the panes show: the session, the step and the attempt that the engineer looks at,
 * and their texts, which are read when they are first shown. Panels draw a const view_model and
 * know no driver, so a live session, a replay and a test all use this structure.
 */

/* Reads a text by its id in the session. */
struct view_model_source {
    enum status (*text)(void *data, const char *id, struct strbuf *out, struct error *err);
    void *data;
};

/* An attempt with its texts.  All zeros: no attempt. */
struct subject {
    unsigned attempt;                                              /* 0: none */
    char candidate_id[OBJECT_ID_SIZE], verdict_id[OBJECT_ID_SIZE]; /* ids of the texts below */
    /* the reply as the agent wrote it */
    struct strbuf reply;
    struct candidate candidate; /* source NULL: the reply has no candidate */
    struct strbuf plan;         /* the plan as indented JSON */
    bool has_verdict;
    struct verdict verdict;
    char problem[ERROR_TEXT_SIZE]; /* why a text could not be read; empty: all were read */
};

struct view_model {
    const struct session *session;
    const struct keymap *keymap;      /* the keys that texts name; NULL: the keys of the table */
    const struct driver_live *live;   /* NULL in a replay */
    const struct device_info *device; /* NULL: the worker has not reported it yet */
    const char *trouble;              /* the error that stopped the session, or NULL */
    bool is_paused;
    bool can_resume;   /* the session has a journal and is not closed */
    bool is_elsewhere; /* the engineer chose an older step or attempt; else the latest is in view */
    struct view_model_source source;

    unsigned step;       /* the step in view; 0 if none yet */
    unsigned attempt;    /* the attempt in view; 0 if none yet */
    unsigned other;      /* the attempt chosen for comparison; 0 if there is none */
    unsigned advised_by; /* the last recommendation for the attempt in view, a step; 0: none */
    unsigned generation; /* counts the changes of the subjects below */
    unsigned compared;   /* the generation for which `changes` was computed */
    struct subject shown, parent, chosen;
    struct subject best; /* the best attempt; if that is in view, the best one before it */
    /*
     * from the best kernel to the one in view, while a keep step is in view; use
     * view_model_changes()
     */
    struct diff changes;
    char step_text_id[OBJECT_ID_SIZE];
    struct strbuf step_text; /* the text that the step in view proposes */
    struct strbuf reference; /* the implementation for another platform; empty: none */
    bool has_advice;         /* `step_text` is a recommendation, parsed into `advice` */
    struct recommendation advice;
    struct text_cache texts;
    struct candidate_query query; /* the last question about a candidate */
};

/* Show a step and its attempt, or an attempt and its last step that is not a prompt. */
void view_model_look_at_step(struct view_model *view_model, unsigned number);
void view_model_look_at_attempt(struct view_model *view_model, unsigned number);

/*
 * Compare the attempt in view with another one. If that is the one in view, the latest attempt is
 * shown instead.
 */
void view_model_compare_with(struct view_model *view_model, unsigned number);

/* Read a verdict by its id; the caller releases it. */
enum status view_model_read_verdict(const struct view_model *view_model, const char *id,
                                    struct verdict *verdict, struct error *err) MUST_CHECK;

/* Follow the session after an event, and read the texts that are shown now. */
void view_model_refresh(struct view_model *view_model);
void view_model_release(struct view_model *view_model);

/* The difference from the best kernel to the one in view; NULL if they have not been compared. */
const struct diff *view_model_changes(const struct view_model *view_model);

/* The step that waits for the engineer; NULL if none does.  A policy decides the other steps. */
const struct step *view_model_waiting(const struct view_model *view_model);

/*
 * The scene of the step in view: chosen by the kind of step and, for a kernel, by its verdict.
 * While an agent repairs a failed kernel, the scene of the failure stays.
 */
enum scene view_model_scene(const struct view_model *view_model);

/* The kernel's source; the whole reply if it has no candidate. */
const char *subject_source(const struct subject *subject);

/* The kernel that takes most of the time; NULL if none was timed. */
const struct kernel_time *subject_hottest(const struct subject *subject);

/*
 * The line of the source, from 1, at which a profiler counted most stalls; without a profile the
 * line at which the hottest kernel begins; 0: neither is known.
 */
size_t subject_hottest_line(const struct subject *subject);

/* The first line of the kernel with an error of the compiler, from 1; 0 if there is none. */
size_t subject_error_line(const struct subject *subject);

#endif
