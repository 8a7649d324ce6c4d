#include "core/judge/task/oracle_turn.h"

#include "core/system/clock.h"

enum { LONG_US = 1000000 };

bool oracle_turn_take(struct oracle_turn *turn)
{
    const struct turn_patience patience = {.fd = -1, .is_over = turn->must_end, .data = turn->data};

    if (turn->is_held)
        return true;
    turn->is_held = !turn->lock || turn_lock_enter(turn->lock, &patience);
    turn->began_us = clock_now_us();
    return turn->is_held;
}

void oracle_turn_end(struct oracle_turn *turn)
{
    if (turn->is_held && turn->lock)
        turn_lock_leave(turn->lock);
    turn->is_held = false;
}

void oracle_turn_leave_device(void *turn)
{
    struct oracle_turn *own = turn;

    if (!own->shares_cores)
        oracle_turn_end(own);
}

void oracle_turn_enter_device(void *turn)
{
    (void)oracle_turn_take(turn);
}

void oracle_turn_pass(struct oracle_turn *turn)
{
    if (turn->shares_cores || clock_now_us() - turn->began_us > LONG_US)
        oracle_turn_end(turn);
}
