#include "core/session/store/commits.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/reply/reply.h"
#include "core/base/format.h"
#include "core/base/mem.h"
#include "core/model/baseline_label.h"
#include "core/model/language.h"
#include "core/session/state/scale.h"

enum { FILES_MAX = 8 };

/* The files of a commit; owns the ids to which the files point. */
struct tree {
    struct history_file files[FILES_MAX];
    char ids[FILES_MAX][OBJECT_ID_SIZE];
    size_t count;
};

char *commits_branch(const struct session *session)
{
    struct strbuf branch = {0};

    strbuf_addf(&branch, "kforge/%s/%s", session->problem_name, session->id);
    return strbuf_take(&branch);
}

static void add_id(struct tree *tree, const char *name, const char *id)
{
    if (!id[0])
        return;
    memcpy(tree->ids[tree->count], id, OBJECT_ID_SIZE);
    tree->files[tree->count].name = name;
    tree->files[tree->count].id = tree->ids[tree->count];
    tree->count++;
}

static enum status add_text(struct history *history, struct tree *tree, const char *name,
                            const char *text, struct error *err)
{
    char id[OBJECT_ID_SIZE];
    enum status st = history_put(history, text, strlen(text), id, err);

    if (!st)
        add_id(tree, name, id);
    return st;
}

/* Add source and plan, if the reply holds a candidate. */
static enum status add_candidate(struct history *history, const struct session *session,
                                 const struct attempt *attempt, struct tree *tree,
                                 struct error *err)
{
    struct candidate candidate = {0};
    struct strbuf reply = {0};
    enum status st = history_get(history, attempt->candidate, &reply, err);

    if (!st && !reply_parse(strbuf_cstr(&reply), session_language(session, attempt->number),
                            &candidate, NULL)) {
        st = add_text(history, tree, language_of(candidate.language)->source_file, candidate.source,
                      err);
        if (!st)
            st = add_text(history, tree, "plan.json", candidate.plan, err);
    }
    candidate_release(&candidate);
    strbuf_release(&reply);
    return st;
}

static enum status make_tree(struct history *history, const struct session *session,
                             const struct attempt *attempt, struct tree *tree, struct error *err)
{
    const struct step *advice = session_step(session, attempt->recommendation);

    add_id(tree, "problem.json", session->problem);
    add_id(tree, "reply.md", attempt->candidate);
    add_id(tree, "prompt.md", attempt->prompt);
    add_id(tree, "verdict.json", attempt->verdict);
    add_id(tree, "picture.png", attempt->picture);
    if (advice)
        add_id(tree, "recommendation.md", session_step_text(advice));
    return add_candidate(history, session, attempt, tree, err);
}

static void write_subject(const struct session *session, const struct attempt *attempt,
                          struct strbuf *out)
{
    double speedup = scale_speedup(session, attempt);
    char text[FORMAT_SIZE], before[FORMAT_SIZE], after[FORMAT_SIZE];

    strbuf_addf(out, "%s: ", session->problem_name);
    if (attempt->time.median_us > 0 && speedup > 0)
        strbuf_addf(out, "%s over %s (%s -> %s)", format_speedup(text, speedup),
                    baseline_phrase(scale_strongest(session)),
                    format_time(before, attempt->time.median_us * speedup),
                    format_time(after, attempt->time.median_us));
    else
        strbuf_adds(out, attempt->is_evaluated ? outcome_name(attempt->outcome) : "not judged");
    strbuf_addf(out, "\n\n%s\n\n", attempt->title ? attempt->title : "");
}

static void write_trailers(const struct session *session, const struct attempt *attempt,
                           struct strbuf *out)
{
    strbuf_addf(out, "Kforge-Session: %s\n", session->id);
    strbuf_addf(out, "Kforge-Step: %u\n", attempt->number);
    strbuf_addf(out, "Kforge-Origin: %s\n",
                attempt->origin == ORIGIN_ENGINEER ? "engineer" : "agent");
    strbuf_addf(out, "Kforge-Model: %s\n", session_author(session, attempt));
    strbuf_addf(out, "Kforge-Device: %s\n", session->device);
    if (attempt->time.median_us > 0)
        strbuf_addf(out, "Kforge-Time-us: %.6g\n", attempt->time.median_us);
    if (scale_speedup(session, attempt) > 0) {
        strbuf_addf(out, "Kforge-Speedup: %.4g\n", scale_speedup(session, attempt));
        strbuf_addf(out, "Kforge-Baseline: %s\n", scale_strongest(session));
    }
    if (attempt->bound_fraction > 0)
        strbuf_addf(out, "Kforge-Bound-fraction: %.4g\n", attempt->bound_fraction);
    if (attempt->is_evaluated)
        strbuf_addf(out, "Kforge-Verdict: %s\n", outcome_name(attempt->outcome));
    if (session->used[RESOURCE_USD] > 0 && !session->unknown[RESOURCE_USD])
        strbuf_addf(out, "Kforge-Cost-usd: %.6g\n", session->used[RESOURCE_USD]);
    if (session->has_tokens)
        strbuf_addf(out, "Kforge-Tokens: %lld\n",
                    (long long)session->prompt_tokens + (long long)session->reply_tokens);
}

/* The author of the attempt's code; the caller frees both texts. */
static void find_author(struct history *history, const struct session *session,
                        const struct attempt *attempt, char **name, char **email)
{
    if (attempt->origin == ORIGIN_ENGINEER) {
        history_engineer(history, name, email);
        return;
    }
    *name = mem_strdup(session_author(session, attempt));
    *email = mem_strdup("agent@kforge.invalid");
}

/* The attempt to commit, and the ref to commit to. */
struct placing {
    const struct session *session;
    const struct attempt *attempt;
    const char *ref;
};

static enum status commit_attempt(struct history *history, const struct placing *placing,
                                  char id[OBJECT_ID_SIZE], struct error *err)
{
    const struct session *session = placing->session;
    const struct attempt *attempt = placing->attempt;
    struct tree tree = {0};
    struct strbuf message = {0};
    char *name = NULL, *email = NULL;
    enum status st = make_tree(history, session, attempt, &tree, err);

    write_subject(session, attempt, &message);
    write_trailers(session, attempt, &message);
    find_author(history, session, attempt, &name, &email);
    if (!st) {
        struct history_commit commit = {.ref = placing->ref,
                                        .author_name = name,
                                        .author_email = email,
                                        .message = strbuf_cstr(&message),
                                        .files = tree.files,
                                        .file_count = tree.count};

        st = history_commit(history, &commit, id, err);
    }
    free(name);
    free(email);
    strbuf_release(&message);
    return st;
}

static char *candidate_ref(const struct session *session, unsigned attempt)
{
    struct strbuf ref = {0};

    strbuf_addf(&ref, "refs/kforge/%s/candidates/%u", session->id, attempt);
    return strbuf_take(&ref);
}

static char *branch_ref(const struct session *session)
{
    char *branch = commits_branch(session);
    struct strbuf ref = {0};

    strbuf_addf(&ref, "refs/heads/%s", branch);
    free(branch);
    return strbuf_take(&ref);
}

enum status commits_add_attempt(struct history *history, const struct session *session,
                                unsigned attempt, struct error *err)
{
    char *ref = candidate_ref(session, attempt);
    const struct placing placing = {session, session_attempt(session, attempt), ref};
    char id[OBJECT_ID_SIZE];
    enum status st = commit_attempt(history, &placing, id, err);

    free(ref);
    return st;
}

/* True if the attempt was vetoed or retried instead of judged. */
static bool is_refused(const struct session *session, const struct attempt *attempt)
{
    for (size_t i = session->steps.count; i-- > 0;) {
        const struct step *step = &session->steps.items[i];

        if (step->kind == STEP_CANDIDATE && step->attempt == attempt->number)
            return step->decision == DECISION_VETOED || step->decision == DECISION_RETRIED;
    }
    return false;
}

/* An attempt that was neither judged nor vetoed when the fork began has no ref. */
static enum status share_candidate(struct history *history, const struct session *parent,
                                   const struct session *fork, unsigned attempt, struct error *err)
{
    char *from = candidate_ref(parent, attempt), *to = candidate_ref(fork, attempt);
    char commit[OBJECT_ID_SIZE];
    enum status st = history_find(history, from, commit, NULL, err);

    if (!st)
        st = history_share(history, to, commit, err);
    free(from);
    free(to);
    return st == STATUS_NOT_FOUND ? STATUS_OK : st;
}

enum status commits_add_settled(struct history *history, const struct session *session,
                                struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < session->attempts.count; i++) {
        const struct attempt *attempt = &session->attempts.items[i];

        if (attempt->is_evaluated || is_refused(session, attempt))
            st = commits_add_attempt(history, session, attempt->number, err);
    }
    return st;
}

enum status commits_share(struct history *history, const struct session *parent,
                          const struct session *fork, struct error *err)
{
    char *branch = branch_ref(fork);
    const struct attempt *kept = session_tip(fork);
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < fork->attempts.count; i++) {
        const struct attempt *attempt = &fork->attempts.items[i];

        if (attempt->is_evaluated || is_refused(fork, attempt))
            st = share_candidate(history, parent, fork, attempt->number, err);
    }
    if (!st && kept)
        st = history_share(history, branch, kept->commit, err);
    free(branch);
    return st;
}

static enum status hold_undone(struct history *history, const struct session *session,
                               const struct attempt *attempt, struct error *err)
{
    struct strbuf ref = {0};
    enum status st;

    strbuf_addf(&ref, "refs/kforge/%s/undone/%.12s", session->id, attempt->commit);
    st = history_share(history, strbuf_cstr(&ref), attempt->commit, err);
    strbuf_release(&ref);
    return st;
}

enum status commits_move_branch(struct history *history, const struct session *session,
                                const struct attempt *tip, struct error *err)
{
    const struct attempt *kept = session_tip(session);
    char *branch = branch_ref(session);
    enum status st = STATUS_OK;

    if (tip && !tip->is_kept)
        st = hold_undone(history, session, tip, err);
    if (!st && kept != tip)
        st = history_move(history, branch, tip ? tip->commit : NULL, kept ? kept->commit : NULL,
                          err);
    free(branch);
    return st;
}

/* The attempt with a commit, kept or not; NULL if no attempt has it. */
static const struct attempt *find_by_commit(const struct session *session, const char *commit)
{
    for (size_t i = session->attempts.count; i-- > 0;)
        if (strcmp(session->attempts.items[i].commit, commit) == 0)
            return &session->attempts.items[i];
    return NULL;
}

/*
 * Move the branch to its place. A commit on it that no event names stays there: when the attempt is
 * committed again, history_commit() finds that commit.
 */
static enum status mend_branch(struct history *history, const struct session *session,
                               struct error *err)
{
    char *branch = branch_ref(session);
    char commit[OBJECT_ID_SIZE];
    const struct attempt *tip = NULL;
    enum status st = history_find(history, branch, commit, NULL, err);

    free(branch);
    if (st && st != STATUS_NOT_FOUND)
        return st;
    if (!st)
        tip = find_by_commit(session, commit);
    return tip || st ? commits_move_branch(history, session, tip, err) : STATUS_OK;
}

/* The driver ends when a ref cannot be written, so only the last one can be missing. */
static enum status mend_candidate(struct history *history, const struct session *session,
                                  struct error *err)
{
    const struct attempt *last = session_last_attempt(session);
    char id[OBJECT_ID_SIZE];
    enum status st;
    char *ref;

    if (!last || (!last->is_evaluated && !is_refused(session, last)))
        return STATUS_OK;
    ref = candidate_ref(session, last->number);
    st = history_find(history, ref, id, NULL, err);
    free(ref);
    return st == STATUS_NOT_FOUND ? commits_add_attempt(history, session, last->number, err) : st;
}

enum status commits_repair(struct history *history, const struct session *session,
                           struct error *err)
{
    bool was_undone = session->undos.count > 0;
    enum status st = mend_candidate(history, session, err);

    return st || !was_undone ? st : mend_branch(history, session, err);
}

/* The attempt that `attempt` edits, if it is not on the branch yet; NULL for none. */
static const struct attempt *edited_from(const struct session *session,
                                         const struct attempt *attempt)
{
    const struct attempt *parent = session_attempt(session, attempt->parent);

    return attempt->origin == ORIGIN_ENGINEER && parent && !parent->is_kept ? parent : NULL;
}

enum status commits_keep(struct history *history, const struct session *session, unsigned number,
                         char commit[OBJECT_ID_SIZE], struct error *err)
{
    const struct attempt *attempt = session_attempt(session, number);
    const struct attempt *before = edited_from(session, attempt);
    char *branch = branch_ref(session);
    enum status st = STATUS_OK;

    if (before)
        st = commit_attempt(history, &(struct placing){session, before, branch}, commit, err);
    if (!st)
        st = commit_attempt(history, &(struct placing){session, attempt, branch}, commit, err);
    free(branch);
    return st;
}
