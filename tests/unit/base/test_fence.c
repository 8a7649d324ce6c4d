#include "tests/unit/unit.h"

#include <string.h>

#include "core/base/formats/fence.h"
#include "core/base/mem.h"

static const char *const c_kinds[] = {"c", "opencl", NULL};

static void expect_block(const char *text, const char *lines)
{
    struct fence fence = {0};
    struct error err = {0};

    if (fence_find(text, c_kinds, &fence, &err))
        fail_msg("%s: %s", text, err.text);
    assert_int_equal(fence.len, strlen(lines));
    assert_memory_equal(fence.text, lines, fence.len);
}

static void blocks_are_found(void **state)
{
    (void)state;
    expect_block("```c\nint a;\n```\n", "int a;\n");
    expect_block("~~~c\nint a;\n~~~", "int a;\n");
    expect_block("text\n\n   ``` C extra words\na\n  ```  \t\nmore", "a\n");
    expect_block("```c\n```", "");
    expect_block("```c\r\na\r\n```\r\n", "a\r\n");
    expect_block("```\nother\n```\n```OpenCL\na\n```\n", "a\n");
}

/* CommonMark's rules for the end of a block. */
static void marks_of_other_kinds_are_text(void **state)
{
    (void)state;
    expect_block("`````c\n```\n~~~~~\n````\n`````\n", "```\n~~~~~\n````\n");
    expect_block("```c\n~~~\n```\n", "~~~\n");
    expect_block("```c\n    ```\n```\n", "    ```\n");
    expect_block("```c\n``` x\n```\n", "``` x\n");
    expect_block("```c\na\n``````\n", "a\n");
    expect_block("```c `not a fence`\n```c\na\n```\n", "a\n");
    expect_block("    ```c\n\n~~~c `\na\n~~~", "a\n");
}

static void expect_error(const char *text, enum status status, const char *message)
{
    struct fence fence = {0};
    struct error err = {0};

    assert_int_equal(fence_find(text, c_kinds, &fence, &err), status);
    assert_string_equal(err.text, message);
    assert_null(fence.text);
}

static void errors_say_what_to_change(void **state)
{
    (void)state;
    expect_error("", STATUS_NOT_FOUND,
                 "there is no fenced block marked \"c\", expected exactly one");
    expect_error("```cpp\n```\n", STATUS_NOT_FOUND,
                 "there is no fenced block marked \"c\", expected exactly one");
    expect_error("```c\na\n```\n\n```c\nb\n```\n", STATUS_INVALID,
                 "there are 2 fenced blocks marked \"c\", the first at line 1 and the last at line "
                 "5, expected exactly one");
    expect_error("a\n```c\na\n", STATUS_INVALID,
                 "the fenced block that begins at line 2 has no end: was the text cut off?");
    expect_error("```c\na\n```\n```json", STATUS_INVALID,
                 "the fenced block that begins at line 4 has no end: was the text cut off?");
}

/* Parsing takes linear time: quadratic time would exceed the test's limit. */
static void large_texts_are_read(void **state)
{
    size_t size = 10 << 20;
    char *text = mem_alloc_zeroed(size + 1, 1);
    struct fence fence = {0};

    (void)state;
    for (size_t i = 0; i < size; i++)
        text[i] = i % 4 == 3 ? '\n' : '`';
    assert_int_equal(fence_find(text, c_kinds, &fence, NULL), STATUS_NOT_FOUND);
    memset(text, '`', size);
    assert_int_equal(fence_find(text, c_kinds, &fence, NULL), STATUS_INVALID);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_found),
        cmocka_unit_test(marks_of_other_kinds_are_text),
        cmocka_unit_test(errors_say_what_to_change),
        cmocka_unit_test(large_texts_are_read),
    };

    return cmocka_run_group_tests_name("fence", tests, NULL, NULL);
}
