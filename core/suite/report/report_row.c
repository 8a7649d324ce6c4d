#include "core/suite/report/report_row.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
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

static void release_machine(struct report_machine *machine)
{
    free(machine->host);
    free(machine->device);
    free(machine->driver);
    free(machine->compiler);
    free(machine->version);
}

void report_row_release(struct report_row *row)
{
    for (size_t i = 0; i < row->speedups.count; i++)
        free(row->speedups.items[i].over);
    vec_release(&row->speedups);
    for (size_t i = 0; i < row->agents.count; i++)
        free(row->agents.items[i].agent);
    vec_release(&row->agents);
    release_machine(&row->machine);
    free(row->trouble);
    free(row->over);
    free(row->device);
    *row = (struct report_row){0};
}

static bool is_same_machine(const struct report_machine *a, const struct report_machine *b)
{
    return text_equals(a->host, b->host) && text_equals(a->device, b->device) &&
           text_equals(a->driver, b->driver) && text_equals(a->compiler, b->compiler) &&
           text_equals(a->version, b->version);
}

void report_machines_count(struct report_machines *machines, const struct report_machine *machine)
{
    for (size_t i = 0; i < machines->count; i++)
        if (is_same_machine(&machines->items[i], machine)) {
            machines->items[i].tasks++;
            return;
        }
    vec_push(machines, ((struct report_machine){.host = mem_strdup(machine->host),
                                                .device = mem_strdup(machine->device),
                                                .driver = mem_strdup(machine->driver),
                                                .compiler = mem_strdup(machine->compiler),
                                                .version = mem_strdup(machine->version),
                                                .tasks = 1}));
}

void report_machines_release(struct report_machines *machines)
{
    for (size_t i = 0; i < machines->count; i++)
        release_machine(&machines->items[i]);
    vec_release(machines);
}
