#ifndef CORE_JUDGE_TASK_ORACLE_TURN_H
#define CORE_JUDGE_TASK_ORACLE_TURN_H

#include "core/system/turn_lock.h"

/* The turn of the thread that computes expected outputs (core/judge/device_turns.h). */
struct oracle_turn {
    /* NULL: the device is not shared, and the turn is free */
    struct turn_lock *lock;
    bool shares_cores;            /* work of the CPU needs the turn too */
    bool (*must_end)(void *data); /* true ends a wait for the turn */
    void *data;
    bool is_held; /* since `began_us` */
    int64_t began_us;
};

/* Wait for the turn, unless it is held; false if the wait was ended. */
bool oracle_turn_take(struct oracle_turn *turn);
void oracle_turn_end(struct oracle_turn *turn);

/*
 * End the turn because the CPU begins to compute, which disturbs nothing on a device that does not
 * share its cores. `turn` is a struct oracle_turn.
 */
void oracle_turn_leave_device(void *turn);

/* Take it again because the device begins to compute. */
void oracle_turn_enter_device(void *turn);

/*
 * Expected outputs have been computed, and others may follow: end the turn if it was long. Taking
 * another one means to wait for all judges that want the device alone.
 */
void oracle_turn_pass(struct oracle_turn *turn);

#endif
