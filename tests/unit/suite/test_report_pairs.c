#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/suite/report/report_pairs.h"

enum { REPEATS = 2, TASKS = 2 * REPEATS };

static const char text[] =
    "{\"kforge\": 1, \"name\": \"n\", \"problems\": [\"p\"], \"repeats\": 2, "
    "\"arms\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}";

static const char *const baselines[] = {"reference", "library"};

struct fixture {
    struct suite suite;
    struct report_row rows[TASKS];
    struct report_pairs pairs;
};

/* A task whose kernel is `speedup` times as fast as the plain kernel, which the library is 4 times.
 */
static void set_row(struct fixture *f, size_t task, double speedup, const char *strongest)
{
    struct report_row *row = &f->rows[task];
    bool has_library = strcmp(strongest, "library") == 0;
    const struct report_speedup plain = {mem_strdup("reference"), {speedup, 0, 0}};
    const struct report_speedup library = {mem_strdup("library"), {speedup / 4, 0, 0}};

    *row = (struct report_row){.at = suite_task_at(&f->suite, task),
                               .phase = TASK_HAS_ENDED,
                               .until_correct = 1,
                               .speedup = {has_library ? speedup / 4 : speedup, 0, 0},
                               .over = mem_strdup(strongest)};
    vec_push(&row->speedups, plain);
    if (has_library)
        vec_push(&row->speedups, library);
    else
        free(library.over);
}

static void make(struct fixture *f, const char *const strongest[TASKS])
{
    const struct pair_rows rows = {&f->suite, f->rows, baselines, 2};
    struct error err;

    assert_int_equal(suite_parse(&f->suite, text, strlen(text), "s.json", &err), STATUS_OK);
    for (size_t i = 0; i < TASKS; i++)
        set_row(f, i, i % 2 ? 8 : 16, strongest[i]);
    report_pairs_make(&f->pairs, &rows);
    assert_int_equal(f->pairs.count, 1);
}

static void release(struct fixture *f)
{
    for (size_t i = 0; i < TASKS; i++)
        report_row_release(&f->rows[i]);
    vec_release(&f->pairs);
    suite_release(&f->suite);
}

static void assert_twice(const struct fixture *f)
{
    assert_int_equal(f->pairs.items[0].problems, 1);
    assert_true(fabs(f->pairs.items[0].ratio.value - 2) < 1e-9);
}

/* The first arm is twice as fast, also where only one session knew the library's time. */
static void arms_are_compared_over_the_same_baseline(void **state)
{
    static const char *const same[] = {"library", "library", "library", "library"};
    static const char *const mixed[] = {"library", "reference", "library", "library"};
    struct fixture f = {0}, g = {0};

    (void)state;
    make(&f, same);
    assert_twice(&f);
    make(&g, mixed);
    assert_twice(&g);
    release(&f);
    release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arms_are_compared_over_the_same_baseline),
    };

    return cmocka_run_group_tests_name("report_pairs", tests, NULL, NULL);
}
