#include "tui/panels/answer_table.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/format.h"
#include "core/model/baseline_label.h"
#include "core/session/state/scale.h"

/* The number of columns of the row names, and the largest number of columns of an answer. */
enum { NAME_W = 12, ANSWER_W = 24 };

/* The answers to one prompt and their outcome. */
struct round {
    const struct attempt *answers[ROUND_ATTEMPTS];
    size_t count, correct;
    bool is_open; /* more answers are expected */
    const struct attempt *chosen;
};

static struct round round_of(const struct session *session, const struct attempt *attempt)
{
    struct round round = {.count = 0};

    round.count = round_attempts(session, attempt, round.answers);
    for (size_t i = 0; i < round.count; i++) {
        const struct attempt *answer = round.answers[i];

        round.correct += answer->is_evaluated && answer->outcome == OUTCOME_CORRECT;
        if (answer->is_chosen)
            round.chosen = answer;
    }
    round.is_open = session->now.stage <= STAGE_EVALUATE &&
                    round.answers[round.count - 1] == session_last_attempt(session);
    return round;
}

bool answer_table_is_needed(const struct session *session, const struct attempt *attempt)
{
    const struct attempt *answers[ROUND_ATTEMPTS];

    return attempt && round_attempts(session, attempt, answers) > 1;
}

int answer_table_place(const struct session *session, const struct attempt *attempt)
{
    const struct attempt *answers[ROUND_ATTEMPTS];
    size_t count = round_attempts(session, attempt, answers);

    if (count < 2)
        return 0;
    if (attempt == answers[0])
        return 1;
    return attempt == answers[count - 1] ? 3 : 2;
}

void answer_table_add_reason(const struct session *session, const struct attempt *attempt,
                             struct strbuf *out)
{
    struct round round = round_of(session, attempt);

    strbuf_addf(out, "%zu answers to step %u: ", round.count, attempt->asked_by);
    if (round.chosen) {
        strbuf_addf(out, "#%u ", round.chosen->number);
        if (session->roles.other_count)
            strbuf_addf(out, "of %s ", session_author(session, round.chosen));
        strbuf_adds(out, "was chosen, ");
    }
    if (round.chosen && round.correct > 1)
        strbuf_addf(out, "the fastest of %zu correct ones", round.correct);
    else if (round.chosen)
        strbuf_adds(out, "the only correct one");
    else
        strbuf_adds(out, round.is_open ? "more are expected" : "none was chosen");
}

static void put_outcome(const struct attempt *answer, struct pen *pen)
{
    if (!answer->is_evaluated)
        pen_puts(pen, ROLE_DIM, answer->is_undone ? "undone" : "not judged");
    else
        pen_puts(pen, answer->outcome == OUTCOME_CORRECT ? ROLE_GOOD : ROLE_BAD,
                 outcome_name(answer->outcome));
}

static void put_time(const struct attempt *answer, struct pen *pen)
{
    char text[FORMAT_SIZE];

    if (answer->time.median_us > 0)
        pen_puts(pen, answer->is_chosen ? ROLE_STRONG : ROLE_TEXT,
                 format_time(text, answer->time.median_us));
}

static void put_speedup(const struct session *session, const struct attempt *answer,
                        struct pen *pen)
{
    char text[FORMAT_SIZE];

    if (scale_speedup(session, answer) > 0)
        pen_puts(pen, ROLE_TEXT, scale_format_speedup(text, session, answer));
}

static void put_gain(const struct attempt *answer, struct pen *pen)
{
    char text[FORMAT_SIZE];

    if (answer->gain > 0)
        pen_puts(pen, answer->gain_low > 1 ? ROLE_GOOD : ROLE_TEXT,
                 format_gain(text, answer->gain));
}

static void put_bound(const struct attempt *answer, struct pen *pen)
{
    char share[FORMAT_SIZE];

    if (answer->bound_fraction > 0)
        pen_putf(pen, ROLE_TEXT, "%s %%", format_share(share, answer->bound_fraction));
}

static void put_title(const struct attempt *answer, struct pen *pen)
{
    pen_puts(pen, ROLE_DIM, answer->title ? answer->title : "");
}

static void put_agent(const struct attempt *answer, struct pen *pen)
{
    pen_puts(pen, ROLE_TEXT, answer->agent ? answer->agent : "");
}

static const struct {
    const char *name;
    void (*put)(const struct attempt *answer, struct pen *pen); /* NULL: the speedup */
} rows[] = {
    {"outcome", put_outcome}, {"time", put_time},   {"over", NULL},    {"over best", put_gain},
    {"of bound", put_bound},  {"title", put_title}, {"by", put_agent},
};

/* The last row is for sessions with several writers. */
static int count_rows(const struct session *session)
{
    return (int)COUNT(rows) - !session->roles.other_count;
}

int answer_table_height(const struct session *session)
{
    return ANSWER_TABLE_H + (session->roles.other_count > 0);
}

static void draw_answer(const struct session *session, const struct attempt *answer, bool is_shown,
                        struct area column)
{
    struct pen pen = area_pen(column, 0, 0);

    pen_putf(&pen, answer->is_chosen ? ROLE_GOOD : ROLE_STRONG, "%s#%u%s",
             answer->is_chosen ? "* " : "", answer->number, answer->is_kept ? " kept" : "");
    for (int y = 0; y < count_rows(session); y++) {
        pen = area_pen(column, 0, y + 1);
        if (rows[y].put)
            rows[y].put(answer, &pen);
        else
            put_speedup(session, answer, &pen);
    }
    if (is_shown)
        area_paint(area_part(column, (struct rect){0, 0, column.rect.w, 1}), ROLE_SELECTED);
}

void answer_table_draw(const struct session *session, const struct attempt *attempt,
                       struct area area)
{
    struct round round = round_of(session, attempt);
    const char *over = scale_strongest(session);
    struct strbuf reason = {0};
    struct pen pen = area_pen(area, 0, 0);
    int w = (area.rect.w - NAME_W) / (int)round.count;

    if (w > ANSWER_W)
        w = ANSWER_W;
    answer_table_add_reason(session, attempt, &reason);
    pen_puts(&pen, ROLE_STRONG, strbuf_cstr(&reason));
    strbuf_release(&reason);
    for (int y = 0; y < count_rows(session); y++) {
        pen = area_pen(area, 0, y + 2);
        pen_puts(&pen, ROLE_DIM, rows[y].name);
        if (!rows[y].put)
            pen_putf(&pen, ROLE_DIM, " %s", over ? baseline_label_short(over) : "baseline");
    }
    for (size_t i = 0; i < round.count; i++)
        draw_answer(
            session, round.answers[i], round.answers[i] == attempt,
            area_part(area, (struct rect){NAME_W + (int)i * w, 1, w - 1, count_rows(session) + 1}));
}
