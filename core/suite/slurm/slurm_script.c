#include "core/suite/slurm/slurm_script.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/suite/slurm/slurm_command.h"
#include "core/system/file.h"

/*
 * Signals: at a requeue, a preemption and scancel Slurm sends TERM to the whole job; 2 minutes
 * before the time limit it sends USR1 to this shell alone (--signal=B:USR1@120).  `wait` is
 * interrupted by both.  An element that makes no progress within its time limit is not requeued for
 * ever.
 *
 * The cache lies on the node: kernels, roofs and expected values belong to its device, and they are
 * read and written more often than sessions.
 */
static const char body[] =
    "number=${task%% *} session=${task#* } again=\n"
    "exec >\"$folder/tasks/$number.log\" 2>&1\n"
    "cache=${TMPDIR:-/tmp}/kforge-$(id -u)\n"
    "(umask 077 && mkdir -p \"$cache\")\n"
    "[ -O \"$cache\" ] && [ ! -L \"$cache\" ] && export XDG_CACHE_HOME=\"$cache\"\n"
    "trap 'kill -TERM \"$pid\"' TERM\n"
    "trap 'again=1; kill -TERM \"$pid\"' USR1\n"
    "\"$kforge\" suite task \"$suite\" \"$number\" --session \"$session\" &\n"
    "pid=$!\n"
    "while\n"
    "\twait \"$pid\"\n"
    "\tcode=$?\n"
    "\t[ \"$code\" -gt 128 ] && kill -0 \"$pid\" 2>/dev/null\n"
    "do :; done\n"
    "if [ \"$again\" ] && [ \"$code\" = 130 ] && [ \"${SLURM_RESTART_COUNT:-0}\" -lt 50 ]; then\n"
    "\tscontrol requeue \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\"\n"
    "fi\n"
    "case $code in 0|1|3|4|6) exit 0 ;; esac # the session's result, not a failure of the job\n"
    "exit \"$code\"\n";

static void add_setting(struct strbuf *out, const char *name, const char *value)
{
    strbuf_addf(out, "%s=", name);
    slurm_command_quote(out, value);
    strbuf_adds(out, "\n");
}

/* Append the folder that holds kforge's data folder, XDG_DATA_HOME. */
static void add_data_home(struct strbuf *out)
{
    char *data = file_place_folder(FILE_DATA);

    *strrchr(data, '/') = '\0';
    strbuf_adds(out, "export ");
    add_setting(out, "XDG_DATA_HOME", data);
    free(data);
}

void slurm_script_add(struct strbuf *out, const struct suite_store *store, const char *list)
{
    char self[PATH_MAX] = "";
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

    self[len > 0 ? len : 0] = '\0';
    strbuf_adds(out, "#!/bin/sh\n# An array job of kforge suite: an element runs the task in its "
                     "line of the list.\n");
    add_data_home(out);
    add_setting(out, "kforge", self);
    add_setting(out, "suite", store->id);
    add_setting(out, "folder", store->folder);
    strbuf_adds(out, "task=$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" ");
    slurm_command_quote(out, list);
    strbuf_adds(out, ")\n[ \"$task\" ] || exit 5\n");
    strbuf_adds(out, body);
}
