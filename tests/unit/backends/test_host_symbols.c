#include "tests/unit/unit.h"

#include <dlfcn.h>
#include <string.h>

#include "backends/opencl/host_symbols.h"

typedef void *find_function(const char *name);

/* A driver may look for its own functions; of the process it sees what compilers call. */
static void a_driver_finds_no_functions_of_the_process(void **state)
{
    void *driver = dlopen(LINKING_DRIVER, RTLD_NOW | RTLD_GLOBAL);
    void *address = driver ? dlsym(driver, "driver_find") : NULL;
    find_function *find;

    (void)state;
    if (!address)
        fail_msg("%s", dlerror());
    memcpy(&find, &address, sizeof(find));
    assert_non_null(find("getppid"));
    host_symbols_hide(address);
    assert_null(find("getppid"));
    assert_null(find("pthread_create"));
    assert_non_null(find("memcpy"));
    assert_ptr_equal(find("driver_find"), address);
    dlclose(driver);
}

static void the_system_s_own_drivers_are_left_alone(void **state)
{
    (void)state;
    host_symbols_hide(NULL);
    host_symbols_hide(dlsym(RTLD_DEFAULT, "getppid"));
    assert_non_null(dlsym(RTLD_DEFAULT, "getppid"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_finds_no_functions_of_the_process),
        cmocka_unit_test(the_system_s_own_drivers_are_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
