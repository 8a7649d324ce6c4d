#include "core/suite/slurm/slurm_queue.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"

/* `-t all` also lists jobs that ended a few minutes ago. */
const char slurm_queue_command[] =
    "exec squeue --me --noheader --array --states=all --format='%j|%K|%T|%F|%N|%r'";

static const char name_prefix[] = "kforge-";

void slurm_queue_add_name(struct strbuf *out, const char *suite, unsigned list)
{
    strbuf_addf(out, "%s%s-%u", name_prefix, suite, list);
}

/* Maps the states listed in squeue(1), "JOB STATE CODES". */
static enum slurm_state find_state(const char *name)
{
    static const char *const runs[] = {"RUNNING",   "COMPLETING", "SUSPENDED", "STOPPED",
                                       "SIGNALING", "STAGE_OUT",  "RESIZING"};
    static const char *const waits[] = {"PENDING",     "CONFIGURING",  "REQUEUED",
                                        "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD",
                                        "SPECIAL_EXIT"};

    for (size_t i = 0; i < COUNT(runs); i++)
        if (strcmp(runs[i], name) == 0)
            return SLURM_RUNS;
    for (size_t i = 0; i < COUNT(waits); i++)
        if (strcmp(waits[i], name) == 0)
            return SLURM_WAITS;
    if (strcmp(name, "COMPLETED") == 0 || strcmp(name, "FAILED") == 0)
        return SLURM_ENDED;
    return SLURM_STOPPED;
}

/* Copy the field at `*at` and move behind its bar; false if it does not fit or no bar ends it. */
static bool take_field(const char **at, char *field, size_t size)
{
    size_t len = strcspn(*at, "|\n");

    snprintf(field, size, "%.*s", (int)len, *at);
    *at += len + ((*at)[len] == '|');
    return len < size;
}

/* The number of the list in a job's name; 0 if the job is not of this suite. */
static unsigned find_list(const char *name, const char *suite)
{
    size_t len = strlen(suite);
    unsigned long list;
    char *end;

    if (!text_begins(name, name_prefix))
        return 0;
    name += strlen(name_prefix);
    if (strncmp(name, suite, len) != 0 || name[len] != '-' ||
        !isdigit((unsigned char)name[len + 1]))
        return 0;
    list = strtoul(name + len + 1, &end, 10);
    return *end || list > UINT_MAX ? 0 : (unsigned)list;
}

bool slurm_queue_read(const char **at, const char *suite, struct slurm_element *element)
{
    const char *end = *at + strcspn(*at, "\n"), *field = *at;
    char name[64], index[24];
    bool is_read;

    *at = *end ? end + 1 : end;
    *element = (struct slurm_element){0};
    is_read = take_field(&field, name, sizeof(name)) && take_field(&field, index, sizeof(index)) &&
              take_field(&field, element->name, sizeof(element->name)) &&
              take_field(&field, element->job, sizeof(element->job));
    (void)take_field(&field, element->host, sizeof(element->host));
    (void)take_field(&field, element->reason, sizeof(element->reason));
    if (!is_read)
        return false;
    element->list = find_list(name, suite);
    element->index = strtoul(index, NULL, 10);
    element->state = find_state(element->name);
    return element->list > 0;
}
