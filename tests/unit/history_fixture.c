#include "tests/unit/history_fixture.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/strbuf.h"
#include "core/system/file.h"
#include "core/system/process.h"

enum { MAX_ARGS = 16 };

char history_fixture_root[] = "/tmp/kforge-history-XXXXXX";

int history_fixture_set_up(void **state)
{
    char config[sizeof(history_fixture_root) + 16];
    static const char text[] = "[user]\n\tname = Ada Lovelace\n\temail = ada@example.org\n";

    (void)state;
    if (!mkdtemp(history_fixture_root))
        return -1;
    snprintf(config, sizeof(config), "%s/.gitconfig", history_fixture_root);
    setenv("HOME", history_fixture_root, 1);
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    unsetenv("XDG_CONFIG_HOME");
    return file_write(config, text, strlen(text), NULL) ? -1 : 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st;
    (void)type;
    (void)walk;
    return remove(path);
}

int history_fixture_tear_down(void **state)
{
    (void)state;
    return nftw(history_fixture_root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *history_fixture_path(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof(paths[0]), "%s/%s", history_fixture_root, name);
    return path;
}

static void read_pipe(int fd, struct strbuf *out)
{
    char chunk[4096];
    ssize_t got;

    while ((got = read(fd, chunk, sizeof(chunk))) > 0)
        strbuf_add(out, chunk, (size_t)got);
}

char *history_fixture_git(const char *folder, ...)
{
    const char *argv[MAX_ARGS] = {"git", "-C", folder};
    struct process process = {0};
    struct strbuf out = {0};
    size_t count = 3;
    va_list args;

    va_start(args, folder);
    while ((argv[count] = va_arg(args, const char *)) != NULL)
        assert_true(++count < MAX_ARGS);
    va_end(args);
    assert_int_equal(process_start(&process, &(struct process_spec){.argv = argv}, NULL),
                     STATUS_OK);
    read_pipe(process.out, &out);
    assert_int_equal(process_end(&process), 0);
    if (out.len > 0 && out.data[out.len - 1] == '\n')
        out.data[out.len - 1] = '\0';
    return strbuf_take(&out);
}

struct history *history_fixture_open(const char *path)
{
    struct history *history = NULL;
    struct error err = {0};

    if (history_open(path, &history, &err))
        fail_msg("%s", err.text);
    return history;
}

enum status history_fixture_try_commit(struct history *history, const struct simple_commit *simple,
                                       char id[OBJECT_ID_SIZE], struct error *err)
{
    char blob[OBJECT_ID_SIZE];
    struct history_file file = {"kernel.cl", blob};
    struct history_commit commit = {
        .ref = simple->ref ? simple->ref : HISTORY_FIXTURE_BRANCH,
        .parent = simple->parent,
        .author_name = simple->author ? simple->author : "builtin",
        .author_email = "agent@kforge.invalid",
        .message = simple->message,
        .files = &file,
        .file_count = 1,
    };
    enum status st = history_put(history, simple->source, strlen(simple->source), blob, err);

    return st ? st : history_commit(history, &commit, id, err);
}

void history_fixture_commit(struct history *history, const struct simple_commit *simple,
                            char id[OBJECT_ID_SIZE])
{
    struct error err = {0};

    if (history_fixture_try_commit(history, simple, id, &err))
        fail_msg("%s", err.text);
}
