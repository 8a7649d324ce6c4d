#ifndef CORE_SUITE_SUITE_PLACE_H
#define CORE_SUITE_SUITE_PLACE_H

#include <stddef.h>

#include "core/base/status.h"

/*
 * The place where a suite's tasks run, as the option --on gives it: "here" for this machine;
 * "slurm" or "slurm:OPTIONS" for array jobs with these options of sbatch; "ssh:HOST,HOST" for
 * workers on these hosts, each of which has its own queue.
 */
enum suite_place_kind { PLACE_HERE, PLACE_SLURM, PLACE_HOSTS };

struct suite_place {
    enum suite_place_kind kind;
    char *options; /* options of sbatch, as words for sh; NULL if none */
    struct {
        struct suite_host {
            char *name;   /* "gpu7" */
            char *prefix; /* put before the worker's command: "ssh ... 'gpu7'" */
        } * items;
        size_t count, capacity;
    } hosts;
};

/* Read the value of --on or of the member `on` of the suite's file; NULL means this machine. */
enum status suite_place_parse(struct suite_place *place, const char *text,
                              struct error *err) MUST_CHECK;

/* Free the contents and leave it empty. */
void suite_place_release(struct suite_place *place);

#endif
