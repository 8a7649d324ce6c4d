#include "core/session/store/process_lease.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/json.h"
#include "core/session/store/journal.h"
#include "core/system/file.h"
#include "core/system/shared_folder.h"

/* in /proc/PID/stat */
enum { FILE_MAX_BYTES = 4096, BEGINNING_FIELD = 22 };

static const char file[] = "process.json";

/* A process of an older version has not written its machine. */
void process_lease_describe(const struct lease_process *process, struct strbuf *out)
{
    strbuf_addf(out, "process %d", (int)process->pid);
    if (process->is_elsewhere)
        strbuf_addf(out, " on %s", process->host);
    else if (*process->host)
        strbuf_adds(out, " of this machine");
}

static void find_own_host(char host[LEASE_HOST_BYTES])
{
    host[0] = '\0';
    (void)gethostname(host, LEASE_HOST_BYTES - 1);
    host[LEASE_HOST_BYTES - 1] = '\0';
}

/* When a process began, in clock ticks since the machine did (proc(5)); 0 if it has ended. */
static double find_beginning(pid_t pid)
{
    char path[64], text[1024], *at;
    FILE *source;
    size_t len;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    source = fopen(path, "re");
    if (!source)
        return 0;
    len = fread(text, 1, sizeof(text) - 1, source);
    fclose(source);
    text[len] = '\0';
    at = strrchr(text, ')'); /* the end of field 2; the state follows */
    if (at && strchr("ZX", at[1] ? at[2] : '\0'))
        return 0;
    for (unsigned field = 2; at && field < BEGINNING_FIELD; field++)
        at = strchr(at + 1, ' ');
    return at ? (double)strtoull(at, NULL, 10) : 0;
}

static enum status write_lease(const char *folder, bool has_ended, struct error *err)
{
    struct json *object = json_object_new();
    struct strbuf text = {0};
    char host[LEASE_HOST_BYTES];
    enum status st;

    find_own_host(host);
    json_put_string(object, "host", host);
    json_put_number(object, "pid", getpid());
    json_put_number(object, "began", find_beginning(getpid()));
    if (has_ended)
        json_put_bool(object, "ended", true);
    json_print(object, &text);
    strbuf_adds(&text, "\n");
    st = file_write_text(folder, file, strbuf_cstr(&text), err);
    strbuf_release(&text);
    json_free(object);
    return st;
}

struct lease {
    char host[LEASE_HOST_BYTES];
    pid_t pid; /* 0: none */
    bool has_ended;
    double began;
    time_t renewed;
    bool is_elsewhere, is_own;
};

static struct lease read_lease(const char *folder)
{
    char *path = file_join(folder, file), own[LEASE_HOST_BYTES];
    struct strbuf text = {0};
    struct json *object = NULL;
    struct lease lease = {0};
    struct stat about = {0};

    if (stat(path, &about) == 0 && !file_read(path, FILE_MAX_BYTES, &text, NULL))
        object = json_parse(strbuf_cstr(&text), text.len, NULL);
    find_own_host(own);
    if (object) {
        snprintf(lease.host, sizeof(lease.host), "%s", json_get_string(object, "host", ""));
        lease.pid = (pid_t)json_get_number(object, "pid", 0);
        lease.has_ended = json_get_bool(object, "ended", false);
        lease.began = json_get_number(object, "began", 0);
        lease.renewed = about.st_mtime;
        lease.is_elsewhere = *lease.host && strcmp(lease.host, own) != 0;
        lease.is_own = !lease.is_elsewhere && lease.pid == getpid();
    }
    json_free(object);
    strbuf_release(&text);
    free(path);
    return lease;
}

/* True if the process of the lease runs, as far as can be known at the time `now`. */
static bool is_valid(const struct lease *lease, time_t now)
{
    if (lease->pid <= 0 || lease->has_ended)
        return false;
    if (lease->is_elsewhere)
        return now - lease->renewed < LEASE_S;
    return lease->began > 0 && find_beginning(lease->pid) == lease->began;
}

/* The time on the clock of the file system's server, which may not be this machine's. */
static time_t find_server_time(const char *folder)
{
    static const char probe[] = "process.clock";
    char *path = file_join(folder, probe);
    struct stat about = {.st_mtime = time(NULL)};

    if (!file_write_text(folder, probe, "", NULL) && stat(path, &about) != 0)
        about.st_mtime = time(NULL);
    (void)unlink(path);
    free(path);
    return about.st_mtime;
}

/* Make the error about another process, which has the lease, or has taken that of this one. */
static enum status refuse(const struct lease *lease, const char *what, bool is_taken,
                          struct error *err)
{
    const char *host = *lease->host ? lease->host : "this machine";

    if (is_taken)
        return error_set(err, STATUS_UNAVAILABLE,
                         "%s was taken over by process %d on %s, which found no sign of this "
                         "process for %d s",
                         what, (int)lease->pid, host, LEASE_S);
    return error_set(err, STATUS_UNAVAILABLE,
                     "%s is run by process %d on %s: stop it there first, or wait %d s if it has "
                     "died",
                     what, (int)lease->pid, host, LEASE_S);
}

enum status process_lease_claim(const char *folder, const char *what, struct error *err)
{
    struct lease lease = read_lease(folder);

    if (!lease.is_own && lease.pid > 0 && !lease.has_ended &&
        is_valid(&lease, find_server_time(folder)))
        return refuse(&lease, what, false, err);
    return write_lease(folder, false, err);
}

enum status process_lease_claim_if_shared(const char *folder, const char *what, struct error *err)
{
    char *path = file_join(folder, file);
    bool is_needed = shared_folder_is(folder) || file_exists(path);

    free(path);
    return is_needed ? process_lease_claim(folder, what, err) : STATUS_OK;
}

enum status process_lease_renew(const char *folder, const char *what, struct error *err)
{
    struct lease lease = read_lease(folder);
    char *path = file_join(folder, file);
    enum status st = STATUS_OK;

    if (lease.pid > 0 && !lease.is_own)
        st = refuse(&lease, what, true, err);
    else if (!lease.is_own || utimensat(AT_FDCWD, path, NULL, 0) != 0)
        st = write_lease(folder, false, err);
    free(path);
    return st;
}

void process_lease_end(const char *folder)
{
    if (read_lease(folder).is_own)
        (void)!write_lease(folder, true, NULL);
}

struct lease_process process_lease_find(const char *folder)
{
    char *journal = file_join(folder, "events.jsonl");
    struct lease_process process = {.pid = journal_owner(journal)};
    struct lease lease = read_lease(folder);

    if (!process.pid && is_valid(&lease, time(NULL)))
        process.pid = lease.pid;
    /* the lease of an earlier process says nothing about one that runs now */
    if (!process.pid || (process.pid == lease.pid && !lease.has_ended)) {
        memcpy(process.host, lease.host, sizeof(process.host));
        process.is_elsewhere = lease.is_elsewhere;
    }
    free(journal);
    return process;
}
