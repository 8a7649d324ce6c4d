#ifndef CORE_SYSTEM_TURN_LOCK_H
#define CORE_SYSTEM_TURN_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A lock in a file, by which processes take turns: many work beside each other, or one works
 * alone.  The kernel gives the lock back when a process ends.
 *
 * A process has one owner, the thread that takes turns, and helpers, other threads that work beside
 * it.  Helpers that come while their owner is alone share its turn.  An owner that wants to be
 * alone first waits for its own helpers, and then for the other processes; no process begins
 * meanwhile, so that one that wants to be alone does not starve.
 */
struct turn_lock;

enum turn { TURN_NONE, TURN_BESIDE, TURN_ALONE };

/* The limits of a wait for a turn.  All zeros waits for ever. */
struct turn_patience {
    /* is_over() is called when this descriptor is readable; -1: at intervals */
    int fd;
    bool (*is_over)(void *data); /* true ends the wait; NULL: it never ends */
    void (*waits)(void *data);   /* called once if the turn is not free at once; may be NULL */
    void *data;
};

/*
 * The lock in the file at `path`, which is made if it is missing, and in a second one beside it.
 * If they cannot be opened the lock is always free.
 */
struct turn_lock *turn_lock_new(const char *path);
/* Give the turn back, and free the lock; takes NULL. */
void turn_lock_free(struct turn_lock *lock);

/*
 * The owner changes its turn, and waits if that is a larger one.  `*waited_us` receives the time.
 * False if the patience was over: the owner has no turn then.
 */
bool turn_lock_take(struct turn_lock *lock, enum turn turn, const struct turn_patience *patience,
                    int64_t *waited_us);

/* A helper begins to work, and has worked.  False if the patience was over. */
bool turn_lock_enter(struct turn_lock *lock, const struct turn_patience *patience);
void turn_lock_leave(struct turn_lock *lock);

/* True if another process, or a helper of this one, waits for a turn. */
bool turn_lock_is_wanted(struct turn_lock *lock);

#endif
