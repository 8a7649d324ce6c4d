#include "core/session/driver/driver_baselines.h"

#include <string.h>

#include "core/judge/judge.h"
#include "core/model/baseline_label.h"
#include "core/session/driver/driver_candidate.h"
#include "core/session/driver/driver_record.h"
#include "core/session/state/event_summary.h"

static bool has_verdict(const struct attempt *attempt)
{
    return attempt->outcome == OUTCOME_CORRECT && attempt->speed.value > 0 && *attempt->verdict;
}

/* The best attempt when the session ends, else the latest correct one, or NULL. */
static const struct attempt *find_attempt(const struct session *session, bool ends)
{
    const struct attempt *best = session_attempt(session, session->now.best);

    if (ends && best && has_verdict(best))
        return best;
    for (size_t i = session->attempts.count; i-- > 0;)
        if (has_verdict(&session->attempts.items[i]))
            return &session->attempts.items[i];
    return NULL;
}

/* The attempt's verdict; NULL if it cannot be read. */
static struct json *read_verdict(const struct driver *driver, const struct attempt *attempt)
{
    struct strbuf text = {0};
    struct json *verdict = NULL;

    if (!history_get(driver->history, attempt->verdict, &text, NULL))
        verdict = json_parse(strbuf_cstr(&text), text.len, NULL);
    strbuf_release(&text);
    return verdict;
}

/*
 * The attempt whose verdict lacks baselines that can be timed or are worth waiting for; NULL if
 * none are. A baseline that is still searched for is not waited for.
 */
static const struct attempt *find_lacking(const struct driver *driver, bool ends)
{
    const struct attempt *attempt = find_attempt(&driver->session, ends);
    struct json *verdict = attempt ? read_verdict(driver, attempt) : NULL;
    const struct json *awaited = json_first(json_get(verdict, "awaited"));
    bool is_lacking = false;

    for (; awaited; awaited = json_next(awaited))
        is_lacking |=
            driver->are_compiled || !baseline_is_searched(json_get_string(awaited, "name", ""));
    json_free(verdict);
    return is_lacking ? attempt : NULL;
}

static enum status judge_again(struct driver *driver, const struct attempt *attempt,
                               struct error *err)
{
    struct candidate candidate = {0};
    struct judge_request request = {.candidate = &candidate};
    enum status st = driver_candidate_load(driver, attempt, &candidate, err);

    if (!st)
        st = evaluator_evaluate(driver->evaluator, &request, err);
    candidate_release(&candidate);
    return st;
}

/* Begin to time the attempt again.  An error leaves the session without these baselines. */
static bool begin_timing(struct driver *driver, const struct attempt *attempt)
{
    struct error why;

    driver->are_compiled = false;
    driver->lacking = attempt->number;
    if (judge_again(driver, attempt, &why)) {
        driver_baselines_give_up(driver, &why);
        return false;
    }
    driver_set_activity(driver, BUSY_EVALUATING, "timing baselines");
    return true;
}

static bool begin_waiting(struct driver *driver, const struct attempt *attempt)
{
    struct error why;

    driver->lacking = attempt->number;
    if (evaluator_await(driver->evaluator, &why)) {
        driver_baselines_give_up(driver, &why);
        return false;
    }
    driver_set_activity(driver, BUSY_EVALUATING, "compiling baselines");
    return true;
}

void driver_baselines_note_compiled(struct driver *driver)
{
    driver->are_compiled = true;
    driver_schedule(driver);
}

bool driver_baselines_go_first(struct driver *driver, enum action action)
{
    const struct session *s = &driver->session;
    bool waits = action == ACTION_DECIDE && driver->are_compiled && engine_asks(s);
    bool is_patient = driver->are_compiled || !driver->leaves_baselines;
    bool ends = action == ACTION_CLOSE && engine_closing(s) != CLOSING_BUDGET && is_patient &&
                driver->gave_up_at != s->attempts.count + 1;
    const struct attempt *attempt = waits || ends ? find_lacking(driver, ends) : NULL;

    if (!attempt)
        return false;
    return driver->are_compiled ? begin_timing(driver, attempt) : begin_waiting(driver, attempt);
}

void driver_baselines_cancel_judge(struct driver *driver)
{
    evaluator_cancel(driver->evaluator);
    driver->lacking = 0;
}

bool driver_baselines_are_due(const struct driver *driver)
{
    return driver->lacking > 0;
}

void driver_baselines_take_compiled(struct driver *driver)
{
    driver->lacking = 0;
    driver->are_compiled = true;
    driver_set_activity(driver, BUSY_NOT, NULL);
    driver_schedule(driver);
}

void driver_baselines_give_up(struct driver *driver, const struct error *why)
{
    driver->lacking = 0;
    driver->gave_up_at = driver->session.attempts.count + 1;
    driver_set_notice(driver, why->text);
    driver_set_activity(driver, BUSY_NOT, NULL);
    driver_schedule(driver);
}

/*
 * The attempt's verdict with the new comparisons. Its comparisons with other candidates stay,
 * because the attempt's place on the scale depends on them. The caller frees it; NULL if the old
 * verdict cannot be read.
 */
static struct json *complete(const struct driver *driver, const struct attempt *attempt,
                             const struct json *added)
{
    struct json *verdict = read_verdict(driver, attempt), *against;

    if (!verdict)
        return NULL;
    against = json_array_new();
    for (const struct json *c = json_first(json_get(verdict, "against")); c; c = json_next(c))
        if (baseline_is_candidate(json_get_string(c, "name", "")))
            json_push(against, json_dup(c));
    for (const struct json *c = json_first(json_get(added, "against")); c; c = json_next(c))
        if (!baseline_is_candidate(json_get_string(c, "name", "")))
            json_push(against, json_dup(c));
    json_put(verdict, "against", against);
    json_put(verdict, "awaited",
             json_get(added, "awaited") ? json_dup(json_get(added, "awaited")) : json_array_new());
    json_put_string(verdict, "strongest", json_get_string(added, "strongest", NULL));
    return verdict;
}

static enum status record(struct driver *driver, const struct attempt *attempt,
                          const struct evaluation_finished *found, const struct json *encoded,
                          struct error *err)
{
    struct json *verdict = complete(driver, attempt, encoded);
    struct baselines_timed timed = {.attempt = attempt->number,
                                    .over = found->over,
                                    .speedup = found->speedup,
                                    .speedup_low = found->speedup_low,
                                    .speedup_high = found->speedup_high};
    struct strbuf text = {0};
    char id[OBJECT_ID_SIZE];
    enum status st;

    json_print_pretty(verdict ? verdict : encoded, &text);
    st = driver_put(driver, strbuf_cstr(&text), id, err);
    timed.verdict = id;
    if (!st)
        st = driver_record(driver, event_make(EVENT_BASELINES_TIMED, &timed), err);
    json_free(verdict);
    strbuf_release(&text);
    return st;
}

enum status driver_baselines_take_verdict(struct driver *driver, const struct verdict *verdict,
                                          const struct json *encoded, struct error *err)
{
    const struct attempt *attempt = session_attempt(&driver->session, driver->lacking);
    const struct evaluation_finished found = event_summary_of(verdict);
    struct error why;

    driver->lacking = 0;
    driver_set_activity(driver, BUSY_NOT, NULL);
    if (attempt && found.outcome == OUTCOME_CORRECT && found.has_speedup && found.over)
        return record(driver, attempt, &found, encoded, err);
    error_set(&why, STATUS_UNAVAILABLE, "no baselines: the candidate was judged %s this time",
              outcome_name(verdict->outcome));
    driver_baselines_give_up(driver, &why);
    return STATUS_OK;
}
