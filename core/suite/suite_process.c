#include "core/suite/suite_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/json.h"
#include "core/session/store/journal.h"
#include "core/system/file.h"

enum { FILE_MAX_BYTES = 4096 };

static const char file[] = "process.json";

/* A process of an older version has not written its machine. */
void suite_process_describe(const struct suite_process *process, struct strbuf *out)
{
    strbuf_addf(out, "process %d", (int)process->pid);
    if (process->is_elsewhere)
        strbuf_addf(out, " on %s", process->host);
    else if (*process->host)
        strbuf_adds(out, " of this machine");
}

static void find_own_host(char host[SUITE_HOST_BYTES])
{
    host[0] = '\0';
    (void)gethostname(host, SUITE_HOST_BYTES - 1);
    host[SUITE_HOST_BYTES - 1] = '\0';
}

enum status suite_process_write(const char *folder, struct error *err)
{
    struct json *object = json_object_new();
    struct strbuf text = {0};
    char host[SUITE_HOST_BYTES];
    enum status st;

    find_own_host(host);
    json_put_string(object, "host", host);
    json_put_number(object, "pid", getpid());
    json_print(object, &text);
    strbuf_adds(&text, "\n");
    st = file_write_text(folder, file, strbuf_cstr(&text), err);
    strbuf_release(&text);
    json_free(object);
    return st;
}

/* Read the host.  The file of an earlier process says nothing about one that runs now. */
static void read_host(const char *folder, struct suite_process *process)
{
    char *path = file_join(folder, file);
    struct strbuf text = {0};
    struct json *object = NULL;

    if (!file_read(path, FILE_MAX_BYTES, &text, NULL))
        object = json_parse(strbuf_cstr(&text), text.len, NULL);
    if (object && (!process->pid || json_get_number(object, "pid", 0) == process->pid))
        snprintf(process->host, sizeof(process->host), "%s", json_get_string(object, "host", ""));
    json_free(object);
    strbuf_release(&text);
    free(path);
}

struct suite_process suite_process_find(const char *folder)
{
    char *journal = file_join(folder, "events.jsonl");
    struct suite_process process = {.pid = journal_owner(journal)};
    char own[SUITE_HOST_BYTES];

    read_host(folder, &process);
    find_own_host(own);
    process.is_elsewhere = *process.host && strcmp(process.host, own) != 0;
    free(journal);
    return process;
}
