#include "tui/term/graphics.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/formats/base64.h"
#include "tests/unit/unit.h"

/* A PNG's signature and header: 1280 x 860. */
#define HEADER "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x05\0\0\0\x03\x5c"

static void a_terminal_says_what_it_draws(void **state)
{
    (void)state;
    assert_int_equal(graphics_read_answer("\033_Gi=31;OK\033\\\033[?62;c"), GRAPHICS_KITTY);
    assert_int_equal(graphics_read_answer("\033[?63;1;2;4;6;9c"), GRAPHICS_SIXEL);
    assert_int_equal(graphics_read_answer("\033[?4c"), GRAPHICS_SIXEL);
    assert_int_equal(graphics_read_answer("\033[?64;1;14;24;c"), GRAPHICS_NONE);
    assert_int_equal(graphics_read_answer("\033_Gi=31;EINVAL:no\033\\\033[?1;2c"), GRAPHICS_NONE);
    assert_int_equal(graphics_read_answer(""), GRAPHICS_NONE);
}

/* The parts of kitty's protocol together are the file, in parts of at most 4096 bytes. */
static void a_picture_for_kitty_is_the_file_in_parts(void **state)
{
    static const struct graphics_room room = {
        .columns = 80, .lines = 24, .width = 640, .height = 384};
    struct strbuf png = {0}, out = {0}, joined = {0}, file = {0};
    unsigned parts = 0;

    (void)state;
    strbuf_add(&png, HEADER, sizeof(HEADER) - 1);
    for (unsigned i = 0; i < 1000; i++)
        strbuf_adds(&png, "0123456789");
    graphics_add_kitty(png.data, png.len, &room, &out);
    assert_non_null(strstr(out.data, "a=T,f=100,q=2,c=65,r=22,m=1;"));
    for (char *at = out.data; (at = strstr(at, "\033_G")); parts++) {
        char *begin = strchr(at, ';') + 1, *end = strstr(begin, "\033\\");

        assert_true(end - begin <= 4096);
        strbuf_add(&joined, begin, (size_t)(end - begin));
        at = end;
    }
    assert_int_equal(parts, 4);
    assert_true(base64_decode(&file, strbuf_cstr(&joined)));
    assert_int_equal(file.len, png.len);
    assert_memory_equal(file.data, png.data, png.len);
    strbuf_release(&png);
    strbuf_release(&out);
    strbuf_release(&joined);
    strbuf_release(&file);
}

static void a_large_picture_is_made_to_fit(void **state)
{
    static const struct graphics_room room = {
        .columns = 80, .lines = 24, .width = 640, .height = 384};
    static const struct graphics_room large = {
        .columns = 300, .lines = 100, .width = 2400, .height = 1600};

    (void)state;
    assert_int_equal(graphics_fitting_width(HEADER, sizeof(HEADER) - 1, &room), 523);
    assert_int_equal(graphics_fitting_width(HEADER, sizeof(HEADER) - 1, &large), 1280);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminal_says_what_it_draws),
        cmocka_unit_test(a_picture_for_kitty_is_the_file_in_parts),
        cmocka_unit_test(a_large_picture_is_made_to_fit),
    };

    return cmocka_run_group_tests_name("graphics", tests, NULL, NULL);
}
