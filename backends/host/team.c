#include "backends/host/team.h"

#include <fenv.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backends/host/watch.h"
#include "core/base/mem.h"

/*
 * The number of checks before a waiting thread sleeps, some 20 to 40 microseconds: longer than the
 * usual time from one parallel region to the next.
 */
enum { LOOKS = 1000 };
/* Size of a cache line; and bits of a number of threads, beside the number of a piece of work. */
enum { LINE = 64, MEMBER_BITS = 12, MOST_MEMBERS = (1 << MEMBER_BITS) - 1 };

struct member {
    struct team *team;
    unsigned number;
    pthread_t thread;
    int core;   /* on which it was last seen */
    int wanted; /* where it shall run */
};

/* Words that different threads write often have cache lines of their own. */
struct team {
    _Alignas(LINE) uint32_t shares; /* pieces of shared work so far, and how many threads share */
    unsigned size;
    struct member *members;
    team_fn *work, *call;
    void *data, *call_data;
    bool is_over;
    bool stays;                        /* each thread stays on its core */
    cpu_set_t allowed;                 /* the cores of the process */
    _Alignas(LINE) uint32_t left;      /* number of threads that have not finished their work */
    _Alignas(LINE) uint32_t calls;     /* calls so far, for thread 0 */
    _Alignas(LINE) uint32_t is_called; /* 1 until the present call has ended */
};

/* Number of threads that sleep in team_await(). */
static _Alignas(LINE) uint32_t asleep;

static _Thread_local unsigned own_number;

unsigned team_number(void)
{
    return own_number;
}

static void rest(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/* Poll for some microseconds; false if the word is still `value`. */
static bool poll_word(const uint32_t *word, uint32_t value)
{
    for (int i = 0; i < LOOKS; i++) {
        if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value)
            return true;
        rest();
    }
    return false;
}

static void sleep_on(const uint32_t *word, uint32_t value)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
        (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake_all(const uint32_t *word)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/*
 * The count of sleepers and the word are changed and read in one order that all threads see: either
 * the waker counts the sleeper, or the sleeper sees the new word. So nobody is woken for nothing.
 */
static void await_change(const uint32_t *word, uint32_t value)
{
    if (poll_word(word, value))
        return;
    __atomic_add_fetch(&asleep, 1, __ATOMIC_SEQ_CST);
    sleep_on(word, value);
    __atomic_sub_fetch(&asleep, 1, __ATOMIC_SEQ_CST);
}

void team_await(const uint32_t *word, uint32_t value)
{
    watch_meet();
    await_change(word, value);
    watch_resume();
}

void team_wake(const uint32_t *word)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&asleep, __ATOMIC_SEQ_CST) > 0)
        wake_all(word);
}

static void await_zero(const uint32_t *word)
{
    uint32_t value;

    while ((value = __atomic_load_n(word, __ATOMIC_ACQUIRE)) != 0)
        await_change(word, value);
}

/*
 * Do this thread's share of the work, with the default rounding, which an earlier kernel may have
 * changed.
 */
static void do_work(team_fn *work, void *data, unsigned number)
{
    (void)fesetenv(FE_DFL_ENV);
    work(data, number);
}

/* Thread 0: make calls until the team ends. */
static void make_calls(struct team *team)
{
    for (uint32_t seen = 0;; seen++) {
        await_change(&team->calls, seen);
        if (team->is_over)
            return;
        do_work(team->call, team->call_data, 0);
        __atomic_store_n(&team->is_called, 0, __ATOMIC_RELEASE);
        wake_all(&team->is_called);
    }
}

/*
 * Another thread: do its share of each piece of work that it belongs to. It may miss pieces that it
 * does not belong to, because nobody waits for it then.
 */
static void join_shares(struct team *team, unsigned number)
{
    uint32_t seen = 0;

    for (;;) {
        await_change(&team->shares, seen);
        seen = __atomic_load_n(&team->shares, __ATOMIC_ACQUIRE);
        if (team->is_over)
            return;
        if (number >= (seen & MOST_MEMBERS))
            continue;
        watch_resume();
        do_work(team->work, team->data, number);
        watch_meet();
        if (__atomic_sub_fetch(&team->left, 1, __ATOMIC_ACQ_REL) == 0)
            team_wake(&team->left);
    }
}

static void *serve(void *data)
{
    struct member *self = data;

    own_number = self->number;
    if (self->number == 0)
        make_calls(self->team);
    else
        join_shares(self->team, self->number);
    return NULL;
}

static void order_call(struct team *team)
{
    __atomic_add_fetch(&team->calls, 1, __ATOMIC_ACQ_REL);
    wake_all(&team->calls);
}

/* Begin a piece of work for the first `threads` threads. */
static void order_share(struct team *team, unsigned threads)
{
    uint32_t piece = (team->shares >> MEMBER_BITS) + 1;

    __atomic_store_n(&team->shares, piece << MEMBER_BITS | threads, __ATOMIC_RELEASE);
    team_wake(&team->shares);
}

struct team *team_new(unsigned size)
{
    struct team *team = aligned_alloc(LINE, sizeof(*team));

    if (!team)
        return NULL;
    *team = (struct team){.members = mem_alloc_zeroed(size, sizeof(*team->members))};
    if (size > MOST_MEMBERS)
        size = MOST_MEMBERS;
    (void)sched_getaffinity(0, sizeof(team->allowed), &team->allowed); /* else none is chosen */
    for (unsigned i = 0; i < size; i++) {
        struct member *member = &team->members[i];

        *member = (struct member){.team = team, .number = i};
        if (pthread_create(&member->thread, NULL, serve, member) != 0)
            break;
        team->size++;
    }
    if (team->size > 0)
        return team;
    team_free(team);
    return NULL;
}

void team_free(struct team *team)
{
    if (!team)
        return;
    team->is_over = true;
    order_call(team);
    order_share(team, team->size);
    for (unsigned i = 0; i < team->size; i++)
        pthread_join(team->members[i].thread, NULL);
    free(team->members);
    free(team);
}

unsigned team_size(const struct team *team)
{
    return team->size;
}

/* A thread's part of team_spread(): note where it runs. */
static void note_core(void *data, unsigned number)
{
    struct team *team = data;

    team->members[number].core = sched_getcpu();
}

/* Move to the wanted core. */
static void move(void *data, unsigned number)
{
    const struct member *self = &((struct team *)data)->members[number];
    cpu_set_t wanted;

    CPU_ZERO(&wanted);
    CPU_SET((unsigned)self->wanted, &wanted);
    (void)sched_setaffinity(0, sizeof(wanted), &wanted);
}

static void allow_all(void *data, unsigned number)
{
    const struct team *team = data;

    (void)number;
    (void)sched_setaffinity(0, sizeof(team->allowed), &team->allowed);
}

/* A core of the set, which it leaves; -1 if there is none. */
static int take_core(cpu_set_t *cores)
{
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (CPU_ISSET((unsigned)core, cores)) {
            CPU_CLR((unsigned)core, cores);
            return core;
        }
    }
    return -1;
}

/* Choose a core for each thread: its own if no thread before has it. False if there are too few. */
static bool choose_cores(struct team *team, bool *is_shared)
{
    cpu_set_t left = team->allowed;

    *is_shared = false;
    for (unsigned i = 0; i < team->size; i++) {
        struct member *member = &team->members[i];
        bool is_first = member->core >= 0 && CPU_ISSET((unsigned)member->core, &left);

        member->wanted = is_first ? member->core : -1;
        if (is_first)
            CPU_CLR((unsigned)member->core, &left);
    }
    for (unsigned i = 0; i < team->size; i++) {
        struct member *member = &team->members[i];

        *is_shared |= member->wanted < 0;
        if (member->wanted < 0 && (member->wanted = take_core(&left)) < 0)
            return false;
    }
    return true;
}

void team_spread(struct team *team, bool stay)
{
    bool is_shared;

    if (team->stays && !stay)
        team_share(team, allow_all, team, team->size);
    team_share(team, note_core, team, team->size);
    if ((team->stays && stay) || !choose_cores(team, &is_shared))
        return;
    if (is_shared || stay)
        team_share(team, move, team, team->size);
    if (is_shared && !stay)
        team_share(team, allow_all, team, team->size);
    team->stays = stay;
}

void team_call(struct team *team, team_fn *work, void *data)
{
    team->call = work;
    team->call_data = data;
    __atomic_store_n(&team->is_called, 1, __ATOMIC_RELEASE);
    order_call(team);
    sleep_on(&team->is_called, 1);
}

void team_share(struct team *team, team_fn *work, void *data, unsigned threads)
{
    unsigned count = threads < team->size ? threads : team->size;

    team->work = work;
    team->data = data;
    __atomic_store_n(&team->left, count - 1, __ATOMIC_RELEASE);
    watch_meet();
    if (count > 1)
        order_share(team, count);
    work(data, 0);
    watch_meet();
    await_zero(&team->left);
    watch_resume();
}
