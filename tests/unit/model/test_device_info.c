#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

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

static void read_device(const char *text, struct device_info *info)
{
    struct json *json = json_parse(text, strlen(text), NULL);
    struct json_ref root = json_ref_root(json, "device");

    assert_int_equal(device_info_decode(info, &root, NULL), STATUS_OK);
    json_free(json);
}

/* The device of an older kforge has one language. */
static void a_device_takes_its_own_language_and_those_listed(void **state)
{
    struct device_info old = {0}, both = {0};
    struct strbuf titles = {0};

    (void)state;
    read_device("{\"id\":\"cuda:0\",\"name\":\"n\",\"platform\":\"p\",\"language\":\"cuda\"}",
                &old);
    assert_true(device_info_takes(&old, "cuda"));
    assert_false(device_info_takes(&old, "opencl"));
    device_info_list_languages(&old, &titles);
    device_info_add_language(&old, "opencl");
    assert_true(device_info_takes(&old, "cuda") && device_info_takes(&old, "opencl"));
    strbuf_adds(&titles, "; ");
    device_info_list_languages(&old, &titles);
    assert_string_equal(strbuf_cstr(&titles), "CUDA C++; CUDA C++ and OpenCL C");
    read_device("{\"id\":\"x:0\",\"name\":\"n\",\"platform\":\"p\",\"language\":\"cuda\","
                "\"languages\":[\"cuda\",\"brook\"]}",
                &both);
    assert_true(device_info_takes(&both, "brook"));
    device_info_release(&old);
    device_info_release(&both);
    strbuf_release(&titles);
}

/* Another device is the first one where a variable hides those of a language. */
static void a_hidden_device_is_said_to_be_hidden(void **state)
{
    struct device_info other = {0};
    struct error err;

    (void)state;
    read_device("{\"id\":\"cuda:0\",\"name\":\"n\",\"platform\":\"p\",\"language\":\"cuda\"}",
                &other);
    assert_int_equal(setenv("POCL_DEVICES", "nosuch", 1), 0);
    assert_int_equal(device_info_check_language(&other, "opencl", &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "POCL_DEVICES=\"nosuch\""));
    assert_int_equal(unsetenv("POCL_DEVICES"), 0);
    assert_int_equal(device_info_check_language(&other, "cuda", &err), STATUS_OK);
    device_info_release(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_takes_its_own_language_and_those_listed),
        cmocka_unit_test(a_hidden_device_is_said_to_be_hidden),
        cmocka_unit_test(a_uuid_is_written_as_nvidia_smi_writes_it),
    };

    return cmocka_run_group_tests_name("device_info", tests, NULL, NULL);
}
