#include "core/agent/builtin/plan/rewrites.h"

#include <math.h>

#include "core/base/array.h"
#include "core/base/json.h"

/* Folding a product into an operation pays only if params are processed ahead. */
static const struct rewrite {
    enum knob knobs[2]; /* KNOB_COUNT if there is no second one */
    double least;       /* the least ratio of work for which an attempt pays off */
} rewrites[] = {
    {{KNOB_FOLD, KNOB_AHEAD}, 1.1},
    {{KNOB_CHAIN, KNOB_AHEAD}, 1.1},
    {{KNOB_AHEAD, KNOB_COUNT}, 1.01},
    {{KNOB_DROP, KNOB_COUNT}, 1.000001}, /* views cost nothing */
};

static bool saves(const struct rewrite *rewrite, const struct rewrite_found *found)
{
    bool is_new = rewrite->knobs[0] == KNOB_AHEAD ? found->ahead > 0 : json_count(found->steps) > 0;

    return is_new && found->gain >= rewrite->least;
}

/*
 * The rules that knobs turn on. The rules without knobs are left out, because they hide operations
 * from these rules.
 */
static unsigned rules_of(const struct schedule *schedule)
{
    return algebra_rules(schedule) &
           ~(unsigned)(ALGEBRA_STAGES | ALGEBRA_DEPTH | ALGEBRA_COLUMNS | ALGEBRA_VECTORS);
}

/* Try a further rewrite of `now`, the problem after the rules of the current schedule. */
static enum status try_rewrite(const struct problem *now, const struct rewrite *rewrite,
                               double work, struct rewrite_found *found, struct error *err)
{
    struct algebra further = {0};
    double less = 0;
    enum status st;

    for (size_t k = 0; k < COUNT(rewrite->knobs) && rewrite->knobs[k] != KNOB_COUNT; k++)
        found->to.of[rewrite->knobs[k]] = 1;
    st = algebra_open(&further, now, rules_of(&found->to), err);
    if (!st)
        st = algebra_work(further.problem, found->to.of[KNOB_AHEAD], &less, &found->ahead, err);
    found->steps = json_dup(further.steps);
    found->gain = work / fmax(less, 1);
    if (st || !saves(rewrite, found)) {
        json_free(found->steps);
        found->steps = NULL;
    }
    algebra_close(&further);
    return st;
}

enum status rewrites_find(const struct problem *problem, const struct schedule *current,
                          size_t *next, struct rewrite_found *found, struct error *err)
{
    struct algebra now = {0};
    double work = 0;
    size_t ahead = 0;
    enum status st = algebra_open(&now, problem, rules_of(current), err);

    if (!st)
        st = algebra_work(now.problem, current->of[KNOB_AHEAD], &work, &ahead, err);
    for (found->steps = NULL; !st && !found->steps && *next < COUNT(rewrites); ++*next) {
        found->to = *current;
        if (!current->of[rewrites[*next].knobs[0]])
            st = try_rewrite(now.problem, &rewrites[*next], work, found, err);
    }
    algebra_close(&now);
    return st;
}

static void push_text(struct json *evidence, struct strbuf *text)
{
    json_push(evidence, json_string_new(strbuf_cstr(text)));
    strbuf_release(text);
}

void rewrites_describe(const struct json *steps, struct json *evidence)
{
    enum { MOST_SHOWN = 4 };
    size_t count = json_count(steps);
    struct strbuf text = {0};

    for (size_t i = 0; i < count && i < MOST_SHOWN; i++) {
        const struct json *step = json_at(steps, i);

        strbuf_addf(&text, "%s becomes %s", json_get_string(step, "before", ""),
                    json_get_string(step, "after", ""));
        push_text(evidence, &text);
    }
    if (count > MOST_SHOWN) {
        strbuf_addf(&text, "and %zu more rewrites", count - MOST_SHOWN);
        push_text(evidence, &text);
    }
}
