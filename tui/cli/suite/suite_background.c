#include "tui/cli/suite/suite_background.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "core/system/file.h"
#include "core/system/process.h"
#include "tui/cli/session_run.h"

/* The time in which the process must open the suite. */
static const int64_t patience_us = 20000000;

enum { GLANCE_US = 5000, LOG_MAX_BYTES = 1 << 20 };

bool suite_background_wants_screen(const struct suite_options *options)
{
    struct screen_options screen = options->run.screen;

    screen.as_json |= options->as_json;
    return !options->detach && screen_options_want_screen(&screen);
}

/* Set the error from the last line of the output of a process that could not open the suite. */
static enum status fail(const char *log, struct error *err)
{
    static const char mark[] = "kforge: ";
    struct strbuf text = {0};
    const char *line = NULL;
    enum status st;

    if (!file_read(log, LOG_MAX_BYTES, &text, NULL))
        line = strstr(strbuf_cstr(&text), mark);
    for (const char *next = line; next; next = strstr(next + 1, mark))
        line = next;
    if (line)
        st = error_set(err, STATUS_UNAVAILABLE, "%.*s", (int)strcspn(line + strlen(mark), "\n"),
                       line + strlen(mark));
    else
        st = error_set(err, STATUS_UNAVAILABLE, "the suite's process ended at once: see %s", log);
    strbuf_release(&text);
    return st;
}

/* Wait until the process has opened the suite's journal, or has ended already. */
static enum status await_process(pid_t pid, const char *journal, const char *log, struct error *err)
{
    int64_t until_us = clock_now_us() + patience_us;
    int status = 0;

    while (journal_owner(journal) != pid && clock_now_us() < until_us) {
        if (waitpid(pid, &status, WNOHANG) == pid)
            return WIFEXITED(status) && WEXITSTATUS(status) != EXIT_CODE_USAGE ? STATUS_OK
                                                                               : fail(log, err);
        usleep(GLANCE_US);
    }
    return STATUS_OK;
}

static enum status start(const char *id, unsigned jobs, const char *journal, const char *log,
                         struct error *err)
{
    char number[24];
    const char *const argv[] = {"/proc/self/exe",       "suite", "resume", id, "--headless",
                                jobs ? "--jobs" : NULL, number,  NULL};
    pid_t pid = 0;
    enum status st;

    snprintf(number, sizeof(number), "%u", jobs);
    st = process_start_behind(&pid, argv, log, err);
    return st ? st : await_process(pid, journal, log, err);
}

static enum exit_code show(const char *id, const struct suite_options *options)
{
    struct driver_options driver = {.agent = "builtin", .limits = limits_default};
    const struct app_options app = {.driver = &driver,
                                    .begin = APP_BEGIN_SUITE,
                                    .suite = id,
                                    .theme = options->run.screen.theme,
                                    .keys = options->run.screen.keys};

    gate_preset("guided", &driver.gate);
    return session_run_workbench(&app);
}

static void say_place(const char *id, bool as_json)
{
    struct json *said;

    if (!as_json) {
        command_print("suite %s runs in the background: kforge suite open %s shows it\n", id, id);
        return;
    }
    said = json_object_new();
    json_put_string(said, "suite", id);
    command_print_json(said);
    json_free(said);
}

enum exit_code suite_background_run(struct suite_store *store, const struct suite_options *options)
{
    char *journal = suite_store_journal(store), *log = file_join(store->folder, "run.log");
    char id[CATALOG_ID_SIZE];
    enum exit_code code = EXIT_CODE_IMPROVED;
    struct error err;

    snprintf(id, sizeof(id), "%s", store->id);
    suite_store_close(store);
    if (start(id, options->jobs, journal, log, &err))
        code = command_fail(&err);
    else if (options->detach)
        say_place(id, options->as_json);
    else
        code = show(id, options);
    free(journal);
    free(log);
    return code;
}

enum exit_code suite_background_open(const struct suite_options *options)
{
    struct error err;
    const char *id;

    if (suite_options_id(options, &id, &err))
        return command_fail(&err);
    if (!screen_options_want_screen(&options->run.screen)) {
        error_set(&err, STATUS_INVALID,
                  "suite open needs a terminal: kforge suite report prints the results");
        return command_fail(&err);
    }
    return show(id, options);
}
