#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/session/store/journal.h"
#include "core/system/file.h"

enum { ROUNDS = 25, MAX_BYTES = 1 << 20 };

static char folder[] = "/tmp/kforge-journal-XXXXXX";
static char path[sizeof(folder) + 16];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/events.jsonl", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static int remove_journal(void **state)
{
    (void)state;
    return unlink(path);
}

/* The events that a fold has received. */
struct seen {
    uint64_t count;
    char last[64];
};

static enum status see(void *data, const struct event *event, struct error *err)
{
    struct seen *seen = data;
    const char *text = json_get_string(event->body, "text", "");

    if (strcmp(text, "refuse") == 0)
        return error_set(err, STATUS_INVALID, "event %d: refused", (int)event->seq);
    seen->count++;
    snprintf(seen->last, sizeof(seen->last), "%s", text);
    return STATUS_OK;
}

static struct journal *open_journal(struct seen *seen)
{
    struct journal *journal = NULL;
    struct error err = {0};

    *seen = (struct seen){0};
    if (journal_open(path, see, seen, &journal, &err))
        fail_msg("%s", err.text);
    return journal;
}

static enum status append(struct journal *journal, const char *text, struct error *err)
{
    struct event event = event_make(EVENT_NOTE, &(struct note){text});
    enum status st = journal_append(journal, &event, err);

    event_release(&event);
    return st;
}

static void append_three(void)
{
    struct seen seen;
    struct journal *journal = open_journal(&seen);

    assert_int_equal(append(journal, "one", NULL), STATUS_OK);
    assert_int_equal(append(journal, "two\nlines", NULL), STATUS_OK);
    assert_int_equal(append(journal, "three", NULL), STATUS_OK);
    journal_close(journal);
}

static void read_file(struct strbuf *text)
{
    assert_int_equal(file_read(path, MAX_BYTES, text, NULL), STATUS_OK);
}

static void write_file(const void *bytes, size_t len)
{
    assert_int_equal(file_write(path, bytes, len, NULL), STATUS_OK);
}

static void what_was_appended_is_read_in_order(void **state)
{
    struct seen seen;

    (void)state;
    append_three();
    journal_close(open_journal(&seen));
    assert_int_equal(seen.count, 3);
    assert_string_equal(seen.last, "three");
}

static void read_on(struct journal_place *place, struct seen *seen, size_t count, const char *last)
{
    struct error err = {0};

    *seen = (struct seen){0};
    if (journal_read_on(path, place, see, seen, &err))
        fail_msg("%s", err.text);
    assert_int_equal(seen->count, count);
    if (count)
        assert_string_equal(seen->last, last);
}

/* A line is passed once, and one that is being written not before it is whole. */
static void a_growing_journal_is_read_once(void **state)
{
    struct journal_place place = {0};
    struct seen seen;
    struct strbuf whole = {0};

    (void)state;
    append_three();
    read_on(&place, &seen, 3, "three");
    read_on(&place, &seen, 0, NULL);
    append_three();
    read_file(&whole);
    write_file(whole.data, whole.len - 5);
    read_on(&place, &seen, 2, "two\nlines");
    write_file(whole.data, whole.len);
    read_on(&place, &seen, 1, "three");
    assert_int_equal(place.events, 6);
    strbuf_release(&whole);
}

static void a_last_line_torn_anywhere_is_cut_off(void **state)
{
    struct strbuf whole = {0};
    const char *last;

    (void)state;
    append_three();
    read_file(&whole);
    last = strstr(strbuf_cstr(&whole), "{\"seq\":3");
    for (size_t len = (size_t)(last - whole.data); len < whole.len; len++) {
        struct seen seen;
        struct journal *journal;

        write_file(whole.data, len);
        journal = open_journal(&seen);
        assert_int_equal(seen.count, 2);
        assert_int_equal(append(journal, "again", NULL), STATUS_OK);
        journal_close(journal);
        journal_close(open_journal(&seen));
        assert_int_equal(seen.count, 3);
        assert_string_equal(seen.last, "again");
    }
    strbuf_release(&whole);
}

static void a_hole_in_the_last_line_is_cut_off(void **state)
{
    struct strbuf whole = {0};
    struct seen seen;

    (void)state;
    append_three();
    read_file(&whole);
    memset(strstr(whole.data, "{\"seq\":3"), 0, 12);
    write_file(whole.data, whole.len);
    journal_close(open_journal(&seen));
    assert_int_equal(seen.count, 2);
    strbuf_release(&whole);
}

static void assert_broken(const char *text, const char *expected)
{
    struct error err = {0};
    struct seen seen = {0};
    struct journal *journal = NULL;
    struct strbuf text_of_error = {0};

    write_file(text, strlen(text));
    assert_int_equal(journal_open(path, see, &seen, &journal, &err), STATUS_INVALID);
    assert_null(journal);
    strbuf_addf(&text_of_error,
                "%s%s; restore the file from a copy, or cut it off before this line and resume",
                path, expected);
    assert_string_equal(err.text, strbuf_cstr(&text_of_error));
    strbuf_release(&text_of_error);
}

#define NOTE(seq, text) "{\"seq\":" #seq ",\"at\":\"\",\"type\":\"note\",\"text\":\"" text "\"}\n"

static void a_broken_line_is_named(void **state)
{
    (void)state;
    assert_broken(NOTE(1, "a") "nonsense\n" NOTE(3, "c"),
                  ":2: line 1 column 1: not valid JSON: check quotes, commas and brackets");
    assert_broken(NOTE(1, "a") "nonsense\n",
                  ":2: line 1 column 1: not valid JSON: check quotes, commas and brackets");
    assert_broken(NOTE(1, "a") NOTE(3, "c"), ":2: expected event 2, found event 3");
    assert_broken(NOTE(1, "a") NOTE(1, "a"), ":2: expected event 2, found event 1");
    assert_broken("\n", ":1: is empty, expected JSON");
    assert_broken(NOTE(1, "a") NOTE(2, "refuse"), ":2: event 2: refused");
}

static void a_second_writer_is_refused(void **state)
{
    struct seen seen;
    struct journal *journal = open_journal(&seen), *second = NULL;
    struct strbuf expected = {0};
    struct error err = {0};
    pid_t child;
    int status;

    (void)state;
    strbuf_addf(&expected, "%s: is open in another kforge (pid %d): close it there first", path,
                (int)getpid());
    assert_int_equal(journal_open(path, see, &seen, &second, &err), STATUS_UNAVAILABLE);
    assert_string_equal(err.text, strbuf_cstr(&expected));
    child = fork();
    if (child == 0) {
        err = (struct error){0};
        (void)!journal_open(path, see, &seen, &second, &err);
        _exit(strcmp(err.text, strbuf_cstr(&expected)) == 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    strbuf_release(&expected);
    journal_close(journal);
    journal_close(open_journal(&seen));
}

/* A process that was suspended may find that another one has run the session on. */
static void a_foreign_line_ends_the_writing(void **state)
{
    struct seen seen;
    struct journal *journal = open_journal(&seen);
    struct strbuf before = {0}, after = {0};
    struct error err = {0};
    FILE *file = fopen(path, "ae");

    (void)state;
    assert_non_null(file);
    fputs(NOTE(1, "other"), file);
    fclose(file);
    assert_int_equal(file_read(path, 4096, &before, &err), STATUS_OK);
    assert_int_equal(append(journal, "mine", &err), STATUS_IO);
    assert_non_null(strstr(err.text, "another process has written to it"));
    assert_int_equal(file_read(path, 4096, &after, &err), STATUS_OK);
    assert_string_equal(strbuf_cstr(&before), strbuf_cstr(&after));
    journal_close(journal);
    strbuf_release(&before);
    strbuf_release(&after);
}

static void a_reader_needs_no_lock(void **state)
{
    struct seen seen, read = {0};
    struct journal *journal = open_journal(&seen);

    (void)state;
    assert_int_equal(append(journal, "one", NULL), STATUS_OK);
    assert_int_equal(journal_read(path, see, &read, NULL), STATUS_OK);
    assert_int_equal(read.count, 1);
    assert_int_equal(append(journal, "two", NULL), STATUS_OK);
    journal_close(journal);
}

static void a_missing_journal_is_not_made_by_a_reader(void **state)
{
    struct seen seen = {0};

    (void)state;
    assert_int_equal(journal_read(path, see, &seen, NULL), STATUS_NOT_FOUND);
    assert_false(file_exists(path));
}

static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A file size limit simulates a full disk: write() stops inside a line, and then fails. */
static void a_full_disk_leaves_the_journal_whole(void **state)
{
    struct seen seen;
    struct journal *journal;
    struct strbuf whole = {0};
    struct error err = {0};

    (void)state;
    append_three();
    read_file(&whole);
    journal = open_journal(&seen);
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t room = 0; room < 60; room += 20) {
        limit_file_size(whole.len + room);
        assert_int_equal(append(journal, "does not fit", &err), STATUS_IO);
        limit_file_size(RLIM_INFINITY);
        assert_memory_equal(err.text, path, strlen(path));
        assert_string_equal(err.text + strlen(path), ": cannot write: File too large");
        assert_int_equal(journal_read(path, see, &(struct seen){0}, NULL), STATUS_OK);
    }
    assert_int_equal(append(journal, "fits", NULL), STATUS_OK);
    journal_close(journal);
    journal_close(open_journal(&seen));
    assert_int_equal(seen.count, 4);
    assert_string_equal(seen.last, "fits");
    strbuf_release(&whole);
}

/* Append forever, and acknowledge each event that is on disk with a byte. */
static _Noreturn void write_for_ever(int acknowledge)
{
    struct seen seen;
    struct journal *journal = open_journal(&seen);

    for (;;)
        if (append(journal, "an event of some length, so that it can tear", NULL) ||
            write(acknowledge, "x", 1) != 1)
            _exit(1);
}

/* Kill a writer after `wanted` acknowledged events; return the number of acknowledged ones. */
static uint64_t kill_writer(unsigned wanted)
{
    uint64_t count = 0;
    int ends[2];
    pid_t child;
    char byte;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0)
        write_for_ever(ends[1]);
    close(ends[1]);
    while (count < wanted && read(ends[0], &byte, 1) == 1)
        count++;
    kill(child, SIGKILL);
    while (read(ends[0], &byte, 1) == 1)
        count++;
    waitpid(child, NULL, 0);
    close(ends[0]);
    return count;
}

static void a_killed_writer_loses_nothing_acknowledged(void **state)
{
    uint64_t acknowledged = 0;
    struct seen seen;

    (void)state;
    srandom(7);
    for (int round = 0; round < ROUNDS; round++) {
        acknowledged += kill_writer((unsigned)random() % 20 + 1);
        journal_close(open_journal(&seen));
        assert_true(seen.count >= acknowledged);
        assert_true(seen.count <= acknowledged + 1);
        acknowledged = seen.count;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_was_appended_is_read_in_order, remove_journal),
        cmocka_unit_test_teardown(a_growing_journal_is_read_once, remove_journal),
        cmocka_unit_test_teardown(a_last_line_torn_anywhere_is_cut_off, remove_journal),
        cmocka_unit_test_teardown(a_hole_in_the_last_line_is_cut_off, remove_journal),
        cmocka_unit_test_teardown(a_broken_line_is_named, remove_journal),
        cmocka_unit_test_teardown(a_second_writer_is_refused, remove_journal),
        cmocka_unit_test_teardown(a_foreign_line_ends_the_writing, remove_journal),
        cmocka_unit_test_teardown(a_reader_needs_no_lock, remove_journal),
        cmocka_unit_test(a_missing_journal_is_not_made_by_a_reader),
        cmocka_unit_test_teardown(a_full_disk_leaves_the_journal_whole, remove_journal),
        cmocka_unit_test_teardown(a_killed_writer_loses_nothing_acknowledged, remove_journal),
    };

    return cmocka_run_group_tests_name("journal", tests, make_folder, remove_folder);
}
