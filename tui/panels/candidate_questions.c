#include "tui/panels/candidate_questions.h"

#include "core/judge/tools/sanitizer.h"

/* Ask a worker about the attempt in view; `refused` is a reason not to, or NULL. */
static void ask_worker(struct view_model *view_model, enum candidate_query_kind kind,
                       const char *what, const char *refused)
{
    const struct session *session = view_model->session;
    const struct subject *shown = &view_model->shown;
    struct strbuf problem = {0};
    struct error err = {0};

    if (!view_model->query.options.loop)
        refused = "no worker is available here";
    if (!refused && !shown->candidate.source)
        refused = "this attempt has no kernel";
    if (!refused &&
        view_model->source.text(view_model->source.data, session->problem, &problem, &err))
        refused = err.text;
    candidate_query_begin(&view_model->query, kind, what,
                          &(struct candidate_query_subject){.id = shown->candidate_id,
                                                            .reply = strbuf_cstr(&shown->reply),
                                                            .language = shown->candidate.language,
                                                            .tuned = shown->verdict.tuning.chosen,
                                                            .problem = strbuf_cstr(&problem),
                                                            .device = session->device,
                                                            .refused = refused});
    strbuf_release(&problem);
}

void candidate_questions_list(struct view_model *view_model, enum listing_form form)
{
    ask_worker(view_model, CANDIDATE_QUERY_LISTING, listing_form_name(form), NULL);
}

/* The reason not to run the attempt in view now; NULL if there is none. */
static const char *refuse_run(const struct view_model *view_model)
{
    bool is_timing = view_model->live && view_model->live->busy == BUSY_EVALUATING;

    return is_timing ? "it would disturb the running timing: try again later" : NULL;
}

void candidate_questions_sanitize(struct view_model *view_model, const char *tool)
{
    ask_worker(view_model, CANDIDATE_QUERY_SANITIZING, tool,
               sanitizer_is_tool(tool)
                   ? refuse_run(view_model)
                   : "no such tool: choose memcheck, racecheck, initcheck or synccheck");
}

void candidate_questions_profile(struct view_model *view_model)
{
    ask_worker(view_model, CANDIDATE_QUERY_PROFILE, "", refuse_run(view_model));
}
