#include "core/session/store/handed_decision.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/session/store/catalog.h"
#include "core/system/file.h"

enum { DECISION_MAX_BYTES = 64 << 20 };

const char handed_decision_file[] = "decision.json";

static char *path_of(const char *session)
{
    char *folder = catalog_folder(session);
    char *path = file_join(folder, handed_decision_file);

    free(folder);
    return path;
}

static void print(const struct ruling *ruling, struct strbuf *out)
{
    struct json *body = json_object_new();

    json_put_number(body, "step", ruling->step);
    json_put_string(body, "decision", decision_name(ruling->decision));
    if (ruling->reason && *ruling->reason)
        json_put_string(body, "reason", ruling->reason);
    if (ruling->decision == DECISION_EDITED)
        json_put_string(body, "text", ruling->text);
    json_print(body, out);
    strbuf_adds(out, "\n");
    json_free(body);
}

/* link(2) fails if the name exists, so a second decision cannot replace the first. */
static enum status link_once(const char *written, const char *path, const char *session,
                             struct error *err)
{
    enum status st = STATUS_OK;

    if (link(written, path) != 0 && errno == EEXIST)
        st = error_set(
            err, STATUS_INVALID,
            "session %s already has a decision that was not applied yet: wait until it is",
            session);
    else if (!file_exists(path))
        st = file_fail(err, "write", path);
    unlink(written);
    return st;
}

enum status handed_decision_give(const char *session, const struct ruling *ruling,
                                 struct error *err)
{
    char *path = path_of(session);
    struct strbuf text = {0}, written = {0};
    enum status st;

    strbuf_addf(&written, "%s.%d", path, getpid());
    print(ruling, &text);
    st = file_write(strbuf_cstr(&written), strbuf_cstr(&text), text.len, err);
    if (!st)
        st = link_once(strbuf_cstr(&written), path, session, err);
    strbuf_release(&text);
    strbuf_release(&written);
    free(path);
    return st;
}

bool handed_decision_exists(const char *session)
{
    char *path = path_of(session);
    bool exists = file_exists(path);

    free(path);
    return exists;
}

static enum status decode(struct handed_decision *decision, const char *path, struct error *err)
{
    static const char *const keys[] = {"step", "decision", "reason", "text", NULL};
    struct json_ref root = json_ref_root(decision->body, path);
    struct json_ref step = json_ref_member(&root, "step");
    struct json_ref word = json_ref_member(&root, "decision");
    struct ruling *ruling = &decision->ruling;
    int64_t number = 0;
    size_t choice = 0;
    enum status st = json_expect_keys(&root, keys, err);

    if (!st)
        st = json_read_integer(&step, &number, err);
    if (!st && (number < 1 || number > UINT_MAX))
        st = json_ref_error(&step, err, "expected the number of a step");
    if (!st)
        st = json_read_choice(&word, decision_names, &choice, err);
    if (!st && choice == DECISION_PENDING)
        st = json_ref_error(&word, err, "expected accepted, edited, vetoed or retried");
    if (st)
        return st;
    *ruling = (struct ruling){.step = (unsigned)number,
                              .decision = (enum decision)choice,
                              .reason = json_get_string(decision->body, "reason", ""),
                              .text = json_get_string(decision->body, "text", NULL)};
    if (ruling->decision == DECISION_EDITED && !ruling->text)
        return json_ref_error(&root, err, "an edit without its \"text\"");
    return STATUS_OK;
}

enum status handed_decision_read(const char *session, struct handed_decision *decision,
                                 struct error *err)
{
    char *path = path_of(session);
    struct strbuf text = {0};
    enum status st = file_read(path, DECISION_MAX_BYTES, &text, err);

    *decision = (struct handed_decision){0};
    if (!st) {
        decision->body = json_parse(strbuf_cstr(&text), text.len, err);
        st = decision->body ? decode(decision, path, err) : STATUS_INVALID;
    }
    if (st)
        handed_decision_release(decision);
    strbuf_release(&text);
    free(path);
    return st;
}

void handed_decision_remove(const char *session)
{
    char *path = path_of(session);

    unlink(path);
    free(path);
}

void handed_decision_release(struct handed_decision *decision)
{
    json_free(decision->body);
    *decision = (struct handed_decision){0};
}
