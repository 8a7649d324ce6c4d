#ifndef TUI_PANELS_VIEW_MODEL_H
#define TUI_PANELS_VIEW_MODEL_H

#include "core/judge/device/backend.h"
#include "core/model/candidate.h"
#include "core/model/recommendation.h"
#include "core/session/driver/driver.h"
#include "tui/panels/candidate_query.h"

/*
 * What the panes show: the session as it is, the step and the attempt that
 * the engineer looks at, and the texts that belong to them, fetched when they
 * come into view.  Panels draw a const view_model and know no driver, so that a
 * replay or a test can set the same view_model.
 */

/* Where texts come from, by the ids in the session. */
struct view_model_source {
    enum status (*text)(void *data, const char *id, struct strbuf *out, struct error *err);
    void *data;
};

/* An attempt with its texts. */
struct subject {
    unsigned attempt;                                              /* 0: none */
    char candidate_id[OBJECT_ID_SIZE], verdict_id[OBJECT_ID_SIZE]; /* of what is held */
    struct strbuf reply;                                           /* as the agent wrote it */
    struct candidate candidate; /* source NULL: the reply holds none */
    struct strbuf plan;         /* its plan, a line for each member */
    bool has_verdict;
    struct verdict verdict;
    char problem[ERROR_TEXT_SIZE]; /* why something could not be read; empty: nothing */
};

struct view_model {
    const struct session *session;
    const struct driver_live *live;   /* NULL in a replay */
    const struct device_info *device; /* NULL: not known yet */
    bool is_paused;
    const char *trouble; /* why the session has stopped; NULL: it has not, or ended well */
    bool can_resume;     /* its journal is in place, and it is not over */
    struct view_model_source source;

    unsigned step;       /* in view; 0: none yet */
    unsigned attempt;    /* in view */
    bool is_elsewhere;   /* the engineer chose what is in view; else the latest is */
    unsigned other;      /* an attempt to compare with; 0: none was chosen */
    unsigned advised_by; /* the last step that recommends something for the attempt in view; 0 */
    unsigned generation; /* counts the times that a subject got other texts */
    struct subject shown, parent, best, chosen;
    size_t added, removed; /* lines that the kernel in view has more, and less, than the best */
    char step_text_id[OBJECT_ID_SIZE];
    struct strbuf step_text; /* what the step in view proposes */
    struct strbuf reference; /* an implementation for another platform; empty: none */
    bool has_advice;         /* that is a recommendation, and reads as one */
    struct recommendation advice;
    struct candidate_query query; /* what was asked about an attempt last */
};

/* Look at a step, or at an attempt and the step that proposed it. */
void view_model_look_at_step(struct view_model *view_model, unsigned number);
void view_model_look_at_attempt(struct view_model *view_model, unsigned number);

/* Compare with an attempt; where that is the one in view, the last one comes into view. */
void view_model_compare_with(struct view_model *view_model, unsigned number);

/* Ask what the compiler makes of the attempt in view, or what a sanitizer finds in it. */
void view_model_list(struct view_model *view_model, const char *form);
void view_model_sanitize(struct view_model *view_model, const char *tool);

/* Follow the session after an event, and fetch what came into view. */
void view_model_refresh(struct view_model *view_model);
void view_model_release(struct view_model *view_model);

/* The step that waits for the engineer, or NULL: a policy decides the others by itself. */
const struct step *view_model_waiting(const struct view_model *view_model);

/* The kernel's source; where the reply holds none, the reply. */
const char *subject_source(const struct subject *subject);

/* The kernel that takes most of the time; NULL where nothing was timed. */
const struct kernel_time *subject_hottest(const struct subject *subject);

/*
 * The line of the source, from 1, that a profiler saw the most waiting at; else where that kernel
 * begins; 0: there is none.
 */
size_t subject_hottest_line(const struct subject *subject);

#endif
