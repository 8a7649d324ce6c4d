#ifndef CORE_SYSTEM_TURN_LOCK_H
#define CORE_SYSTEM_TURN_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A file lock by which processes take turns: either several work at the same time, or one works
 * alone. The kernel releases the lock when a process ends.
 *
 * A process has one owner, the thread that takes turns, and helpers, other threads that work at the
 * same time. Helpers that begin while their owner is alone share its turn. An owner that wants to
 * be alone first waits for its own helpers, and then for the other processes; meanwhile no process
 * begins new work, so that the owner does not starve. Processes that want to be alone go one after
 * another; the others still get their turn, because a process works beside others before it wants
 * to be alone again.
 */
struct turn_lock;

enum turn { TURN_NONE, TURN_BESIDE, TURN_ALONE };

/* The limits of a wait for a turn. All zeros waits forever. */
struct turn_patience {
    /* is_over() is called when this descriptor is readable; if it is -1, at intervals */
    int fd;
    bool (*is_over)(void *data); /* true ends the wait; NULL: it never ends */
    void (*waits)(void *data);   /* called once if the turn is not free at once; may be NULL */
    void *data;
};

/*
 * Open the lock in the file at `path` and in two more files beside it; they are created if they are
 * missing. If they cannot be opened, the turn is always free.
 */
struct turn_lock *turn_lock_new(const char *path);
/* Give the turn back, and free the lock; takes NULL. */
void turn_lock_free(struct turn_lock *lock);

/*
 * Change the turn of the owner; wait if the new turn is larger. `*waited_us` receives the time
 * waited. False if the patience ended first: the owner then has no turn.
 */
bool turn_lock_take(struct turn_lock *lock, enum turn turn, const struct turn_patience *patience,
                    int64_t *waited_us);

/* A helper begins to work, and ends its work. False if the patience ended first. */
bool turn_lock_enter(struct turn_lock *lock, const struct turn_patience *patience);
void turn_lock_leave(struct turn_lock *lock);

/* True if another process, or a helper of this one, waits for a turn. */
bool turn_lock_is_wanted(struct turn_lock *lock);

#endif
