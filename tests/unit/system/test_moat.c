#include "tests/unit/unit.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/system/memory/moat.h"

/* The sanitizer's own memory takes more addresses than any limit that would change a moat. */
#ifdef __SANITIZE_ADDRESS__
enum { CAN_LIMIT = 0 };
#else
enum { CAN_LIMIT = 1 };
#endif

/* In a child with few addresses: use as many buffers as a large problem has. */
static int use_buffers(void)
{
    enum { BUFFERS = 40, SIZE = 1 << 20 };
    const rlim_t few = (rlim_t)4 << 30;
    const struct rlimit limit = {few, few};

    if (setrlimit(RLIMIT_AS, &limit) || moat_address_limit() != few)
        return 2;
    for (size_t i = 0; i < BUFFERS; i++) {
        struct moat *moat = moat_new(SIZE);

        if (!moat)
            return 1;
        memset(moat_bytes(moat), 1, SIZE);
    }
    return 0;
}

/* `ulimit -v` makes moats smaller, and does not leave the buffers without room. */
static void buffers_have_room_where_addresses_are_few(void **state)
{
    int status = 0;
    pid_t pid;

    (void)state;
    if (!CAN_LIMIT)
        skip();
    pid = fork();
    if (pid == 0)
        _exit(use_buffers());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(buffers_have_room_where_addresses_are_few)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
