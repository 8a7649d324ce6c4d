#include "tui/screens/kernel_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/agent/reply/kernel_files.h"
#include "core/agent/reply/reply.h"
#include "core/model/language.h"
#include "core/session/driver/driver_by_hand.h"
#include "core/session/store/catalog.h"
#include "core/system/file.h"

static const char *language(const struct kernel_watch *watch)
{
    const struct session *session = watch->view_model->session;

    return reply_language(strbuf_cstr(&watch->opened), session_language(session, watch->attempt));
}

/* As soon as the last version has a verdict, the next version edits that one. */
static void follow(struct kernel_watch *watch)
{
    const struct attempt *last = session_attempt(watch->view_model->session, watch->last);

    if (last && last->is_evaluated)
        watch->attempt = last->number;
}

/*
 * Record a version. If the driver cannot take it yet, show the reason once and try again after an
 * event.
 */
static void take(struct kernel_watch *watch, const struct strbuf *text)
{
    struct chrome *chrome = watch->host->chrome;
    struct error err = {0};
    enum status st;

    follow(watch);
    st = driver_take_by_hand(watch->driver, watch->attempt, strbuf_cstr(text), &err);
    if (st == STATUS_UNAVAILABLE && watch->is_due)
        return;
    watch->is_due = st == STATUS_UNAVAILABLE;
    if (st) {
        chrome_say(chrome, watch->is_due ? ROLE_WARNING : ROLE_BAD, "%s", err.text);
        return;
    }
    watch->last = (unsigned)watch->view_model->session->attempts.count;
    strbuf_release(&watch->taken);
    strbuf_add(&watch->taken, text->data, text->len);
}

/* Read the files, and record them if they differ from the last version. */
static void on_saved(void *data)
{
    struct kernel_watch *watch = data;
    struct strbuf text = {0};
    struct error err = {0};

    if (kernel_files_read(watch->folder, language(watch), strbuf_cstr(&watch->opened), &text, &err))
        chrome_say(watch->host->chrome, ROLE_WARNING, "%s: not judged", err.text);
    else if (strcmp(strbuf_cstr(&text), strbuf_cstr(&watch->taken)) != 0)
        take(watch, &text);
    else
        watch->is_due = false;
    strbuf_release(&text);
    watch->host->ops->changed(watch->host);
}

void kernel_watch_release(struct kernel_watch *watch)
{
    if (watch->host)
        loop_clear_timer(watch->host->loop, &watch->again);
    file_watch_close(watch->files);
    free(watch->folder);
    strbuf_release(&watch->opened);
    strbuf_release(&watch->taken);
    *watch = (struct kernel_watch){
        .host = watch->host, .driver = watch->driver, .view_model = watch->view_model};
}

static void stop(struct kernel_watch *watch)
{
    kernel_watch_release(watch);
    driver_end_by_hand(watch->driver);
    watch->host->ops->changed(watch->host);
}

static void on_lost(void *data)
{
    struct kernel_watch *watch = data;

    chrome_say(watch->host->chrome, ROLE_WARNING, "%s is gone: it is no longer watched",
               watch->folder);
    stop(watch);
}

void kernel_watch_note_events(struct kernel_watch *watch)
{
    if (watch->files && watch->is_due)
        loop_set_timer(watch->host->loop, &watch->again, 0, on_saved, watch);
}

/* The folder of the attempt's files in the session's folder; the caller frees. */
static char *folder_of(const struct kernel_watch *watch, unsigned attempt)
{
    char *session = catalog_folder(watch->view_model->session->id);
    struct strbuf name = {0};
    char *folder;

    strbuf_addf(&name, "kernels/%u", attempt);
    folder = file_join(session, strbuf_cstr(&name));
    strbuf_release(&name);
    free(session);
    return folder;
}

/* Write the files unless they exist: they may have been edited while kforge did not run. */
static enum status prepare(struct kernel_watch *watch, struct error *err)
{
    char *source = kernel_files_source(watch->folder, language(watch));
    enum status st = STATUS_OK;

    if (!file_exists(source))
        st = kernel_files_write(watch->folder, language(watch), strbuf_cstr(&watch->opened), err);
    free(source);
    return st;
}

static enum status open_files(struct kernel_watch *watch, struct error *err)
{
    const char *const names[] = {language_of(language(watch))->source_file, "plan.json", NULL};
    const struct file_watch_spec spec = {
        .folder = watch->folder, .names = names, .saved = on_saved, .lost = on_lost, .data = watch};

    return file_watch_open(watch->host->loop, &spec, &watch->files, err);
}

static void announce(struct kernel_watch *watch)
{
    char *source = kernel_files_source(watch->folder, language(watch));

    chrome_say(watch->host->chrome, ROLE_TEXT, "each save is judged: %s", source);
    free(source);
}

static void start(struct kernel_watch *watch)
{
    const struct subject *shown = &watch->view_model->shown;
    struct error err = {0};
    enum status st;

    if (watch->files) {
        announce(watch);
        return;
    }
    if (!shown->attempt || !shown->candidate.source) {
        chrome_say(watch->host->chrome, ROLE_WARNING,
                   "there is no kernel in view: choose an attempt in pane 2 first");
        return;
    }
    watch->folder = folder_of(watch, shown->attempt);
    watch->attempt = shown->attempt;
    strbuf_add(&watch->opened, shown->reply.data, shown->reply.len);
    strbuf_add(&watch->taken, shown->reply.data, shown->reply.len);
    st = prepare(watch, &err);
    if (!st)
        st = open_files(watch, &err);
    if (st) {
        chrome_say_error(watch->host->chrome, &err);
        kernel_watch_release(watch);
        return;
    }
    driver_begin_by_hand(watch->driver);
    announce(watch);
    on_saved(watch); /* existing files may differ from the attempt */
}

bool kernel_watch_command(struct kernel_watch *watch, const struct call *call)
{
    struct chrome *chrome = watch->host->chrome;
    const char *argument = call->argument;

    if (call->row->command != COMMAND_WATCH)
        return false;
    if (!*argument)
        start(watch);
    else if (strcmp(argument, "off") != 0)
        chrome_say(chrome, ROLE_BAD, "watch \"%s\": expected off, or nothing", argument);
    else if (watch->files)
        stop(watch);
    else
        chrome_say(chrome, ROLE_TEXT, "no file is watched");
    return true;
}
