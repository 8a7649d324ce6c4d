#include "core/system/turn_lock.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/system/clock.h"

/* The interval at which a waiting process tries again. */
enum { LOOK_MS = 5 };

struct turn_lock {
    int device; /* the file whose lock is the turn; -1 if it is always free */
    /* a process that wants the turn holds the lock of this file until it has the turn */
    int gate;
    int alone; /* processes that wait for a turn alone share the lock of this file */
    pthread_mutex_t mutex;
    enum turn own, held; /* turn of the owner; turn of the process, as locked in the file */
    unsigned helpers;    /* number of helpers at work */
    bool is_changing;    /* a thread is taking the lock of the file */
    bool wants_alone;    /* the owner waits to be alone: no further helper begins */
};

static int open_beside(const char *path, const char *extension)
{
    struct strbuf name = {0};
    int fd;

    strbuf_addf(&name, "%s%s", path, extension);
    fd = open(strbuf_cstr(&name), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    strbuf_release(&name);
    return fd;
}

static void close_all(struct turn_lock *lock)
{
    int *const files[] = {&lock->device, &lock->gate, &lock->alone};

    for (size_t i = 0; i < COUNT(files); i++) {
        if (*files[i] >= 0)
            close(*files[i]);
        *files[i] = -1;
    }
}

struct turn_lock *turn_lock_new(const char *path)
{
    struct turn_lock *lock = mem_alloc_zeroed(1, sizeof(*lock));

    pthread_mutex_init(&lock->mutex, NULL);
    lock->device = open_beside(path, "");
    lock->gate = open_beside(path, ".next");
    lock->alone = open_beside(path, ".alone");
    if (lock->device < 0 || lock->gate < 0 || lock->alone < 0)
        close_all(lock);
    return lock;
}

void turn_lock_free(struct turn_lock *lock)
{
    if (!lock)
        return;
    close_all(lock);
    pthread_mutex_destroy(&lock->mutex);
    free(lock);
}

/* Change the lock of the device's file. False if others hold it; the process then holds no turn. */
static bool change(struct turn_lock *lock, enum turn turn)
{
    static const int operations[] = {
        [TURN_NONE] = LOCK_UN, [TURN_BESIDE] = LOCK_SH, [TURN_ALONE] = LOCK_EX};
    bool is_done = lock->device < 0 || flock(lock->device, operations[turn] | LOCK_NB) == 0;

    lock->held = is_done ? turn : TURN_NONE;
    return is_done;
}

/* A wait in progress, and whether the caller has been told of it. */
struct wait {
    const struct turn_patience *patience;
    bool is_reported;
};

/* Wait for LOOK_MS without holding the mutex. False if the caller's patience has ended. */
static bool wait_a_moment(struct turn_lock *lock, struct wait *wait)
{
    const struct turn_patience *patience = wait->patience;
    struct pollfd input = {.fd = patience->is_over ? patience->fd : -1, .events = POLLIN};
    bool is_over = false;

    pthread_mutex_unlock(&lock->mutex);
    if (!wait->is_reported && patience->waits)
        patience->waits(patience->data);
    wait->is_reported = true;
    (void)poll(&input, 1, LOOK_MS);
    if (patience->is_over && (patience->fd < 0 || input.revents))
        is_over = patience->is_over(patience->data);
    pthread_mutex_lock(&lock->mutex);
    return !is_over;
}

/* Announce, on the third file, that this process waits for a turn alone; several may do so. */
static bool announce(struct turn_lock *lock, struct wait *wait)
{
    bool is_waiting = true;

    while (is_waiting && lock->alone >= 0 && flock(lock->alone, LOCK_SH | LOCK_NB) != 0)
        is_waiting = wait_a_moment(lock, wait);
    return is_waiting;
}

static void release(int fd)
{
    if (fd >= 0)
        (void)flock(fd, LOCK_UN);
}

/* True if another process waits for a turn alone. */
static bool others_want_alone(const struct turn_lock *lock)
{
    bool is_free = lock->alone < 0 || flock(lock->alone, LOCK_EX | LOCK_NB) == 0;

    if (is_free)
        release(lock->alone);
    return !is_free;
}

/* Try once to take the gate, unless it is held, and then the lock of the device's file. */
static bool change_through_gate(struct turn_lock *lock, enum turn turn)
{
    if (turn == TURN_BESIDE && others_want_alone(lock)) {
        release(lock->gate);
        return false;
    }
    return (lock->gate < 0 || flock(lock->gate, LOCK_EX | LOCK_NB) == 0) && change(lock, turn);
}

/*
 * Take the lock of the file after the processes that asked earlier. Those that want it alone go
 * first, one after another: before each of them the device has to become free, which takes as long
 * as the longest work of the others.
 */
static bool change_in_order(struct turn_lock *lock, enum turn turn, struct wait *wait)
{
    bool is_waiting;

    lock->is_changing = true;
    is_waiting = turn != TURN_ALONE || announce(lock, wait);
    while (is_waiting && !change_through_gate(lock, turn))
        is_waiting = wait_a_moment(lock, wait);
    release(lock->gate);
    if (turn == TURN_ALONE)
        release(lock->alone);
    lock->is_changing = false;
    return is_waiting;
}

/* The smallest turn that the process needs. */
static enum turn needed(const struct turn_lock *lock)
{
    return lock->own == TURN_NONE && lock->helpers ? TURN_BESIDE : lock->own;
}

/*
 * Reduce the held turn to the needed one. flock(2) may lose the lock to another process while
 * TURN_ALONE becomes TURN_BESIDE; helpers at work then continue without a turn.
 */
static void give_back(struct turn_lock *lock)
{
    if (!lock->is_changing && needed(lock) < lock->held)
        (void)change(lock, needed(lock));
}

/* Wait until no other thread changes the lock and, if `helpers_matter`, until no helper works. */
static bool await_others(struct turn_lock *lock, bool helpers_matter, struct wait *wait)
{
    bool is_waiting = true;

    while (is_waiting && (lock->is_changing || (helpers_matter && lock->helpers)))
        is_waiting = wait_a_moment(lock, wait);
    return is_waiting;
}

/*
 * Take a larger turn. The held turn is given back first: two processes that each hold a turn and
 * wait for a larger one would wait forever.
 */
static bool grow(struct turn_lock *lock, enum turn turn, struct wait *wait)
{
    bool is_granted;

    lock->own = TURN_NONE;
    lock->wants_alone = turn == TURN_ALONE;
    is_granted = await_others(lock, lock->wants_alone, wait);
    if (is_granted && lock->held < turn) {
        give_back(lock);
        is_granted = change_in_order(lock, turn, wait);
    }
    lock->wants_alone = false;
    if (is_granted)
        lock->own = turn;
    else
        give_back(lock);
    return is_granted;
}

bool turn_lock_take(struct turn_lock *lock, enum turn turn, const struct turn_patience *patience,
                    int64_t *waited_us)
{
    struct wait wait = {.patience = patience};
    int64_t began_us = clock_now_us();
    bool is_granted = true;

    pthread_mutex_lock(&lock->mutex);
    if (turn > lock->own) {
        is_granted = grow(lock, turn, &wait);
    } else {
        lock->own = turn;
        give_back(lock);
    }
    pthread_mutex_unlock(&lock->mutex);
    *waited_us = wait.is_reported ? clock_now_us() - began_us : 0;
    return is_granted;
}

bool turn_lock_enter(struct turn_lock *lock, const struct turn_patience *patience)
{
    struct wait wait = {.patience = patience};
    bool is_granted = true;

    pthread_mutex_lock(&lock->mutex);
    while (is_granted && (lock->wants_alone || lock->is_changing))
        is_granted = wait_a_moment(lock, &wait);
    if (is_granted && lock->held == TURN_NONE)
        is_granted = change_in_order(lock, TURN_BESIDE, &wait);
    lock->helpers += is_granted;
    pthread_mutex_unlock(&lock->mutex);
    return is_granted;
}

void turn_lock_leave(struct turn_lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
    lock->helpers--;
    give_back(lock);
    pthread_mutex_unlock(&lock->mutex);
}

bool turn_lock_is_wanted(struct turn_lock *lock)
{
    bool is_free;

    pthread_mutex_lock(&lock->mutex);
    is_free = !lock->is_changing && (lock->gate < 0 || flock(lock->gate, LOCK_EX | LOCK_NB) == 0);
    if (is_free && lock->gate >= 0)
        (void)flock(lock->gate, LOCK_UN);
    pthread_mutex_unlock(&lock->mutex);
    return !is_free;
}
