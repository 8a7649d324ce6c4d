#include "core/agent/builtin/plan/drawn_step.h"

#include <stdint.h>

#include "core/base/splitmix.h"

enum { MOST_STEPS = 2 * KNOB_COUNT };

/* Move a knob up or down by one of its values; false if the result is not legal. */
static bool step(struct schedule *schedule, size_t knob, int direction)
{
    const struct knob_row *row = &knob_table[knob];
    size_t at = 0;

    while (at < row->count && row->values[at] != schedule->of[knob])
        at++;
    if (at == row->count || (direction < 0 && at == 0) || (direction > 0 && at + 1 == row->count))
        return false;
    schedule->of[knob] = row->values[direction > 0 ? at + 1 : at - 1];
    return schedule_check(schedule, NULL) == STATUS_OK;
}

bool drawn_step_take(struct schedule *schedule, unsigned families, unsigned number)
{
    struct schedule steps[MOST_STEPS];
    size_t count = 0;

    for (size_t k = 0; k < KNOB_COUNT; k++) {
        for (int direction = -1; direction <= 1; direction += 2) {
            steps[count] = *schedule;
            count += (knob_table[k].families & families) && step(&steps[count], k, direction);
        }
    }
    if (!count)
        return false;
    *schedule = steps[splitmix(number) % count];
    return true;
}
