#include "core/session/recorded/review.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/session/recorded/recording.h"
#include "core/session/state/fold.h"
#include "core/session/store/journal.h"

const char *const review_field_names[] = {
    [REVIEW_TAG] = "tag", [REVIEW_DEVICE] = "device", [REVIEW_PROBLEM] = "problem", NULL};

/* The state while a journal is read into a review. */
struct reading {
    struct review *review;
    struct session session;
    size_t first; /* index of its first item */
    bool with_shared;
};

static void release_item(struct review_item *item)
{
    free(item->name);
    free(item->session);
    free(item->problem);
    free(item->device);
    free(item->agent);
    free(item->bottleneck);
    free(item->evidence);
    free(item->tags);
    free(item->change);
    free(item->reason);
    free(item->note);
}

void review_release(struct review *review)
{
    for (size_t i = 0; i < review->count; i++)
        release_item(&review->items[i]);
    vec_release(review);
    review_marks_release(&review->marks);
}

static char *dup_or_null(const char *text)
{
    return text ? mem_strdup(text) : NULL;
}

/* Add an item, and set the members that only the event has. */
static void add_item(struct reading *reading, const struct event *event,
                     const struct step_proposed *proposed)
{
    struct review_item item = {.step = proposed->step,
                               .bottleneck = dup_or_null(proposed->bottleneck),
                               .evidence = dup_or_null(proposed->evidence),
                               .tags = dup_or_null(proposed->tags)};

    snprintf(item.at, sizeof(item.at), "%s", event_time(event));
    vec_push(reading->review, item);
}

/* Drop an item that was decided in the parent: it belongs to the parent's review. */
static void drop_shared(struct reading *reading, const struct step_decided *decided)
{
    struct review *review = reading->review;

    if (reading->with_shared || review->count == reading->first ||
        review->items[review->count - 1].step != decided->step)
        return;
    release_item(&review->items[--review->count]);
}

static enum status fold(void *data, const struct event *event, struct error *err)
{
    struct reading *reading = data;
    union event_data read;
    enum status st = fold_apply(&reading->session, event, err);

    if (st || (event->type != EVENT_STEP_PROPOSED && event->type != EVENT_STEP_DECIDED))
        return st;
    st = event_decode(event, "recommendation", &read, err);
    if (st)
        return st;
    if (event->type == EVENT_STEP_PROPOSED && read.step_proposed.kind == STEP_RECOMMENDATION)
        add_item(reading, event, &read.step_proposed);
    else if (event->type == EVENT_STEP_DECIDED && event->seq <= reading->session.forked_at)
        drop_shared(reading, &read.step_decided);
    return STATUS_OK;
}

/*
 * The attempt whose result shows the worth of the recommendation: the last kept one that follows
 * the step, else the last one, because the engineer may have edited the first.
 */
static const struct attempt *find_follower(const struct session *session, unsigned step)
{
    const struct attempt *found = NULL;

    for (size_t i = 0; i < session->attempts.count; i++) {
        const struct attempt *attempt = &session->attempts.items[i];

        if (attempt->recommendation == step && (attempt->is_kept || !found || !found->is_kept))
            found = attempt;
    }
    return found;
}

static void note_follower(struct review_item *item, const struct attempt *follower)
{
    item->follower = follower->number;
    item->is_judged = follower->is_evaluated;
    item->outcome = follower->outcome;
    item->median_us = follower->time.median_us;
    item->gained = follower->gain;
    item->is_kept = follower->is_kept;
}

static void note_mark(struct review_item *item, const struct review_marks *marks)
{
    const struct review_mark *mark = review_marks_find(marks, item->session, item->step);

    free(item->note);
    item->note = mem_strdup(mark ? mark->note : "");
    item->is_reviewed = mark && mark->is_reviewed;
    item->is_starred = mark && mark->is_starred;
}

enum status review_read_marks(struct review *review, struct error *err)
{
    return review_marks_read(&review->marks, err);
}

enum status review_mark(struct review *review, struct review_item *item,
                        struct recommendation_marked mark, struct error *err)
{
    enum status st;

    mark.session = item->session;
    mark.step = item->step;
    st = review_marks_set(&review->marks, &mark, err);
    for (size_t i = 0; !st && i < review->count; i++)
        note_mark(&review->items[i], &review->marks);
    return st;
}

/* Fill in the members from the final state of the session. */
static void complete(struct review_item *item, const char *name, const struct session *session)
{
    const struct step *step = session_step(session, item->step);
    const struct attempt *follower = find_follower(session, item->step);

    item->name = mem_strdup(name);
    item->session = mem_strdup(session->id);
    item->problem = mem_strdup(session->problem_name ? session->problem_name : "");
    item->device = mem_strdup(session->device ? session->device : "");
    item->agent = mem_strdup(step->effort.agent ? step->effort.agent : "");
    item->change = mem_strdup(step->change ? step->change : step->title);
    item->is_undone = step->is_undone;
    item->decision = step->decision;
    item->decider = step->decider;
    item->reason = dup_or_null(step->reason);
    item->promised = step->gain;
    if (follower)
        note_follower(item, follower);
}

enum status review_add(struct review *review, const char *name, bool with_shared, struct error *err)
{
    struct reading reading = {.review = review, .first = review->count, .with_shared = with_shared};
    char *journal;
    enum status st = recording_find_journal(name, &journal, err);

    if (st)
        return st;
    st = journal_read(journal, fold, &reading, err);
    while (st && review->count > reading.first)
        release_item(&review->items[--review->count]);
    for (size_t i = reading.first; i < review->count; i++) {
        complete(&review->items[i], name, &reading.session);
        note_mark(&review->items[i], &review->marks);
    }
    session_release(&reading.session);
    free(journal);
    return st;
}

const char *review_result(const struct review_item *item, char text[FORMAT_SIZE])
{
    if (item->is_undone)
        return "undone";
    if (item->decision == DECISION_PENDING)
        return "waits";
    if (item->decision == DECISION_VETOED || item->decision == DECISION_RETRIED)
        return decision_name(item->decision);
    if (!item->follower)
        return "not tried";
    if (!item->is_judged)
        return "not judged";
    if (item->outcome != OUTCOME_CORRECT)
        return outcome_name(item->outcome);
    return format_speedup(text, item->gained);
}

const char *review_letters(const struct review_item *item, char text[REVIEW_LETTERS])
{
    snprintf(text, REVIEW_LETTERS, "%c%c%c%c", item->is_starred ? '*' : '.',
             item->is_reviewed ? 'r' : '.', *item->note ? 'n' : '.',
             item->is_kept && !item->is_undone ? 'k' : '.');
    return text;
}

bool review_has_gain(const struct review_item *item)
{
    return item->is_judged && item->outcome == OUTCOME_CORRECT && item->gained > 0;
}

/* The next of the texts in a list separated by commas; "" at its end. */
static const char *next_value(const char *rest, size_t *len)
{
    rest += strspn(rest, ", ");
    *len = strcspn(rest, ",");
    return rest;
}

/* True if the value is in the list. */
static bool holds(const char *field, const char *value)
{
    size_t len;

    for (field = next_value(field, &len); *field; field = next_value(field + len, &len))
        if (text_is(field, len, value))
            return true;
    return false;
}

static const char *field_of(const struct review_item *item, enum review_field field)
{
    const char *const texts[] = {[REVIEW_TAG] = item->tags ? item->tags : "",
                                 [REVIEW_DEVICE] = item->device,
                                 [REVIEW_PROBLEM] = item->problem};

    return texts[field];
}

const char *const review_shown_names[] = {[REVIEW_ALL] = "all",
                                          [REVIEW_UNREVIEWED] = "unreviewed",
                                          [REVIEW_REVIEWED] = "reviewed",
                                          [REVIEW_STARRED] = "starred",
                                          [REVIEW_NOTED] = "noted",
                                          [REVIEW_KEPT] = "kept",
                                          NULL};

static bool is_shown(const struct review_item *item, enum review_shown shown)
{
    const bool is_of_kind[REVIEW_SHOWN] = {[REVIEW_ALL] = true,
                                           [REVIEW_UNREVIEWED] = !item->is_reviewed,
                                           [REVIEW_REVIEWED] = item->is_reviewed,
                                           [REVIEW_STARRED] = item->is_starred,
                                           [REVIEW_NOTED] = *item->note,
                                           [REVIEW_KEPT] = item->is_kept && !item->is_undone};

    return is_of_kind[shown];
}

bool review_passes(const struct review_item *item, const struct review_filter *filter)
{
    for (enum review_field field = 0; field < REVIEW_FIELDS; field++) {
        const char *value = filter->values[field];

        if (value && *value && !holds(field_of(item, field), value))
            return false;
    }
    return is_shown(item, filter->shown);
}

void review_choose(const struct review *review, const struct review_filter *filter,
                   struct review_rows *rows)
{
    rows->count = 0;
    for (size_t i = 0; i < review->count; i++)
        if (review_passes(&review->items[i], filter))
            vec_push(rows, i);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct texts {
    char **items;
    size_t count, capacity;
};

static void split(const char *field, struct texts *texts)
{
    size_t len;

    for (field = next_value(field, &len); *field; field = next_value(field + len, &len))
        vec_push(texts, mem_strndup(field, len));
}

void review_add_values(const struct review *review, enum review_field field, struct strbuf *out)
{
    struct texts texts = {0};

    for (size_t i = 0; i < review->count; i++)
        split(field_of(&review->items[i], field), &texts);
    if (texts.count)
        qsort(texts.items, texts.count, sizeof(*texts.items), compare_texts);
    for (size_t i = 0; i < texts.count; i++)
        if (i == 0 || strcmp(texts.items[i], texts.items[i - 1]) != 0)
            strbuf_addf(out, "%s\n", texts.items[i]);
    for (size_t i = 0; i < texts.count; i++)
        free(texts.items[i]);
    vec_release(&texts);
}

static void count_item(const struct review_item *item, struct review_totals *totals)
{
    totals->count++;
    if (item->is_undone)
        return;
    totals->accepted += item->decision == DECISION_ACCEPTED;
    totals->edited += item->decision == DECISION_EDITED;
    totals->vetoed += item->decision == DECISION_VETOED;
    totals->tried += item->is_judged;
    totals->faster += review_has_gain(item) && item->gained > 1;
    if (!review_has_gain(item) || item->promised <= 0)
        return;
    totals->compared++;
    totals->promised += log(item->promised);
    totals->gained += log(item->gained);
}

struct review_totals review_total(const struct review *review, const struct review_rows *rows)
{
    struct review_totals totals = {0};

    for (size_t i = 0; i < rows->count; i++)
        count_item(&review->items[rows->items[i]], &totals);
    totals.promised = totals.compared ? exp(totals.promised / (double)totals.compared) : 0;
    totals.gained = totals.compared ? exp(totals.gained / (double)totals.compared) : 0;
    return totals;
}

struct review_totals review_total_of(const struct review *review,
                                     const struct review_filter *filter)
{
    struct review_rows rows = {0};
    struct review_totals totals;

    review_choose(review, filter, &rows);
    totals = review_total(review, &rows);
    vec_release(&rows);
    return totals;
}
