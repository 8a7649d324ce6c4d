#ifndef CORE_SUITE_SUITE_PLACE_H
#define CORE_SUITE_SUITE_PLACE_H

#include <stddef.h>

#include "core/base/status.h"

/*
 * The place where the tasks of a suite run, as --on says it: "here"; "slurm" or "slurm:OPTIONS", an
 * array job with these options of sbatch; "ssh:HOST,HOST", workers on these hosts, each with a
 * queue.
 */
enum suite_place_kind { PLACE_HERE, PLACE_SLURM, PLACE_HOSTS };

struct suite_place {
    enum suite_place_kind kind;
    char *options; /* of sbatch, as words for sh; NULL: none */
    struct {
        struct suite_host {
            char *name;   /* "gpu7" */
            char *prefix; /* in front of the worker's command: "ssh ... 'gpu7'" */
        } * items;
        size_t count, capacity;
    } hosts;
};

/* Read what --on or the suite's file says; NULL means here. */
enum status suite_place_parse(struct suite_place *place, const char *text,
                              struct error *err) MUST_CHECK;

/* Free the contents and leave it empty. */
void suite_place_release(struct suite_place *place);

#endif
