#include "core/session/driver/driver_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/model/language.h"
#include "core/session/driver/driver_engineer.h"
#include "core/session/driver/driver_language.h"
#include "core/session/driver/driver_record.h"
#include "core/session/driver/driver_reference.h"
#include "core/session/driver/driver_roles.h"
#include "core/session/state/fold.h"
#include "core/session/store/commits.h"
#include "core/session/store/process_lease.h"
#include "core/system/file.h"
#include "core/system/shared_folder.h"

enum { PROBLEM_MAX_BYTES = 16 << 20 };

static enum status fold(void *data, const struct event *event, struct error *err)
{
    struct driver *driver = data;

    text_refs_add(&driver->text_refs, event);
    return fold_apply(&driver->session, event, err);
}

/* On a shared file system: tell other machines that this process lives. */
static void renew_lease(void *data)
{
    struct driver *driver = data;
    char *folder = catalog_folder(driver->id);
    struct error err;

    if (process_lease_renew(folder, "the session", &err))
        driver_end(driver, &err);
    else
        loop_set_timer(driver->loop, &driver->lease, SHARED_FOLDER_LOOK_US, renew_lease, driver);
    free(folder);
}

static enum status claim(struct driver *driver, struct error *err)
{
    char *folder = catalog_folder(driver->id);
    enum status st = process_lease_claim_if_shared(folder, "the session", err);

    if (!st && shared_folder_is(folder))
        loop_set_timer(driver->loop, &driver->lease, SHARED_FOLDER_LOOK_US, renew_lease, driver);
    free(folder);
    return st;
}

void driver_leave_session(struct driver *driver)
{
    char *folder = driver->journal ? catalog_folder(driver->id) : NULL;

    loop_clear_timer(driver->loop, &driver->lease);
    if (folder)
        process_lease_end(folder);
    journal_close(driver->journal);
    free(folder);
}

static enum status open_journal(struct driver *driver, struct error *err)
{
    char *path = catalog_journal(driver->id), *folder = catalog_folder(driver->id);
    enum status st = catalog_make(driver->id, err);
    struct lease_process owner = {0};

    if (!st)
        owner = process_lease_find(folder);
    if (owner.pid)
        st = error_set(err, STATUS_UNAVAILABLE,
                       "session %s is open in another kforge (pid %lld%s%s): close it there, or "
                       "look at the session with kforge replay %s",
                       driver->id, (long long)owner.pid, owner.is_elsewhere ? " on " : "",
                       owner.is_elsewhere ? owner.host : "", driver->id);
    if (!st)
        st = journal_open(path, fold, driver, &driver->journal, err);
    if (!st)
        st = claim(driver, err);
    free(folder);
    free(path);
    return st;
}

/* Tell the engineer that the device was taken because others are absent. */
static void tell_substitute(struct driver *driver, const struct device_info *device)
{
    struct strbuf line = {0};

    strbuf_addf(&line, "%s is used: %s", device->id, device->absent);
    driver_set_notice(driver, strbuf_cstr(&line));
    strbuf_release(&line);
}

/* Record the session's first event, which names the device. */
static enum status record_opening(struct driver *driver, struct error *err)
{
    const struct device_info *device = evaluator_device(driver->evaluator);
    struct session_opened opened = {.session = driver->id,
                                    .problem = driver->problem.name,
                                    .agent = driver->agent_name,
                                    .roles = driver->roles,
                                    .device = device->id,
                                    .language =
                                        driver->language ? driver->language : device->language,
                                    .repository = driver->repository,
                                    .limits = driver->limits,
                                    .policy = driver->gate,
                                    .picture = driver->picture_command};
    struct reference_ids ids;
    enum status st = driver_check_language(driver, opened.language, err);

    if (device->absent)
        tell_substitute(driver, device);
    if (!st)
        st = driver_put_reference(driver, &opened, &ids, err);
    return st ? st : driver_record(driver, event_make(EVENT_SESSION_OPENED, &opened), err);
}

/* Record the modes of the gate that differ from those of the resumed session. */
static enum status change_gate(struct driver *driver, struct error *err)
{
    enum status st = STATUS_OK;

    for (unsigned i = 0; !st && driver->changes_gate && i < STEP_KINDS; i++)
        if (driver->session.gate.modes[i] != driver->gate.modes[i])
            st = driver_set_policy(driver, (enum step_kind)i, driver->gate.modes[i], err);
    return st;
}

/* Record the language of a resumed session if it has changed. */
static enum status change_language(struct driver *driver, struct error *err)
{
    const char *before = driver->session.language;

    if (driver->session.now.stage == STAGE_CLOSED || !before)
        return STATUS_OK;
    if (!driver->language || strcmp(driver->language, before) == 0)
        return driver_check_language(driver, before, err);
    return driver_set_language(driver, driver->language, err);
}

enum status driver_begin_session(struct driver *driver, struct error *err)
{
    enum status st;

    if (driver->is_resumed) {
        st = change_gate(driver, err);
        return st ? st : change_language(driver, err);
    }
    st = open_journal(driver, err);
    if (!st)
        st = record_opening(driver, err);
    for (size_t i = 0; !st && i < DRIVER_ATTACHMENTS && driver->attached[i]; i++)
        st = driver_attach(driver, driver->attached[i], err);
    return st;
}

static enum status read_problem(struct driver *driver, const struct driver_options *options,
                                struct error *err)
{
    if (!options->problem_text)
        return file_read(options->problem_path, PROBLEM_MAX_BYTES, &driver->problem_text, err);
    strbuf_adds(&driver->problem_text, options->problem_text);
    return STATUS_OK;
}

/* Open the session to resume: its journal, its repository, its problem. */
static enum status reopen(struct driver *driver, const char *prefix, struct error *err)
{
    enum status st = catalog_find(prefix, driver->id, err);

    driver->is_resumed = true;
    if (!st)
        st = open_journal(driver, err);
    if (!st && !driver->session.problem[0])
        st = error_set(
            err, STATUS_INVALID,
            "session %s ended before its problem was loaded: start a new one with kforge run",
            driver->id);
    if (st)
        return st;
    driver_set_roles(driver, driver->session.agent, &driver->session.roles);
    free(driver->repository);
    driver->repository = mem_strdup(driver->session.repository);
    st = history_reopen(driver->repository, &driver->history, err);
    if (!st)
        st = commits_repair(driver->history, &driver->session, err);
    if (!st)
        st = driver_commit_texts(driver, err);
    return st ? st
              : history_get(driver->history, driver->session.problem, &driver->problem_text, err);
}

/* Open or make the repository.  Its path is made absolute, as kforge may resume in another folder.
 */
static enum status open_repository(struct driver *driver, bool is_named, struct error *err)
{
    bool is_new = !file_exists(driver->repository);
    enum status st = history_open(driver->repository, &driver->history, err);
    char *absolute = st ? NULL : realpath(driver->repository, NULL);
    struct strbuf notice = {0};

    if (absolute) {
        free(driver->repository);
        driver->repository = absolute;
    }
    strbuf_addf(&notice, "%s: made a new repository", driver->repository);
    if (!st && is_new && is_named)
        driver_set_notice(driver, strbuf_cstr(&notice));
    strbuf_release(&notice);
    return st;
}

/* Check the files to attach now, not after the judge has started. */
static enum status take_attached(struct driver *driver, const struct driver_options *options,
                                 struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < DRIVER_ATTACHMENTS && options->attached[i]; i++) {
        st = driver_check_attachment(options->attached[i], err);
        driver->attached[i] = mem_strdup(options->attached[i]);
    }
    if (options->picture)
        driver->picture_command = mem_strdup(options->picture);
    return st;
}

static enum status open_new(struct driver *driver, const struct driver_options *options,
                            struct error *err)
{
    enum status st = read_problem(driver, options, err);

    if (!st)
        st = file_make_place(FILE_DATA, err);
    if (!st && options->reference)
        st = driver_read_reference(driver, options, err);
    if (!st)
        st = take_attached(driver, options, err);
    if (options->id)
        snprintf(driver->id, sizeof(driver->id), "%s", options->id);
    else
        catalog_new_id(driver->id);
    return st ? st : open_repository(driver, options->repository != NULL, err);
}

enum status driver_open_session(struct driver *driver, const struct driver_options *options,
                                struct error *err)
{
    driver->language = options->language ? language_of(options->language)->name : NULL;
    return options->resume ? reopen(driver, options->resume, err) : open_new(driver, options, err);
}
