/*
 * bench_session: measures operations on sessions in kforge's data folder, for
 * tests/bench/session.py.
 *
 * - make SESSION STEPS LINES AGENT: make a session that waits for a decision on a prompt; kernels
 *   at its end have LINES lines.
 * - open SESSION RUNS: fold its journal RUNS times, and read the file once without folding it.
 * - append SESSION STEPS: append STEPS steps.
 * - commit SESSION CANDIDATES RUNS: make CANDIDATES candidates, then commit RUNS more.
 * - suite STEPS: make a suite whose sessions have STEPS steps and run (suite_maker.h), and print
 * its id. Each line of the input, a number, lets that many actions happen; at the end of the input
 *   all sessions wait for a decision.
 * - sync FILE RUNS: append a line and call fdatasync(2), RUNS times.
 *
 * It prints one JSON object of arrays of samples, in microseconds unless the name says otherwise.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/session/store/catalog.h"
#include "core/session/store/commits.h"
#include "core/system/file.h"
#include "tests/bench/programs/maker.h"
#include "tests/bench/programs/suite_maker.h"

enum {
    LONG_STEPS = 8, /* kernels are long in this many steps at the end of a session */
    JOURNAL_MAX_BYTES = 1 << 30,
};

/*
 * Counts and times of fsync(2) and fdatasync(2). This program defines both functions, and the
 * dynamic linker prefers them to those of the C library, also for calls from libgit2. They do
 * nothing while a session is being made.
 */
static struct {
    bool is_skipped;
    double count, us;
} syncs;

static int sync_file(long call, int fd)
{
    int64_t begun = clock_now_ns();
    long result = syncs.is_skipped ? 0 : syscall(call, fd);

    syncs.count++;
    syncs.us += (double)(clock_now_ns() - begun) * 1e-3;
    return (int)result;
}

int fsync(int fd)
{
    return sync_file(SYS_fsync, fd);
}

int fdatasync(int fildes)
{
    return sync_file(SYS_fdatasync, fildes);
}

/* A stopwatch that measures total time and time in syncs. */
struct watch {
    int64_t begun_ns;
    double syncs, syncs_us;
};

static struct watch watch_start(void)
{
    return (struct watch){clock_now_ns(), syncs.count, syncs.us};
}

/* Add a sample to the arrays NAME_us, NAME_sync_us and NAME_syncs of `out`. */
static void watch_stop(const struct watch *watch, const char *name, struct json *out)
{
    const struct {
        const char *suffix;
        double value;
    } samples[] = {{"us", (double)(clock_now_ns() - watch->begun_ns) * 1e-3},
                   {"sync_us", syncs.us - watch->syncs_us},
                   {"syncs", syncs.count - watch->syncs}};

    for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
        struct strbuf key = {0};

        strbuf_addf(&key, "%s_%s", name, samples[i].suffix);
        if (!json_get(out, strbuf_cstr(&key)))
            json_put(out, strbuf_cstr(&key), json_array_new());
        json_push((struct json *)(uintptr_t)json_get(out, strbuf_cstr(&key)),
                  json_number_new(samples[i].value));
        strbuf_release(&key);
    }
}

static enum status run_make(char **argv, struct json *out, struct error *err)
{
    size_t steps = strtoul(argv[1], NULL, 10);
    char *repository = catalog_repository();
    struct maker maker = {.id = argv[0],
                          .agent = argv[3],
                          .repository = repository,
                          .archives = true,
                          .lines = (unsigned)strtoul(argv[2], NULL, 10),
                          .long_from = steps > LONG_STEPS ? steps - LONG_STEPS : 0};
    enum status st;

    syncs.is_skipped = true;
    st = maker_open(&maker, err);
    if (!st)
        st = maker_play(&maker, steps, err);
    json_put_number(out, "steps", (double)maker.session.steps.count);
    json_put_number(out, "candidates", (double)maker.session.attempts.count);
    json_put_number(out, "events", (double)maker.session.events);
    maker_release(&maker);
    free(repository);
    return st;
}

static enum status read_whole(const char *path, struct json *out, struct error *err)
{
    struct watch watch = watch_start();
    struct strbuf text = {0};
    enum status st = file_read(path, JOURNAL_MAX_BYTES, &text, err);

    watch_stop(&watch, "read", out);
    json_put_number(out, "bytes", (double)text.len);
    strbuf_release(&text);
    return st;
}

static enum status run_open(char **argv, struct json *out, struct error *err)
{
    char *path = catalog_journal(argv[0]);
    enum status st = STATUS_OK;

    for (unsigned long left = strtoul(argv[1], NULL, 10); !st && left > 0; left--) {
        struct session session = {0};
        struct journal *journal = NULL;
        struct watch watch = watch_start();

        st = journal_open(path, maker_fold, &session, &journal, err);
        watch_stop(&watch, "open", out);
        journal_close(journal);
        session_release(&session);
        if (!st && left == 1)
            st = read_whole(path, out, err);
    }
    free(path);
    return st;
}

/* Time one event alone, and one whole step: engine, journal, texts and state. */
static enum status run_append(char **argv, struct json *out, struct error *err)
{
    char *repository = catalog_repository();
    struct maker maker = {.id = argv[0], .agent = "builtin", .repository = repository};
    const struct note note = {.text = "Mind the edge of the tile."};
    enum status st = maker_open(&maker, err);

    for (unsigned long left = strtoul(argv[1], NULL, 10); !st && left > 0; left--) {
        size_t steps = maker.session.steps.count;
        struct watch watch = watch_start();

        st = maker_record(&maker, event_make(EVENT_NOTE, &note), err);
        watch_stop(&watch, "event", out);
        watch = watch_start();
        while (!st && maker.session.steps.count == steps)
            st = maker_act(&maker, err);
        watch_stop(&watch, "step", out);
    }
    maker_release(&maker);
    free(repository);
    return st;
}

static enum status time_commits(struct maker *maker, struct json *out, struct error *err)
{
    unsigned next = (unsigned)maker->session.attempts.count + 1;
    char id[OBJECT_ID_SIZE];
    struct watch watch;
    enum status st = STATUS_OK;

    maker->archives = false;
    syncs.is_skipped = true;
    while (!st &&
           (maker->session.attempts.count < next || maker->session.now.stage == STAGE_EVALUATE))
        st = maker_act(maker, err);
    syncs.is_skipped = false;
    watch = watch_start();
    if (!st)
        st = commits_add_attempt(maker->history, &maker->session, next, err);
    watch_stop(&watch, "candidate", out);
    watch = watch_start();
    if (!st)
        st = commits_keep(maker->history, &maker->session, next, id, err);
    watch_stop(&watch, "keep", out);
    return st;
}

static enum status run_commit(char **argv, struct json *out, struct error *err)
{
    char *repository = catalog_repository();
    struct maker maker = {
        .id = argv[0], .agent = "builtin", .repository = repository, .archives = true};
    unsigned long candidates = strtoul(argv[1], NULL, 10);
    enum status st;

    syncs.is_skipped = true;
    st = maker_open(&maker, err);
    while (!st && maker.session.attempts.count + 1 < candidates)
        st = maker_act(&maker, err);
    for (unsigned long left = strtoul(argv[2], NULL, 10); !st && left > 0; left--)
        st = time_commits(&maker, out, err);
    maker_release(&maker);
    free(repository);
    return st;
}

static enum status run_sync(char **argv, struct json *out, struct error *err)
{
    static const char line[] = "a line as long as the shorter ones of those that a journal has\n";
    int fd = open(argv[0], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    enum status st = STATUS_OK;

    for (unsigned long left = strtoul(argv[1], NULL, 10); !st && left > 0; left--) {
        struct watch watch = watch_start();

        st = file_write_all(fd, line, strlen(line), err);
        if (!st && fdatasync(fd) != 0)
            st = error_set(err, STATUS_IO, "%s: cannot sync", argv[0]);
        watch_stop(&watch, "append", out);
    }
    close(fd);
    return st;
}

static enum status run_suite(char **argv, struct json *out, struct error *err)
{
    struct suite_maker *maker = NULL;
    struct strbuf text = {0};
    char line[32];
    enum status st;

    syncs.is_skipped = true;
    st = suite_maker_open(&maker, strtoul(argv[0], NULL, 10), out, err);
    json_print(out, &text);
    puts(strbuf_cstr(&text));
    fflush(stdout);
    while (!st && fgets(line, sizeof(line), stdin))
        st = suite_maker_act(maker, strtoul(line, NULL, 10), err);
    if (!st)
        st = suite_maker_ask(maker, err);
    suite_maker_close(maker);
    strbuf_release(&text);
    return st;
}

static const struct task {
    const char *name;
    int arguments;
    enum status (*run)(char **argv, struct json *out, struct error *err);
} tasks[] = {
    {"make", 4, run_make},     {"open", 2, run_open}, {"append", 2, run_append},
    {"commit", 3, run_commit}, {"sync", 2, run_sync}, {"suite", 1, run_suite},
};

int main(int argc, char **argv)
{
    struct json *out = json_object_new();
    struct error err = {.code = STATUS_INVALID,
                        .text = "usage: see tests/bench/programs/bench_session.c"};
    enum status st = STATUS_INVALID;
    struct strbuf text = {0};

    for (size_t i = 0; i < sizeof(tasks) / sizeof(*tasks); i++)
        if (argc > 1 && strcmp(argv[1], tasks[i].name) == 0 && argc - 2 == tasks[i].arguments)
            st = tasks[i].run(argv + 2, out, &err);
    if (st)
        fprintf(stderr, "bench_session: %s\n", err.text);
    json_print(out, &text);
    puts(strbuf_cstr(&text));
    strbuf_release(&text);
    json_free(out);
    return st ? 1 : 0;
}
