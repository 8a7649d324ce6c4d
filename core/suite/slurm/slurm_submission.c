#include "core/suite/slurm/slurm_submission.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/suite/slurm/slurm_command.h"
#include "core/suite/slurm/slurm_lists.h"
#include "core/suite/slurm/slurm_queue.h"
#include "core/suite/slurm/slurm_script.h"
#include "core/system/file.h"

/* Element indices begin at 0 here and must be below MaxArraySize (slurm.conf(5)). */
enum status slurm_find_most(size_t *most, struct error *err)
{
    static const char key[] = "MaxArraySize";
    struct strbuf config = {0};
    const char *at;
    size_t size = 0;
    enum status st = slurm_command_run("exec scontrol show config", &config, err);

    at = st ? NULL : strstr(strbuf_cstr(&config), key);
    if (at)
        at = strchr(at, '=');
    if (at)
        size = strtoul(at + 1, NULL, 10);
    if (!st && size < 1)
        st = error_set(
            err, STATUS_UNAVAILABLE,
            "Slurm permits no array jobs here: MaxArraySize in slurm.conf must be over 0");
    if (!st)
        *most = size < SLURM_MOST_ELEMENTS ? size : SLURM_MOST_ELEMENTS;
    strbuf_release(&config);
    return st;
}

static enum status write_script(const struct suite_store *store, unsigned list, struct error *err)
{
    char *tasks = slurm_lists_path(store, list, "tasks"),
         *path = slurm_lists_path(store, list, "sh");
    struct strbuf text = {0};
    enum status st;

    slurm_script_add(&text, store, tasks);
    st = file_write(path, text.data, text.len, err);
    strbuf_release(&text);
    free(tasks);
    free(path);
    return st;
}

/*
 * The user's options come last, so that they win.  Elements write into the logs of their tasks; the
 * job's own output has only Slurm's messages.
 */
static void add_command(struct strbuf *line, const struct slurm_submission *submission,
                        const struct suite_store *store)
{
    char *log = slurm_lists_path(store, submission->list, "log");
    char *script = slurm_lists_path(store, submission->list, "sh");

    strbuf_adds(line, "exec sbatch --parsable --requeue --signal=B:USR1@120 --open-mode=append "
                      "--job-name=");
    slurm_queue_add_name(line, store->id, submission->list);
    strbuf_addf(line, " --array=0-%zu", submission->count - 1);
    if (submission->jobs)
        strbuf_addf(line, "%%%u", submission->jobs);
    strbuf_adds(line, " --output=");
    slurm_command_quote(line, log);
    strbuf_addf(line, " %s ", submission->options ? submission->options : "");
    slurm_command_quote(line, script);
    free(log);
    free(script);
}

enum status slurm_submit(struct slurm_submission *submission, const struct suite_store *store,
                         struct error *err)
{
    struct strbuf line = {0}, answer = {0};
    enum status st = write_script(store, submission->list, err);

    add_command(&line, submission, store);
    if (!st)
        st = slurm_command_run(strbuf_cstr(&line), &answer, err);
    if (!st) /* "JOB" or "JOB;CLUSTER" */
        snprintf(submission->job, sizeof(submission->job), "%.*s",
                 (int)strcspn(strbuf_cstr(&answer), ";\n"), strbuf_cstr(&answer));
    strbuf_release(&line);
    strbuf_release(&answer);
    return st;
}

enum status slurm_cancel(const struct suite_store *store, size_t lists, struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < lists; i++) {
        struct strbuf line = {0}, answer = {0};

        strbuf_adds(&line, "exec scancel --quiet --me --name=");
        slurm_queue_add_name(&line, store->id, (unsigned)i + 1);
        st = slurm_command_run(strbuf_cstr(&line), &answer, err);
        strbuf_release(&line);
        strbuf_release(&answer);
    }
    return st;
}
