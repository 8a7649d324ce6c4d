#include "core/session/recorded/review_marks.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/session/store/catalog.h"
#include "core/session/store/journal.h"
#include "core/system/file.h"

static void release_mark(struct review_mark *mark)
{
    free(mark->session);
    free(mark->note);
}

void review_marks_release(struct review_marks *marks)
{
    for (size_t i = 0; i < marks->count; i++)
        release_mark(&marks->items[i]);
    vec_release(marks);
}

static int compare(const struct review_mark *mark, const char *session, unsigned step)
{
    int order = strcmp(mark->session, session);

    if (order != 0)
        return order;
    return mark->step < step ? -1 : mark->step > step;
}

/* The index of the first mark that is not before the recommendation. */
static size_t find_place(const struct review_marks *marks, const char *session, unsigned step)
{
    size_t low = 0, high = marks->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare(&marks->items[middle], session, step) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct review_mark *review_marks_find(const struct review_marks *marks, const char *session,
                                            unsigned step)
{
    size_t place = find_place(marks, session, step);

    if (place == marks->count || compare(&marks->items[place], session, step) != 0)
        return NULL;
    return &marks->items[place];
}

static void insert(struct review_marks *marks, size_t place, struct review_mark mark)
{
    vec_push(marks, mark);
    memmove(&marks->items[place + 1], &marks->items[place],
            (marks->count - 1 - place) * sizeof(*marks->items));
    marks->items[place] = mark;
}

static void put(struct review_marks *marks, const struct recommendation_marked *marked)
{
    struct review_mark mark = {.session = mem_strdup(marked->session),
                               .step = marked->step,
                               .is_reviewed = marked->reviewed,
                               .is_starred = marked->starred,
                               .note = mem_strdup(marked->note ? marked->note : "")};
    size_t place = find_place(marks, mark.session, mark.step);

    if (place < marks->count && compare(&marks->items[place], mark.session, mark.step) == 0) {
        release_mark(&marks->items[place]);
        marks->items[place] = mark;
    } else {
        insert(marks, place, mark);
    }
}

static enum status on_event(void *data, const struct event *event, struct error *err)
{
    union event_data read;
    enum status st;

    if (event->type != EVENT_RECOMMENDATION_MARKED)
        return error_set(err, STATUS_INVALID, "expected recommendation.marked, found %s",
                         event_name(event->type));
    st = event_decode(event, "recommendation.marked", &read, err);
    if (!st)
        put(data, &read.recommendation_marked);
    return st;
}

enum status review_marks_read(struct review_marks *marks, struct error *err)
{
    char *path = catalog_review_journal();
    enum status st = file_exists(path) ? journal_read(path, on_event, marks, err) : STATUS_OK;

    if (st)
        review_marks_release(marks);
    free(path);
    return st;
}

/* Append to the journal at `path`, whose marks go into `marks`, which is empty. */
static enum status append(const char *path, const struct recommendation_marked *marked,
                          struct review_marks *marks, struct error *err)
{
    struct event event = event_make(EVENT_RECOMMENDATION_MARKED, marked);
    struct journal *journal = NULL;
    enum status st = journal_open(path, on_event, marks, &journal, err);

    if (!st)
        st = journal_append(journal, &event, err);
    if (!st)
        put(marks, marked);
    journal_close(journal);
    event_release(&event);
    return st;
}

enum status review_marks_set(struct review_marks *marks, const struct recommendation_marked *mark,
                             struct error *err)
{
    char *path = catalog_review_journal();
    struct review_marks now = {0};
    enum status st = file_make_place(FILE_DATA, err);

    if (!st)
        st = append(path, mark, &now, err);
    if (!st) {
        review_marks_release(marks);
        *marks = now;
    } else {
        review_marks_release(&now);
    }
    free(path);
    return st;
}
