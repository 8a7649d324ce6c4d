#include "tests/unit/unit.h"

#include <locale.h>
#include <string.h>

#include "tui/code/lexer_states.h"

/* Assert the roles of a line's columns, one letter for each; '.' is plain text. */
static void assert_roles_from(unsigned state, const char *language, const char *line,
                              const char *expected)
{
    static const char letters[ROLE_COUNT] = {
        [ROLE_TEXT] = '.',   [ROLE_KEYWORD] = 'k', [ROLE_TYPE] = 't',    [ROLE_BUILTIN] = 'b',
        [ROLE_NUMBER] = 'n', [ROLE_STRING] = 's',  [ROLE_COMMENT] = 'c', [ROLE_DIRECTIVE] = 'd',
    };
    char found[128] = {0};
    struct canvas canvas = {0};
    struct pen pen;

    canvas_reset(&canvas, 120, 1);
    pen = area_pen(canvas_area(&canvas, (struct rect){0, 0, 120, 1}), 0, 0);
    lexer_put_line(&pen, &(struct lexer){.language = lexer_language(language),
                                         .state = state,
                                         .text = line,
                                         .len = strlen(line)});
    for (size_t x = 0; x < strlen(line); x++)
        found[x] = letters[canvas_cell(&canvas, (int)x, 0)->role];
    assert_string_equal(found, expected);
    canvas_release(&canvas);
}

static void assert_roles(const char *language, const char *line, const char *expected)
{
    assert_roles_from(0, language, line, expected);
}

static unsigned next_state(const char *language, unsigned state, const char *line)
{
    return lexer_next_line(lexer_language(language), state, line, strlen(line));
}

static void knows_opencl(void **state)
{
    (void)state;
    assert_roles("opencl-c", "__kernel void f(__global float4 *x)",
                 "kkkkkkkk.tttt...kkkkkkkk.tttttt....");
    assert_roles("opencl-c", "int i = get_global_id(0);", "ttt.....bbbbbbbbbbbbb.n..");
    assert_roles("opencl-c", "y = vload8(i, x) * 1.5e-3f;", "....bbbbbb.........nnnnnnn.");
    assert_roles("opencl-c", "float4x = floats + printf;", "...................bbbbbb.");
}

static void knows_c(void **state)
{
    (void)state;
    assert_roles("c", "static const uint8_t x = sqrtf(2);", "kkkkkk.kkkkk.ttttttt.....bbbbb.n..");
    assert_roles("c", "float4 kernel;", "..............");
}

static void knows_cuda(void **state)
{
    (void)state;
    assert_roles("cuda-c++", "__global__ void f(const float4 *x)",
                 "kkkkkkkkkk.tttt...kkkkk.tttttt....");
    assert_roles("cuda-c++", "auto t = threadIdx.x; __syncthreads();",
                 "kkkk.....bbbbbbbbb....bbbbbbbbbbbbb...");
    assert_roles("cuda-c++", "__shfl_down_sync(m, v, 16)", "bbbbbbbbbbbbbbbb.......nn.");
}

static void knows_metal(void **state)
{
    (void)state;
    assert_roles("metal", "kernel void f(device half4 *x [[buffer(0)]])",
                 "kkkkkk.tttt...kkkkkk.ttttt......bbbbbb.n....");
    assert_roles("metal", "threadgroup_barrier(mem_flags::mem_none);",
                 "bbbbbbbbbbbbbbbbbbb.bbbbbbbbb..bbbbbbbb..");
}

static void knows_python(void **state)
{
    unsigned inside = next_state("python", 0, "def f():  \"\"\"one");

    (void)state;
    assert_roles("python", "@triton.jit # once", "ddddddd.....cccccc");
    assert_roles("python", "def f(x: float): return None", "kkk......ttttt...kkkkkk.kkkk");
    assert_roles("python", "s = 'it\\'s' + \"#\"", "....sssssss...sss");
    assert_roles_from(inside, "python", "two\"\"\" + 1", "ssssss...n");
    assert_int_equal(next_state("python", inside, "still 'inside'"), inside);
    assert_int_equal(next_state("python", inside, "two\"\"\" # over"), 0);
    assert_int_equal(next_state("python", 0, "'''a''' \"\"\"b\"\"\" 'c' # '''"), 0);
}

static void knows_ptx(void **state)
{
    (void)state;
    assert_roles("ptx", "ld.global.f32 %f1, [%rd1+4]; // x", "kkttttttttttt.bbb...bbbb.n...cccc");
    assert_roles("ptx", "@%p1 bra $L_2;", ".bbb.kkk.dddd.");
    assert_roles("ptx", ".visible .entry f(.param .u64 p)", "tttttttt.tttttt...tttttt.tttt...");
}

static void finds_comments_strings_and_directives(void **state)
{
    static const char *const families[] = {"c", "opencl-c", "cuda-c++", "metal"};

    (void)state;
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        assert_roles(families[i], "a /* b */ + c // d", "..ccccccc.....cccc");
        assert_roles(families[i], "s = \"a\\\"/*b\" + 'c'", "....ssssssss...sss");
        assert_roles(families[i], "  #define N 4 /* n */ 5", "..ddddddddddddcccccccdd");
        assert_roles(families[i], "\"never closed", "sssssssssssss");
    }
    assert_roles("c", "a # b", ".....");
}

static void state_crosses_lines(void **state)
{
    unsigned comment = next_state("opencl-c", 0, "int a; /* b");
    unsigned directive = next_state("opencl-c", 0, "#define A \\");
    unsigned raw = next_state("cuda-c++", 0, "auto s = R\"(one");

    (void)state;
    assert_int_not_equal(comment, 0);
    assert_int_equal(next_state("opencl-c", comment, "b"), comment);
    assert_int_equal(next_state("opencl-c", comment, ""), comment);
    assert_int_equal(next_state("opencl-c", comment, "b */"), 0);
    assert_roles_from(comment, "opencl-c", "still */ int", "cccccccc.ttt");
    assert_int_not_equal(directive, 0);
    assert_int_equal(next_state("opencl-c", directive, "b"), 0);
    assert_int_equal(next_state("opencl-c", 0, "#if 0 /*"), comment);
    assert_int_equal(next_state("opencl-c", 0, "// not /* this"), 0);
    assert_int_equal(next_state("opencl-c", 0, "\"nor /* this\""), 0);
    assert_int_equal(next_state("cuda-c++", raw, "\" /*"), raw);
    assert_int_equal(next_state("cuda-c++", raw, ")\" + x"), 0);
}

/* The lexer finds words by binary search. */
static void words_are_sorted(void **state)
{
    (void)state;
    for (const struct lexer_language *language = lexer_languages; language->name; language++)
        for (size_t i = 0; i < LEXER_WORD_LISTS && language->words[i]; i++)
            for (size_t j = 1; j < language->words[i]->count; j++)
                assert_true(strcmp(language->words[i]->words[j - 1], language->words[i]->words[j]) <
                            0);
}

static void every_span_has_its_opener(void **state)
{
    (void)state;
    for (const struct lexer_language *language = lexer_languages; language->name; language++)
        for (size_t i = 0; i < LEXER_SPANS && language->spans[i].open; i++)
            assert_non_null(strchr(language->openers, language->spans[i].open[0]));
}

/*
 * From each start in malformed bytes, the lexer reaches the end, with tokens of at least one byte
 * that stay inside the text.
 */
/* The bytes of a character stay together, also in a name. */
static void names_have_letters_of_any_script(void **state)
{
    static const char line[] = "int \u00e9t\u00e9_2 = \u884c(x);";
    struct canvas canvas = {0};
    struct strbuf shown = {0};
    struct pen pen;

    (void)state;
    canvas_reset(&canvas, 20, 1);
    pen = area_pen(canvas_area(&canvas, (struct rect){0, 0, 20, 1}), 0, 0);
    lexer_put_line(&pen, &(struct lexer){.language = lexer_language("opencl-c"),
                                         .text = line,
                                         .len = sizeof(line) - 1});
    for (int x = 0; x < 18; x++)
        cell_add_text(canvas_cell(&canvas, x, 0), &shown);
    assert_memory_equal(strbuf_cstr(&shown), line, sizeof(line) - 1);
    strbuf_release(&shown);
    canvas_release(&canvas);
}

static void takes_any_bytes(void **state)
{
    static const char bytes[] = "\"\\\0#/*\xff'\\1.e+.*//R\"(%@$'''\\";

    (void)state;
    for (const struct lexer_language *language = lexer_languages; language->name; language++) {
        for (size_t from = 0; from < sizeof(bytes); from++) {
            struct lexer reader = {
                .language = language, .text = bytes + from, .len = sizeof(bytes) - from};
            struct lexer_token token;
            size_t taken = 0;

            for (; lexer_read(&reader, &token); taken += token.len)
                assert_true(token.len > 0);
            assert_int_equal(taken, reader.len);
            assert_int_equal(lexer_next_line(language, 0, reader.text, 0), 0);
        }
    }
}

enum { KERNEL_LINES = 5000 };

/* A long kernel whose line `at` is `line`. */
static void write_kernel(struct strbuf *out, size_t at, const char *line)
{
    out->len = 0;
    for (size_t i = 0; i < KERNEL_LINES; i++)
        strbuf_addf(out, "%s\n",
                    i == at  ? line
                    : i % 50 ? "    acc += x[i] * y[i];"
                             : "/* next */");
}

/* The incremental states must equal those of a complete new scan. */
static void assert_as_read_anew(const struct lexer_states *states)
{
    struct lexer_states anew = {0};

    lexer_states_update(&anew, states->language, strbuf_cstr(&states->text), states->text.len);
    assert_int_equal(anew.count, states->count);
    assert_memory_equal(anew.items, states->items, anew.count * sizeof(*anew.items));
    lexer_states_release(&anew);
}

static size_t turn_to(struct lexer_states *states, const struct strbuf *text)
{
    size_t read =
        lexer_states_update(states, lexer_language("opencl-c"), strbuf_cstr(text), text->len);

    assert_as_read_anew(states);
    return read;
}

static void a_change_near_the_top_reads_little_again(void **state)
{
    struct lexer_states states = {0};
    struct strbuf text = {0};

    (void)state;
    write_kernel(&text, 12, "    float a = 1;");
    assert_int_equal(turn_to(&states, &text), KERNEL_LINES);
    assert_int_equal(turn_to(&states, &text), 0);
    write_kernel(&text, 12, "    float b = 2;");
    assert_in_range(turn_to(&states, &text), 1, 3);
    write_kernel(&text, 12, "    one;\n    two;");
    assert_in_range(turn_to(&states, &text), 2, 4);
    write_kernel(&text, 12, "    /* until the next one ends");
    assert_in_range(turn_to(&states, &text), 38, 42);
    assert_int_equal(lexer_states_at(&states, 13), 0);
    assert_int_not_equal(lexer_states_at(&states, 14), 0);
    write_kernel(&text, KERNEL_LINES, "");
    assert_in_range(turn_to(&states, &text), 38, 42);
    strbuf_release(&text);
    lexer_states_release(&states);
}

/* Lines are inserted and removed anywhere, including the last one, with and without its newline. */
static void any_change_reads_as_if_anew(void **state)
{
    static const char *const texts[] = {
        "",
        "a",
        "a\n",
        "/*",
        "/*\na\n*/\nb\n",
        "/*\na\nb\n*/\nb\n",
        "a\n*/\nb\n",
        "\n\n\n",
        "\n/*\n\n",
        "#define a \\\n b \\\n c\nd",
        "#define a \\\n b\n c\nd",
        "b\na\n*/\nb\n",
        "x\n/*\na\n*/\nb",
    };
    const size_t count = sizeof(texts) / sizeof(texts[0]);
    struct lexer_states states = {0};

    (void)state;
    for (size_t i = 0; i < count * count; i++) {
        struct strbuf text = {0};

        strbuf_adds(&text, texts[i / count]);
        turn_to(&states, &text);
        text.len = 0;
        strbuf_adds(&text, texts[i % count]);
        turn_to(&states, &text);
        strbuf_release(&text);
    }
    lexer_states_release(&states);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_opencl),
        cmocka_unit_test(knows_c),
        cmocka_unit_test(knows_cuda),
        cmocka_unit_test(knows_metal),
        cmocka_unit_test(knows_python),
        cmocka_unit_test(knows_ptx),
        cmocka_unit_test(finds_comments_strings_and_directives),
        cmocka_unit_test(state_crosses_lines),
        cmocka_unit_test(words_are_sorted),
        cmocka_unit_test(every_span_has_its_opener),
        cmocka_unit_test(names_have_letters_of_any_script),
        cmocka_unit_test(takes_any_bytes),
        cmocka_unit_test(a_change_near_the_top_reads_little_again),
        cmocka_unit_test(any_change_reads_as_if_anew),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests_name("code", tests, NULL, NULL);
}
