#include "core/session/export.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/reply.h"
#include "core/base/file.h"
#include "core/session/archive.h"

static enum status write_file(const char *folder, const char *name, const char *text,
                              struct error *err)
{
    char *path = file_join(folder, name);
    enum status st = file_write(path, text, strlen(text), err);

    free(path);
    return st;
}

static enum status write_text(const struct recording *recording, const char *id, const char *folder,
                              const char *name, struct error *err)
{
    struct strbuf text = {0};
    enum status st = recording_text(recording, id, &text, err);

    if (!st)
        st = write_file(folder, name, strbuf_cstr(&text), err);
    strbuf_release(&text);
    return st;
}

static enum status write_parts(const struct recording *recording, const struct attempt *attempt,
                               const char *folder, struct error *err)
{
    const char *language = recording->session.language;
    struct candidate candidate = {0};
    struct strbuf reply = {0};
    enum status st = recording_text(recording, attempt->candidate, &reply, err);

    if (!st)
        st = reply_parse(strbuf_cstr(&reply), language, &candidate, err);
    if (!st)
        st = write_file(folder, "candidate.md", strbuf_cstr(&reply), err);
    if (!st)
        st = write_file(folder, archive_source_name(language), candidate.source, err);
    if (!st)
        st = write_file(folder, "plan.json", candidate.plan, err);
    candidate_release(&candidate);
    strbuf_release(&reply);
    return st;
}

static void describe(const struct session *session, const struct attempt *attempt,
                     struct strbuf *out)
{
    strbuf_addf(out, "# %s\n\n%s\n\n", session->problem_name, attempt->title);
    strbuf_addf(out, "- verdict: %s%s%s\n",
                attempt->is_evaluated ? outcome_name(attempt->outcome) : "not judged",
                attempt->detail ? ": " : "", attempt->detail ? attempt->detail : "");
    strbuf_addf(out, "- device: %s\n- written by: %s\n", session->device,
                attempt->origin == ORIGIN_ENGINEER ? "the engineer" : session->agent);
    strbuf_addf(out, "- session: %s, attempt %u\n", session->id, attempt->number);
    strbuf_addf(out, "\nplan.json says how %s is launched. To judge it again:\n\n",
                archive_source_name(session->language));
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
        st = write_file(folder, "README.md", strbuf_cstr(&readme), err);
    strbuf_release(&readme);
    return st;
}
