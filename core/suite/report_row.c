#include "core/suite/report_row.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"

bool report_row_is_timed(const struct report_row *row)
{
    return row->phase == TASK_HAS_ENDED && row->speedup.value > 0;
}

const struct ratio *report_row_speedup(const struct report_row *row, const char *over)
{
    for (size_t i = 0; i < row->speedups.count; i++)
        if (strcmp(row->speedups.items[i].over, over) == 0)
            return &row->speedups.items[i].ratio;
    return NULL;
}

void report_row_release(struct report_row *row)
{
    for (size_t i = 0; i < row->speedups.count; i++)
        free(row->speedups.items[i].over);
    vec_release(&row->speedups);
    free(row->trouble);
    free(row->over);
    free(row->device);
    *row = (struct report_row){0};
}

/* Compare two texts; NULL (unknown) equals NULL. */
static bool is_same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

void report_machines_count(struct report_machines *machines, const struct provenance *where)
{
    for (size_t i = 0; i < machines->count; i++) {
        struct report_machine *machine = &machines->items[i];

        if (is_same(machine->host, where->host) && is_same(machine->device, where->device) &&
            is_same(machine->driver, where->driver) &&
            is_same(machine->compiler, where->compiler) &&
            is_same(machine->version, where->version)) {
            machine->tasks++;
            return;
        }
    }
    vec_push(machines, ((struct report_machine){.host = mem_strdup(where->host),
                                                .device = mem_strdup(where->device),
                                                .driver = mem_strdup(where->driver),
                                                .compiler = mem_strdup(where->compiler),
                                                .version = mem_strdup(where->version),
                                                .tasks = 1}));
}

void report_machines_release(struct report_machines *machines)
{
    for (size_t i = 0; i < machines->count; i++) {
        struct report_machine *machine = &machines->items[i];

        free(machine->host);
        free(machine->device);
        free(machine->driver);
        free(machine->compiler);
        free(machine->version);
    }
    vec_release(machines);
}
