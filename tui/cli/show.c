#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/format.h"
#include "core/base/vec.h"
#include "core/model/baseline_label.h"
#include "core/session/recorded/agent_results.h"
#include "core/session/recorded/recording.h"
#include "core/session/recorded/trajectory_file.h"
#include "core/session/state/scale.h"
#include "core/session/store/commits.h"
#include "tui/cli/command.h"
#include "tui/cli/session_summary.h"
#include "tui/cli/text/recommendation_table.h"
#include "tui/cli/text/report_table.h"
#include "tui/cli/text/verdict_report.h"

struct showing {
    const char *session;
    unsigned step; /* 0: all steps, a line each */
    bool recommendations;
    const char *plot; /* path of the file for the trajectory, or NULL */
    bool by_time;
};

static void write_head(const struct session *s, struct strbuf *out)
{
    char *branch = commits_branch(s);

    strbuf_addf(out, "session  %s: %s on %s by ", s->id, s->problem_name,
                s->device ? s->device : "-");
    session_summary_add_agents(s, out);
    strbuf_addf(out, "\nopened   %s\n", s->opened_at);
    if (s->forked_from)
        strbuf_addf(out, "forked   from %s, after %u events\n", s->forked_from, s->forked_at);
    if (s->now.stage == STAGE_CLOSED)
        strbuf_addf(out, "closed   %s, %s\n", s->at, s->closed_because);
    else
        strbuf_addf(out, "open     continue with: kforge resume %s\n", s->id);
    if (s->repository)
        strbuf_addf(out, "branch   %s\nin       %s\n", branch, s->repository);
    session_summary_add_cost(s, out);
    free(branch);
}

/* The outcome of the step's attempt, if it was judged. */
static void write_outcome(const struct session *s, const struct attempt *attempt,
                          struct strbuf *out)
{
    if (!attempt || !attempt->is_evaluated)
        return;
    strbuf_addf(out, " -> %s", outcome_name(attempt->outcome));
    if (attempt->time.median_us > 0)
        strbuf_adds(out, ", ");
    scale_describe(s, attempt, out);
}

static void write_decision(const struct step *step, struct strbuf *out)
{
    strbuf_adds(out, decision_name(step->decision));
    if (step->decision != DECISION_PENDING && step->decider == DECIDER_ENGINEER)
        strbuf_adds(out, " by the engineer");
    if (step->reason && step->reason[0])
        strbuf_addf(out, ": %s", step->reason);
}

static bool has_several(const struct session *s)
{
    return s->roles.other_count || s->use_count > 1;
}

static void write_result(const struct agent_result *result, const struct session *s,
                         struct report_table *table)
{
    char speedup[FORMAT_SIZE];

    report_table_add(table, "%s", result->agent);
    report_table_add(table, result->writes && result->analyses ? "writes, analyses"
                            : result->analyses                 ? "analyses"
                                                               : "writes");
    report_table_add(table, "%u", result->attempts);
    report_table_add(table, "%u", result->correct);
    report_table_add(table, "%u", result->won);
    report_table_add(table, "%s%s",
                     result->best ? scale_format_speedup(speedup, s, result->best) : "-",
                     result->has_best ? " *" : "");
    report_table_add(table, "%u", result->use.replies);
    if (result->use.unknown_tokens)
        report_table_add(table, "unknown");
    else
        report_table_add(table, "%" PRId64, result->use.prompt_tokens + result->use.reply_tokens);
    report_table_add(table, result->use.unknown_usd ? "unknown" : "$%.3g", result->use.usd);
}

/* Write a row for each agent, if there are several: its results and its cost. */
static void write_agents(const struct session *s, struct strbuf *out)
{
    struct agent_result results[MOST_AGENTS];
    struct report_table table = {0};
    const char *over = scale_strongest(s);
    struct strbuf titles = {0};
    size_t count = agent_results_find(s, results);

    if (!has_several(s))
        return;
    strbuf_addf(&titles, "agent|role|attempts|correct|rounds won|best over %s|replies|tokens|cost",
                over ? baseline_label_short(over) : "baseline");
    report_table_begin(&table, strbuf_cstr(&titles));
    for (size_t i = 0; i < count; i++)
        write_result(&results[i], s, &table);
    strbuf_adds(out, "\n");
    report_table_print(&table, false, out);
    if (session_attempt(s, s->now.best))
        strbuf_adds(out, "* the session's best\n");
    strbuf_release(&titles);
}

static void write_steps(const struct session *s, struct strbuf *out)
{
    for (size_t i = 0; i < s->steps.count; i++) {
        const struct step *step = &s->steps.items[i];

        strbuf_addf(out, "%5u  %-14s ", step->number, step_kind_name(step->kind));
        if (step->attempt && step->kind != STEP_PROMPT)
            strbuf_addf(out, "attempt %u: ", step->attempt);
        strbuf_adds(out, session_step_title(step));
        if (step->effort.agent && has_several(s))
            strbuf_addf(out, ", by %s", step->effort.agent);
        if (step->kind == STEP_CANDIDATE)
            write_outcome(s, session_attempt(s, step->attempt), out);
        strbuf_adds(out, " [");
        write_decision(step, out);
        strbuf_adds(out, "]\n");
    }
}

static enum status write_text(const struct recording *recording, const char *heading,
                              const char *id, struct strbuf *out, struct error *err)
{
    if (!id[0])
        return STATUS_OK;
    strbuf_addf(out, "\n---- %s ----\n", heading);
    return recording_text(recording, id, out, err);
}

static enum status write_verdict(const struct recording *recording, const struct attempt *attempt,
                                 struct strbuf *out, struct error *err)
{
    struct verdict verdict = {0};
    enum status st = recording_verdict(recording, attempt, &verdict, err);

    if (st)
        return st;
    strbuf_adds(out, "\n---- verdict ----\n");
    verdict_report_write(&verdict, out);
    verdict_release(&verdict);
    return STATUS_OK;
}

static enum status write_step(const struct recording *recording, const struct step *step,
                              struct strbuf *out, struct error *err)
{
    const struct attempt *attempt = session_attempt(&recording->session, step->attempt);
    bool is_judged = step->kind == STEP_CANDIDATE || step->kind == STEP_KEEP;
    enum status st;

    strbuf_addf(out, "step %u  %s: %s\n", step->number, step_kind_name(step->kind),
                session_step_title(step));
    write_decision(step, out);
    strbuf_adds(out, "\n");
    st = write_text(recording, "proposed", step->text, out, err);
    if (!st)
        st = write_text(recording, "edited to", step->edited, out, err);
    if (!st && is_judged && attempt && attempt->verdict[0])
        st = write_verdict(recording, attempt, out, err);
    return st;
}

static enum status write_promises(const char *session, struct strbuf *out, struct error *err)
{
    const struct review_filter all = {0};
    struct review review = {0};
    struct review_rows rows = {0};
    enum status st = review_read_marks(&review, err);

    if (!st)
        st = review_add(&review, session, true, err);
    review_choose(&review, &all, &rows);
    if (!st)
        recommendation_table_write(&review, &rows, out);
    vec_release(&rows);
    review_release(&review);
    return st;
}

static enum status write_plot(const struct showing *showing, const struct recording *recording,
                              struct strbuf *out, struct error *err)
{
    enum trajectory_by by = showing->by_time ? TRAJECTORY_BY_TIME : TRAJECTORY_BY_ATTEMPT;
    enum status st = trajectory_file_write(recording, by, showing->plot, err);

    if (!st)
        strbuf_addf(out, "the trajectory of %s is in %s\n", recording->session.id, showing->plot);
    return st;
}

static enum status write_wanted(const struct showing *showing, const struct recording *recording,
                                struct strbuf *out, struct error *err)
{
    const struct step *step = session_step(&recording->session, showing->step);

    if (showing->plot)
        return write_plot(showing, recording, out, err);
    if (showing->recommendations)
        return write_promises(showing->session, out, err);
    if (!showing->step) {
        write_head(&recording->session, out);
        strbuf_adds(out, "\n");
        write_steps(&recording->session, out);
        write_agents(&recording->session, out);
    } else if (step) {
        return write_step(recording, step, out, err);
    } else {
        return error_set(err, STATUS_NOT_FOUND, "session %s has no step %u: there are %zu",
                         recording->session.id, showing->step, recording->session.steps.count);
    }
    return STATUS_OK;
}

/* Steps are numbered from 1; 0 means all of them in struct showing. */
static enum status parse_step(const char *text, unsigned *step, struct error *err)
{
    enum status st = option_parse_count(text, "step", step, err);

    return st || *step ? st : error_set(err, STATUS_INVALID, "step 0: steps are numbered from 1");
}

static const struct option_row own_options[] = {
    {.name = "recommendations",
     .help = "list the recommendations with their promised and their gained speedup",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct showing, recommendations)},
    {.name = "plot",
     .value = "FILE",
     .help = "write the trajectory, the speed of each attempt, instead: FILE.svg is a picture\n"
             "with floor, bound and baselines, FILE.csv a table",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct showing, plot)},
    {.name = "by-time",
     .help = "with --plot FILE.svg: by the time of the session instead of by attempt",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct showing, by_time)},
    {0},
};

static const struct option_set option_sets[] = {{own_options, 0}, {0}};

static enum status parse(struct showing *showing, int argc, char **argv, struct error *err)
{
    struct arguments arguments = {argc, argv};
    enum status st = command_parse(&show_command, showing, &arguments, err);

    if (st)
        return st;
    if (arguments.count < 1 || arguments.count > 2)
        return command_expects(&show_command, err);
    showing->session = arguments.items[0];
    return arguments.count == 1 ? STATUS_OK : parse_step(arguments.items[1], &showing->step, err);
}

static enum exit_code show(int argc, char **argv)
{
    struct showing showing = {0};
    struct recording recording = {0};
    struct strbuf text = {0};
    struct error err;
    enum status st;

    if (parse(&showing, argc, argv, &err))
        return command_fail(&err);
    st = recording_open(showing.session, &recording, &err);
    if (!st)
        st = write_wanted(&showing, &recording, &text, &err);
    if (!st)
        command_print("%s", strbuf_cstr(&text));
    recording_release(&recording);
    strbuf_release(&text);
    return st ? command_fail(&err) : EXIT_CODE_IMPROVED;
}

const struct command show_command = {
    .name = "show",
    .arguments = "SESSION [STEP]",
    .options = option_sets,
    .summary = "Print the steps of a session with their decisions and outcomes; or one step with "
               "its\ntexts and its verdict.",
    .exits = "0 done, 2 usage, no such session or step, 5 disk",
    .run = show,
};
