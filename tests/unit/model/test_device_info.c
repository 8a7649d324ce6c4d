#include "tests/unit/unit.h"

#include <stdlib.h>

#include "core/model/device_info.h"

static void a_uuid_is_written_as_nvidia_smi_writes_it(void **state)
{
    static const unsigned char bytes[DEVICE_UUID_BYTES] = {
        0x0e, 0x7a, 0x5c, 0xd1, 0x00, 0xff, 0x12, 0x34, 0xab, 0xcd, 1, 2, 3, 4, 5, 6};
    char *text = device_info_uuid(bytes);

    (void)state;
    assert_string_equal(text, "GPU-0e7a5cd1-00ff-1234-abcd-010203040506");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_uuid_is_written_as_nvidia_smi_writes_it),
    };

    return cmocka_run_group_tests_name("device_info", tests, NULL, NULL);
}
