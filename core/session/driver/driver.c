#include "core/session/driver/driver.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/model/problem_reader.h"
#include "core/session/driver/driver_actions.h"
#include "core/session/driver/driver_baselines.h"
#include "core/session/driver/driver_by_hand.h"
#include "core/session/driver/driver_judge.h"
#include "core/session/driver/driver_picture.h"
#include "core/session/driver/driver_record.h"
#include "core/session/driver/driver_roles.h"
#include "core/session/driver/driver_session.h"
#include "core/session/store/commits.h"
#include "core/system/file.h"
#include "core/system/log.h"

static void take_turn(void *data)
{
    struct driver *driver = data;
    enum action action = engine_next(&driver->session);
    struct error err;

    if (!driver->is_running || driver->live.busy != BUSY_NOT ||
        driver_by_hand_withholds(driver, action))
        return;
    if (action == ACTION_NONE)
        driver_end(driver, NULL);
    else if (!driver_baselines_go_first(driver, action) && driver_act(driver, action, &err))
        driver_end(driver, &err);
}

static enum status open_all(struct driver *driver, const struct driver_options *options,
                            struct error *err)
{
    const char *file = options->problem_path ? file_name(options->problem_path) : "problem.json";
    enum status st = driver_open_session(driver, options, err);

    if (!st)
        st = problem_parse(&driver->problem, strbuf_cstr(&driver->problem_text),
                           driver->problem_text.len, file, err);
    if (!st)
        st = driver_open_agents(driver, err);
    return st ? st : driver_open_judge(driver, options, file, err);
}

enum status driver_open(struct loop *loop, const struct driver_options *options,
                        const struct driver_listener *listener, struct driver **driver,
                        struct error *err)
{
    struct driver *opened = mem_alloc_zeroed(1, sizeof(*opened));
    enum status st;

    opened->loop = loop;
    opened->take_turn = take_turn;
    opened->listener = *listener;
    opened->limits = options->limits;
    opened->gate = options->gate;
    opened->changes_gate = options->changes_gate;
    opened->rules = options->rules;
    opened->is_unattended = options->is_unattended;
    opened->leaves_baselines = options->leaves_baselines;
    driver_set_roles(opened, options->agent, &options->roles);
    if (!opened->limits.attempts)
        opened->limits.attempts = roles_attempts(&opened->roles);
    opened->repository =
        options->repository ? mem_strdup(options->repository) : catalog_repository();
    st = open_all(opened, options, err);
    if (st) {
        driver_close(opened);
        return st;
    }
    *driver = opened;
    return STATUS_OK;
}

void driver_close(struct driver *driver)
{
    struct error err;

    if (!driver)
        return;
    if (driver->history && driver_commit_texts(driver, &err))
        log_line("%s", err.text);
    loop_clear_timer(driver->loop, &driver->turn);
    loop_clear_timer(driver->loop, &driver->deadline);
    for (size_t i = 0; i < ROUND_ATTEMPTS; i++) {
        struct agent *agent = driver->asked[i].agent;

        if (agent)
            agent->ops->close(agent);
        strbuf_release(&driver->asked[i].reply);
        strbuf_release(&driver->live.streams[i]);
        strbuf_release(&driver->live.thoughts[i].text);
    }
    driver_cancel_picture(driver);
    evaluator_close(driver->evaluator);
    driver_leave_session(driver);
    history_close(driver->history);
    text_refs_release(&driver->text_refs);
    session_release(&driver->session);
    problem_release(&driver->problem);
    strbuf_release(&driver->problem_text);
    strbuf_release(&driver->reference);
    strbuf_release(&driver->reference_reply);
    free(driver->reference_name);
    free(driver->picture_command);
    for (size_t i = 0; i < DRIVER_ATTACHMENTS; i++)
        free(driver->attached[i]);
    texts_release(driver->names);
    free(driver->repository);
    free(driver->branch);
    free(driver);
}

void driver_run(struct driver *driver)
{
    driver->is_running = !driver->is_over;
    driver_schedule(driver);
}

void driver_pause(struct driver *driver)
{
    driver->is_running = false;
    driver->listener.live(driver->listener.data);
}

bool driver_is_paused(const struct driver *driver)
{
    return !driver->is_running;
}

const struct session *driver_session(const struct driver *driver)
{
    return &driver->session;
}

const struct driver_live *driver_live(const struct driver *driver)
{
    return &driver->live;
}

const struct device_info *driver_device(const struct driver *driver)
{
    return evaluator_device(driver->evaluator);
}

const char *driver_libraries(const struct driver *driver)
{
    return evaluator_libraries(driver->evaluator);
}

enum status driver_text(const struct driver *driver, const char *id, struct strbuf *out,
                        struct error *err)
{
    return history_get(driver->history, id, out, err);
}

bool driver_can_resume(const struct driver *driver)
{
    return driver->session.id && driver->session.now.stage != STAGE_CLOSED &&
           journal_is_in_place(driver->journal);
}

const char *driver_branch(struct driver *driver)
{
    if (!driver->branch && driver->session.id)
        driver->branch = commits_branch(&driver->session);
    return driver->branch;
}

const char *driver_repository(const struct driver *driver)
{
    return driver->repository;
}
