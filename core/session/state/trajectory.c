#include "core/session/state/trajectory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/model/baseline_label.h"

static const double us_per_s = 1e6;

const char *trajectory_result_name(enum trajectory_result result)
{
    static const char *const names[] = {
        [TRAJECTORY_UNJUDGED] = "not judged", [TRAJECTORY_FAILED] = "failed",
        [TRAJECTORY_WRONG] = "wrong",         [TRAJECTORY_VETOED] = "vetoed",
        [TRAJECTORY_CORRECT] = "correct",     [TRAJECTORY_KEPT] = "kept",
        [TRAJECTORY_BEST] = "best",
    };

    return names[result];
}

static enum trajectory_result result_of(const struct session *session,
                                        const struct attempt *attempt)
{
    if (attempt->number == session->now.best)
        return TRAJECTORY_BEST;
    if (attempt->is_kept)
        return TRAJECTORY_KEPT;
    if (!attempt->is_evaluated)
        return TRAJECTORY_UNJUDGED;
    if (attempt->outcome == OUTCOME_CORRECT)
        return TRAJECTORY_CORRECT;
    return attempt->outcome >= OUTCOME_WRONG_VALUES ? TRAJECTORY_WRONG : TRAJECTORY_FAILED;
}

static void add_points(struct trajectory *trajectory, const struct session *session)
{
    for (size_t i = 0; i < session->attempts.count; i++) {
        const struct attempt *attempt = &session->attempts.items[i];
        struct trajectory_point point = {.attempt = attempt->number,
                                         .parent = attempt->parent,
                                         .result = result_of(session, attempt),
                                         .outcome = attempt->outcome,
                                         .is_by_hand = attempt->origin == ORIGIN_ENGINEER,
                                         .is_undone = attempt->is_undone,
                                         .bound_fraction = attempt->bound_fraction,
                                         .title = attempt->title ? attempt->title : ""};

        point.speed = attempt->speed.value;
        point.low = attempt->speed.low;
        point.high = isfinite(attempt->speed.high) ? attempt->speed.high : 0;
        vec_push(&trajectory->points, point);
    }
}

/* A retry refuses the candidate too. */
static bool is_veto(const struct step *step)
{
    return (step->kind == STEP_CANDIDATE || step->kind == STEP_KEEP) &&
           (step->decision == DECISION_VETOED || step->decision == DECISION_RETRIED);
}

/* Take from the steps when each attempt was proposed, and whether it was vetoed. */
static void follow_steps(struct trajectory *trajectory, const struct session *session)
{
    int64_t opened_us = 0, at_us;
    bool is_timed = clock_read_stamp(session->opened_at, &opened_us);

    for (size_t i = 0; i < session->steps.count; i++) {
        const struct step *step = &session->steps.items[i];
        struct trajectory_point *point;

        if (!step->attempt || step->attempt > trajectory->points.count)
            continue;
        point = &trajectory->points.items[step->attempt - 1];
        if (is_veto(step) && point->result < TRAJECTORY_KEPT)
            point->result = TRAJECTORY_VETOED;
        if (step->kind == STEP_CANDIDATE && is_timed && clock_read_stamp(step->at, &at_us) &&
            at_us > opened_us)
            point->seconds = (double)(at_us - opened_us) / us_per_s;
    }
}

/* Undone attempts are no longer kept. */
static bool is_held(const struct trajectory_point *point)
{
    return point->result >= TRAJECTORY_KEPT && !point->is_undone;
}

/*
 * Carry the best speed from point to point. Carry the time too if an attempt has no step of its
 * own, because it was proposed together with the attempt before it.
 */
static void follow_points(struct trajectory *trajectory)
{
    double best = 0, seconds = 0;

    for (size_t i = 0; i < trajectory->points.count; i++) {
        struct trajectory_point *point = &trajectory->points.items[i];

        if (is_held(point) && point->speed > best)
            best = point->speed;
        point->best = best;
        if (point->seconds <= 0)
            point->seconds = seconds;
        seconds = point->seconds;
    }
}

void trajectory_read(struct trajectory *trajectory, const struct session *session)
{
    trajectory->points.count = 0;
    trajectory->level_count = 0;
    add_points(trajectory, session);
    follow_steps(trajectory, session);
    follow_points(trajectory);
}

/* Insert a level at its place, the fastest first; the slowest are left out if there are too many.
 */
static void add_level(struct trajectory *trajectory, const char *name, double speed)
{
    size_t at = trajectory->level_count;

    if (speed <= 0)
        return;
    while (at > 0 && trajectory->levels[at - 1].speed < speed)
        at--;
    if (at == TRAJECTORY_LEVELS)
        return;
    if (trajectory->level_count < TRAJECTORY_LEVELS)
        trajectory->level_count++;
    memmove(&trajectory->levels[at + 1], &trajectory->levels[at],
            (trajectory->level_count - at - 1) * sizeof(trajectory->levels[0]));
    trajectory->levels[at] = (struct trajectory_level){name, speed};
}

void trajectory_add_levels(struct trajectory *trajectory, unsigned attempt,
                           const struct verdict *verdict)
{
    double speed;

    if (!attempt || attempt > trajectory->points.count)
        return;
    speed = trajectory->points.items[attempt - 1].speed;
    if (speed <= 0 || !verdict->timing.is_present)
        return;
    if (verdict->floor.is_present && verdict->floor.us > 0)
        add_level(trajectory, "floor", speed * verdict->timing.time.median_us / verdict->floor.us);
    if (verdict->bound.is_present && verdict->bound.fraction > 0)
        add_level(trajectory, "bound", speed / verdict->bound.fraction);
    for (size_t i = 0; i < verdict->against.count; i++) {
        const struct comparison *other = &verdict->against.items[i];

        if (!baseline_is_candidate(other->name) && other->speedup > 0)
            add_level(trajectory, baseline_label(other->name), speed / other->speedup);
    }
}

unsigned trajectory_reference(const struct session *session)
{
    if (session->now.best)
        return session->now.best;
    for (size_t i = session->attempts.count; i-- > 0;)
        if (session->attempts.items[i].time.median_us > 0)
            return session->attempts.items[i].number;
    return 0;
}

void trajectory_release(struct trajectory *trajectory)
{
    vec_release(&trajectory->points);
    *trajectory = (struct trajectory){0};
}
