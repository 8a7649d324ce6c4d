#include "tests/unit/unit.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/file.h"
#include "core/template/template.h"

static struct json *parse(const char *text)
{
    struct json *json = json_parse(text, strlen(text), NULL);

    assert_non_null(json);
    return json;
}

static void expect_output(const char *template, const char *variables, const char *output)
{
    struct json *json = parse(variables);
    struct strbuf out = {0};
    struct error err = {0};

    if (template_render_text(template, "t.j2", json, &out, &err))
        fail_msg("%s", err.text);
    assert_string_equal(strbuf_cstr(&out), output);
    strbuf_release(&out);
    json_free(json);
}

static void expect_error(const char *template, const char *text)
{
    struct json *json = parse("{\"run\": {\"us\": 2}, \"list\": [1, 2]}");
    struct strbuf out = {0};
    struct error err = {0};

    strbuf_adds(&out, "before");
    assert_int_not_equal(template_render_text(template, "t.j2", json, &out, &err), STATUS_OK);
    assert_string_equal(err.text, text);
    assert_string_equal(strbuf_cstr(&out), "before");
    strbuf_release(&out);
    json_free(json);
}

static void renders_a_prompt(void **state)
{
    (void)state;
    expect_output("# {{ task }}\n"
                  "{% for r in runs if r.ok %}\n"
                  "  - {{ r.name }}: {{ r.us | round(1) }} us\n"
                  "{% else %}\n"
                  "none\n"
                  "{% endfor %}\n",
                  "{\"task\": \"GEMM\", \"runs\": [{\"name\": \"a\", \"ok\": true, \"us\": 1.25},"
                  "{\"name\": \"b\", \"ok\": false}]}",
                  "# GEMM\n  - a: 1.2 us\n");
}

static void appends_to_what_is_there(void **state)
{
    struct strbuf out = {0};

    (void)state;
    strbuf_adds(&out, "one ");
    assert_int_equal(template_render_text("two", "t.j2", NULL, &out, NULL), STATUS_OK);
    assert_string_equal(strbuf_cstr(&out), "one two");
    strbuf_release(&out);
}

static void numbers_without_fraction_are_integers(void **state)
{
    (void)state;
    expect_output("{{ n }} {{ n / 2 }} {{ f }}", "{\"n\": 8.0, \"f\": 0.1}", "8 4.0 0.1");
}

static void numbers_ignore_the_users_language(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        skip();
    expect_output("{{ f }} {{ 1.5 + 1 }}", "{\"f\": 0.25}", "0.25 2.5");
    setlocale(LC_ALL, "C");
}

static void names_the_variable_that_is_missing(void **state)
{
    (void)state;
    expect_error("{{ verdict }}", "t.j2:1: no variable \"verdict\"");
    expect_error("a\n{# b\n#}\n{% if run %}\n{{ run.mean }}\n{% endif %}",
                 "t.j2:5: no attribute \"mean\" in run");
    expect_error("{{ run.us.mean }}", "t.j2:1: no attribute \"mean\" in run.us");
    expect_error("{{ list[7] }}", "t.j2:1: no key \"7\" in list");
    expect_error("{% macro m(a) %}\n{{ a }}{% endmacro %}{{ m() }}", "t.j2:2: no argument \"a\"");
}

static void names_what_is_unknown(void **state)
{
    (void)state;
    expect_error(
        "\n{{ 1 | nothing }}",
        "t.j2:2: unknown filter \"nothing\": kforge knows default, first, indent, join, last, "
        "length, lower, replace, round, tojson, trim, upper");
    expect_error("{{ 1 is nothing }}",
                 "t.j2:1: unknown test \"nothing\": kforge knows boolean, defined, float, "
                 "integer, mapping, none, number, sequence, string, undefined");
    expect_error("{% nothing %}",
                 "t.j2:1: unknown or misplaced tag \"nothing\": kforge knows for, if, "
                 "elif, else, include, macro, raw, set");
    expect_error("{{ nothing() }}", "t.j2:1: no macro \"nothing\"");
    expect_error("{{ 'a' | indent(3, 4) }}", "t.j2:1: indent: more than 1 arguments");
    expect_error("{{ 'a' | replace(1) }}", "t.j2:1: replace: fewer than 2 arguments");
}

static void points_at_syntax_errors(void **state)
{
    (void)state;
    expect_error("x\n{{ 1 + }}", "t.j2:2: expected an expression, found }}");
    expect_error("{% if run %}\n\n", "t.j2:3: no {% endif %} for the tag on line 1");
    expect_error("\n{# never closed", "t.j2:2: a comment has no #}");
    expect_error("{{ (1 ]", "t.j2:1: expected \")\", found \"]\"");
    expect_error("{{ 'abc }}", "t.j2:1: a string has no closing quote");
    expect_error("{% for x list %}", "t.j2:1: expected \"in\", found \"list\"");
}

static void says_which_types_do_not_fit(void **state)
{
    (void)state;
    expect_error("{{ list + 1 }}", "t.j2:1: list + int is not possible");
    expect_error("{{ 1 // 0 }}", "t.j2:1: division by zero");
    expect_error("{{ 9223372036854775807 + 1 }}",
                 "t.j2:1: the result of + needs more than 64 bits");
    expect_error("{{ list }}", "t.j2:1: list cannot be printed: use the filter join or tojson");
    expect_error("{{ list == list }}", "t.j2:1: list cannot be compared");
    expect_error("{{ list() }}", "t.j2:1: list is not a macro: its type is list");
}

/* Valid Jinja outside of the supported subset: the error names the replacement. */
static void refuses_what_the_subset_leaves_out(void **state)
{
    (void)state;
    expect_error("{{ 1 < 2 < 3 }}", "t.j2:1: two comparisons in a row: join them with \"and\"");
    expect_error("{{ 'a'.upper() }}",
                 "t.j2:1: no such method: write a filter instead, as in text | upper");
    expect_error("{{ {'a': 1} }}",
                 "t.j2:1: a dict cannot be written in a template: use one of the variables");
    expect_error("{% set x %}a{% endset %}",
                 "t.j2:1: set needs \"= value\": write a macro to keep a block of text");
    expect_error("{{ 'a' | replace('', 'b') }}",
                 "t.j2:1: replace needs a text to look for, found an empty one");
}

/* `body` in 256 rounds, with 2^`doublings` letters in `s`. */
static void expect_growth_error(int doublings, const char *body, const char *text)
{
    struct strbuf template = {0};

    strbuf_adds(&template, "{% set s = 'x' %}");
    for (int i = 0; i < doublings; i++)
        strbuf_adds(&template, "{% set s = s ~ s %}");
    for (int i = 0; i < 8; i++)
        strbuf_adds(&template, "{% for x in list %}");
    strbuf_adds(&template, body);
    for (int i = 0; i < 8; i++)
        strbuf_adds(&template, "{% endfor %}");
    expect_error(strbuf_cstr(&template), text);
    strbuf_release(&template);
}

/* Without limits, each would run very long, or exhaust memory or the stack. */
static void hostile_templates_end(void **state)
{
    struct strbuf deep = {0};

    (void)state;
    expect_error("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
                 "t.j2:1: nested more than 1000 levels deep");
    expect_growth_error(30, "", "t.j2:1: more than 16 MiB of text");
    expect_growth_error(23, "{{ s }}{{ s }}", "t.j2:1: more than 16 MiB of text");
    expect_growth_error(16, "{{ s | replace('x', s) }}", "t.j2:1: more than 16 MiB of text");
    expect_growth_error(23, "{% set t = s ~ 'y' %}", "t.j2:1: more than 256 MiB of memory");
    expect_growth_error(23, "{% if s %}{% endif %}", "t.j2:1: more than 20 million steps");
    for (int i = 0; i < 100000; i++)
        strbuf_adds(&deep, i ? "(" : "{{ ");
    expect_error(strbuf_cstr(&deep), "t.j2:1: nested more than 100 levels deep");
    strbuf_release(&deep);
    for (int i = 0; i < 100000; i++)
        strbuf_adds(&deep, i ? "not " : "{{ ");
    expect_error(strbuf_cstr(&deep), "t.j2:1: nested more than 100 levels deep");
    strbuf_release(&deep);
    for (int i = 0; i < 100000; i++)
        strbuf_adds(&deep, i ? "+1" : "{{ 1");
    strbuf_adds(&deep, " }}");
    expect_error(strbuf_cstr(&deep), "t.j2:1: nested more than 1000 levels deep");
    strbuf_release(&deep);
}

struct folder {
    char path[32];
};

static void put(const struct folder *folder, const char *name, const char *text)
{
    char *path = file_join(folder->path, name);

    assert_int_equal(file_write(path, text, strlen(text), NULL), STATUS_OK);
    free(path);
}

static int make_folder(void **state)
{
    static struct folder folder;

    snprintf(folder.path, sizeof(folder.path), "/tmp/template.XXXXXX");
    *state = &folder;
    return mkdtemp(folder.path) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"main.j2", "part.j2", "self.j2"};
    const struct folder *folder = *state;

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        char *path = file_join(folder->path, names[i]);

        unlink(path);
        free(path);
    }
    return rmdir(folder->path);
}

static void expect_file_error(const struct folder *folder, const char *name, const char *text)
{
    struct strbuf out = {0};
    struct error err = {0};

    assert_int_not_equal(template_render(folder->path, name, NULL, &out, &err), STATUS_OK);
    assert_string_equal(err.text, text);
    strbuf_release(&out);
}

static void includes_files_of_the_folder(void **state)
{
    const struct folder *folder = *state;
    struct strbuf out = {0};

    put(folder, "main.j2", "{% set x = 1 %}\n{% include \"part.j2\" %}\nend\n");
    put(folder, "part.j2", "x is {{ x }}\n");
    assert_int_equal(template_render(folder->path, "main.j2", NULL, &out, NULL), STATUS_OK);
    assert_string_equal(strbuf_cstr(&out), "x is 1\nend\n");
    strbuf_release(&out);
}

static void errors_name_the_file_they_are_in(void **state)
{
    const struct folder *folder = *state;

    put(folder, "main.j2", "\n{% include \"part.j2\" %}");
    put(folder, "part.j2", "\n\n{{ gone }}");
    expect_file_error(folder, "main.j2", "part.j2:3: no variable \"gone\"");
    put(folder, "part.j2", "{% if 1 %}");
    expect_file_error(folder, "main.j2", "part.j2:1: no {% endif %} for the tag on line 1");
    put(folder, "part.j2", "{% include \"self.j2\" %}");
    put(folder, "self.j2", "\n{% include \"self.j2\" %}");
    expect_file_error(folder, "main.j2",
                      "self.j2:2: more than 20 includes inside each other: "
                      "does \"self.j2\" include itself?");
}

static void includes_stay_in_the_folder(void **state)
{
    const struct folder *folder = *state;

    put(folder, "main.j2", "{% include \"../etc/passwd\" %}");
    expect_file_error(folder, "main.j2",
                      "main.j2:1: no template \"../etc/passwd\" can be included");
    put(folder, "main.j2", "{% include \"gone.j2\" %}");
    expect_file_error(folder, "main.j2", "main.j2:1: no template \"gone.j2\" in this folder");
    expect_file_error(folder, "gone.j2", "no template \"gone.j2\" in this folder");
    expect_error("{% include \"main.j2\" %}", "t.j2:1: no template \"main.j2\" can be included");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renders_a_prompt),
        cmocka_unit_test(appends_to_what_is_there),
        cmocka_unit_test(numbers_without_fraction_are_integers),
        cmocka_unit_test(numbers_ignore_the_users_language),
        cmocka_unit_test(names_the_variable_that_is_missing),
        cmocka_unit_test(names_what_is_unknown),
        cmocka_unit_test(points_at_syntax_errors),
        cmocka_unit_test(says_which_types_do_not_fit),
        cmocka_unit_test(refuses_what_the_subset_leaves_out),
        cmocka_unit_test(hostile_templates_end),
        cmocka_unit_test_setup_teardown(includes_files_of_the_folder, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(errors_name_the_file_they_are_in, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(includes_stay_in_the_folder, make_folder, remove_folder),
    };

    return cmocka_run_group_tests_name("template", tests, NULL, NULL);
}
