#include "core/judge/tools/kept_profile.h"

#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/system/file.h"

struct fixture {
    char folder[64];
    struct device_info device;
    struct problem problem;
    struct json *dispatch;
    struct profiled_code code;
};

static int set_up(void **state)
{
    struct fixture *f = mem_alloc_zeroed(1, sizeof(*f));

    snprintf(f->folder, sizeof(f->folder), "/tmp/kforge-profiles-XXXXXX");
    *state = f;
    f->device = (struct device_info){.id = (char *)(uintptr_t) "cuda:0",
                                     .name = (char *)(uintptr_t) "H100",
                                     .platform = (char *)(uintptr_t) "driver 570"};
    f->problem.document = json_object_new();
    f->dispatch = json_object_new();
    f->code = (struct profiled_code){&f->device,  &f->problem, "cuda", "__global__ void f() {}",
                                     f->dispatch, false};
    return mkdtemp(f->folder) ? setenv("XDG_CACHE_HOME", f->folder, 1) : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    file_remove_folder(f->folder);
    json_free(f->problem.document);
    json_free(f->dispatch);
    free(f);
    return 0;
}

static void keep(const struct profiled_code *code, const char *missing)
{
    struct profile profile = {.is_present = true, .source = mem_strdup("ncu")};
    struct kernel_profile kernel = {.name = mem_strdup("f"), .us = 5};

    profile.missing = missing ? mem_strdup(missing) : NULL;
    vec_push(&profile.kernels, kernel);
    kept_profile_keep(code, &profile);
    profile_release(&profile);
}

static bool has(const struct profiled_code *code)
{
    struct profile profile = {0};
    bool found = kept_profile_recall(code, &profile);

    if (found) {
        assert_true(profile.is_present && profile.is_kept);
        assert_string_equal(profile.kernels.items[0].name, "f");
    }
    profile_release(&profile);
    return found;
}

static void a_profile_is_of_one_kernel_plan_problem_and_device(void **state)
{
    struct fixture *f = *state;
    struct profiled_code other = f->code;

    assert_false(has(&f->code));
    keep(&f->code, NULL);
    assert_true(has(&f->code));
    other.source = "__global__ void f() { }";
    assert_false(has(&other));
    other = f->code;
    other.without_lines = true;
    assert_false(has(&other));
    json_put_number(f->dispatch, "shared", 1024);
    assert_false(has(&f->code));
    json_put_number(f->dispatch, "shared", 0);
    keep(&f->code, NULL);
    assert_true(has(&f->code));
    json_put_number(f->problem.document, "m", 4096);
    assert_false(has(&f->code));
    keep(&f->code, NULL);
    f->device.platform = (char *)(uintptr_t) "driver 580";
    assert_false(has(&f->code));
}

static void an_incomplete_profile_is_not_kept(void **state)
{
    struct fixture *f = *state;

    keep(&f->code, "no permission");
    assert_false(has(&f->code));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_profile_is_of_one_kernel_plan_problem_and_device, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_incomplete_profile_is_not_kept, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("kept_profile", tests, NULL, NULL);
}
