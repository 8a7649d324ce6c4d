#include "backends/host/team.h"

#include <fenv.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/mem.h"

/*
 * The number of checks before a waiting thread sleeps, some 20 to 40 microseconds: longer than the
 * usual time from one parallel region to the next.
 */
enum { LOOKS = 1000 };

struct member {
    struct team *team;
    unsigned number;
    pthread_t thread;
    uint32_t orders; /* increases with each piece of work for this thread */
};

struct team {
    struct member *members;
    unsigned size;
    team_fn *work;
    void *data;
    uint32_t left; /* number of threads that have not finished the present work */
    uint32_t calls_left;
    team_fn *call;
    void *call_data;
    bool is_over;
};

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

void team_await(const uint32_t *word, uint32_t value)
{
    for (int i = 0; i < LOOKS; i++) {
        if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value)
            return;
        rest();
    }
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
        (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

void team_wake(const uint32_t *word)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void await_zero(const uint32_t *word)
{
    uint32_t value;

    while ((value = __atomic_load_n(word, __ATOMIC_ACQUIRE)) != 0)
        team_await(word, value);
}

static void end_one(uint32_t *left)
{
    if (__atomic_sub_fetch(left, 1, __ATOMIC_ACQ_REL) == 0)
        team_wake(left);
}

static void order(struct member *member)
{
    __atomic_add_fetch(&member->orders, 1, __ATOMIC_ACQ_REL);
    team_wake(&member->orders);
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

static void *serve(void *data)
{
    struct member *self = data;
    struct team *team = self->team;
    uint32_t seen = 0;

    own_number = self->number;
    for (;;) {
        team_await(&self->orders, seen);
        seen++;
        if (team->is_over)
            return NULL;
        if (self->number == 0) {
            do_work(team->call, team->call_data, 0);
            end_one(&team->calls_left);
        } else {
            do_work(team->work, team->data, self->number);
            end_one(&team->left);
        }
    }
}

struct team *team_new(unsigned size)
{
    struct team *team = mem_alloc_zeroed(1, sizeof(*team));

    team->members = mem_alloc_zeroed(size, sizeof(*team->members));
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
    for (unsigned i = 0; i < team->size; i++) {
        order(&team->members[i]);
        pthread_join(team->members[i].thread, NULL);
    }
    free(team->members);
    free(team);
}

unsigned team_size(const struct team *team)
{
    return team->size;
}

void team_call(struct team *team, team_fn *work, void *data)
{
    team->call = work;
    team->call_data = data;
    __atomic_store_n(&team->calls_left, 1, __ATOMIC_RELEASE);
    order(&team->members[0]);
    await_zero(&team->calls_left);
}

void team_share(struct team *team, team_fn *work, void *data, unsigned threads)
{
    unsigned count = threads < team->size ? threads : team->size;

    team->work = work;
    team->data = data;
    __atomic_store_n(&team->left, count - 1, __ATOMIC_RELEASE);
    for (unsigned i = 1; i < count; i++)
        order(&team->members[i]);
    work(data, 0);
    await_zero(&team->left);
}
