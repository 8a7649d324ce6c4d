#include "tests/unit/unit.h"

#include <sched.h>

#include "backends/host/team.h"

enum { THREADS = 2, TRIES = 20 };

struct places {
    struct team *team;
    int cores[THREADS];
    unsigned apart; /* tries after which the threads ran on different cores */
};

/* Move to the first core that is allowed, and stay free to leave it. */
static void gather(void *data, unsigned number)
{
    cpu_set_t allowed, first;
    unsigned core = 0;

    (void)data;
    (void)number;
    assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    while (!CPU_ISSET(core, &allowed))
        core++;
    CPU_ZERO(&first);
    CPU_SET(core, &first);
    assert_int_equal(sched_setaffinity(0, sizeof(first), &first), 0);
    assert_int_equal(sched_setaffinity(0, sizeof(allowed), &allowed), 0);
}

static void note(void *data, unsigned number)
{
    ((struct places *)data)->cores[number] = sched_getcpu();
}

static void gather_and_spread(void *data, unsigned number)
{
    struct places *places = data;

    (void)number;
    for (unsigned i = 0; i < TRIES; i++) {
        team_spread(places->team, false);
        team_share(places->team, gather, NULL, THREADS);
        team_spread(places->team, true);
        team_share(places->team, note, places, THREADS);
        places->apart += places->cores[0] != places->cores[1];
    }
}

static void threads_stay_on_cores_of_their_own(void **state)
{
    struct places places = {.team = team_new(THREADS)};
    cpu_set_t allowed;

    (void)state;
    assert_non_null(places.team);
    if (sched_getaffinity(0, sizeof(allowed), &allowed) || CPU_COUNT(&allowed) < THREADS)
        skip();
    team_call(places.team, gather_and_spread, &places);
    assert_int_equal(places.apart, TRIES);
    team_free(places.team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_stay_on_cores_of_their_own),
    };

    return cmocka_run_group_tests_name("team", tests, NULL, NULL);
}
