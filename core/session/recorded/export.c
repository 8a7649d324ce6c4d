#include "core/session/recorded/export.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/reply/reply.h"
#include "core/base/mem.h"
#include "core/model/language.h"
#include "core/model/problem_reader.h"
#include "core/session/recorded/standalone/standalone.h"
#include "core/session/state/scale.h"
#include "core/system/file.h"

static enum status write_text(const struct recording *recording, const char *id, const char *folder,
                              const char *name, struct error *err)
{
    struct strbuf text = {0};
    enum status st = recording_text(recording, id, &text, err);

    if (!st)
        st = file_write_text(folder, name, strbuf_cstr(&text), err);
    strbuf_release(&text);
    return st;
}

static enum status read_candidate(const struct recording *recording, const struct attempt *attempt,
                                  struct candidate *candidate, struct error *err)
{
    struct strbuf reply = {0};
    enum status st = recording_text(recording, attempt->candidate, &reply, err);

    if (!st)
        st = reply_parse(strbuf_cstr(&reply),
                         session_language(&recording->session, attempt->number), candidate, err);
    strbuf_release(&reply);
    return st;
}

static enum status write_parts(const struct recording *recording, const struct attempt *attempt,
                               const char *folder, struct error *err)
{
    struct candidate candidate = {0};
    enum status st = read_candidate(recording, attempt, &candidate, err);

    if (!st)
        st = write_text(recording, attempt->candidate, folder, "candidate.md", err);
    if (!st)
        st = file_write_text(folder, language_of(candidate.language)->source_file, candidate.source,
                             err);
    if (!st)
        st = file_write_text(folder, "plan.json", candidate.plan, err);
    candidate_release(&candidate);
    return st;
}

static void describe(const struct session *session, const struct attempt *attempt,
                     struct strbuf *out)
{
    struct strbuf result = {0};

    scale_describe_result(session, attempt, &result);
    strbuf_addf(out, "# %s\n\n%s\n\n", session->problem_name, attempt->title);
    strbuf_addf(out, "- verdict: %s%s%s\n",
                attempt->is_evaluated ? outcome_name(attempt->outcome) : "not judged",
                result.len ? ": " : "", strbuf_cstr(&result));
    strbuf_release(&result);
    strbuf_addf(out, "- device: %s\n- written by: %s\n", session->device,
                attempt->origin == ORIGIN_ENGINEER ? "the engineer"
                                                   : session_author(session, attempt));
    strbuf_addf(out, "- session: %s, attempt %u\n", session->id, attempt->number);
    strbuf_addf(out, "\nplan.json holds the launches of %s. To judge it again:\n\n",
                language_of(session_language(session, attempt->number))->source_file);
    strbuf_adds(out, "    kforge eval problem.json candidate.md\n");
}

enum status export_candidate(const struct recording *recording, const struct attempt *attempt,
                             const char *folder, struct error *err)
{
    struct strbuf readme = {0};
    enum status st = file_make_folder(folder, err);

    describe(&recording->session, attempt, &readme);
    if (!st)
        st = write_parts(recording, attempt, folder, err);
    if (!st)
        st = write_text(recording, recording->session.problem, folder, "problem.json", err);
    if (!st && attempt->verdict[0])
        st = write_text(recording, attempt->verdict, folder, "verdict.json", err);
    if (!st)
        st = file_write_text(folder, "README.md", strbuf_cstr(&readme), err);
    strbuf_release(&readme);
    return st;
}

static enum status read_problem(const struct recording *recording, struct problem *problem,
                                struct error *err)
{
    struct strbuf text = {0};
    enum status st = recording_text(recording, recording->session.problem, &text, err);

    if (!st)
        st = problem_parse(problem, strbuf_cstr(&text), text.len, "problem.json", err);
    strbuf_release(&text);
    return st;
}

/* The choice of tunables of the verdict; NULL for none.  The caller frees. */
static char *read_choice(const struct recording *recording, const struct attempt *attempt)
{
    struct strbuf text = {0};
    struct json *verdict = NULL;
    const char *chosen;
    char *copy;

    if (attempt->verdict[0] && !recording_text(recording, attempt->verdict, &text, NULL))
        verdict = json_parse(strbuf_cstr(&text), text.len, NULL);
    chosen = json_get_string(json_get(verdict, "tuning"), "chosen", NULL);
    copy = chosen ? mem_strdup(chosen) : NULL;
    json_free(verdict);
    strbuf_release(&text);
    return copy;
}

enum status export_standalone(const struct recording *recording, const struct attempt *attempt,
                              const struct export_options *options, const char *path,
                              struct error *err)
{
    struct candidate candidate = {0};
    struct problem problem = {0};
    char *tuned = read_choice(recording, attempt);
    const struct standalone standalone = {&problem, &candidate, tuned, options->tf32_convolutions};
    enum status st = read_candidate(recording, attempt, &candidate, err);

    if (!st)
        st = read_problem(recording, &problem, err);
    if (!st)
        st = options->form == EXPORT_C ? standalone_write_c(&standalone, path, err)
                                       : standalone_write_torch(&standalone, path, err);
    candidate_release(&candidate);
    problem_release(&problem);
    free(tuned);
    return st;
}
