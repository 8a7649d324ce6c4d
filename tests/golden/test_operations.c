#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/op/op_table.h"
#include "core/system/file.h"

/*
 * Compares the table of operations in FORMATS.md with the one in the code, from which it is
 * generated. UPDATE_GOLDEN=1 rewrites the table between its two marks.
 */
static const char document[] = KFORGE_SOURCE_DIR "/FORMATS.md";
static const char start_mark[] =
    "<!-- operations: UPDATE_GOLDEN=1 ctest -R golden.operations -->\n";
static const char end_mark[] = "<!-- end of operations -->\n";

static void add_choices(struct strbuf *out, const char *const *choices)
{
    for (size_t i = 0; choices[i]; i++)
        strbuf_addf(out, "%s`%s`", i ? " or " : "", choices[i]);
}

static void add_default(struct strbuf *out, const struct attribute_spec *spec)
{
    if (spec->absent)
        strbuf_adds(out, spec->absent);
    else if (spec->kind == ATTRIBUTE_CHOICE)
        strbuf_addf(out, "`%s`", spec->choices[(size_t)spec->fallback]);
    else if (spec->kind == ATTRIBUTE_FLAG)
        strbuf_adds(out, spec->fallback != 0 ? "true" : "false");
    else if (isinf(spec->fallback))
        strbuf_adds(out, "none");
    else
        strbuf_addf(out, "%g", spec->fallback);
}

static void add_attribute(struct strbuf *out, const struct attribute_spec *spec)
{
    static const char *const kinds[] = {
        [ATTRIBUTE_NUMBER] = "number",     [ATTRIBUTE_INTEGER] = "integer",
        [ATTRIBUTE_INTEGERS] = "integers", [ATTRIBUTE_FLAG] = "flag",
        [ATTRIBUTE_CHOICE] = "",
    };

    strbuf_addf(out, "`%s` (%s", spec->name, kinds[spec->kind]);
    if (spec->kind == ATTRIBUTE_CHOICE)
        add_choices(out, spec->choices);
    if (!spec->is_required) {
        strbuf_adds(out, "; ");
        add_default(out, spec);
    }
    strbuf_adds(out, ")");
}

/* The columns of the table after the name. */
static char *describe(const struct op *op)
{
    struct strbuf out = {0};

    strbuf_addf(&out, "| %s | ", op->operands);
    for (size_t i = 0; op->attributes[i].name; i++) {
        strbuf_adds(&out, i ? ", " : "");
        add_attribute(&out, &op->attributes[i]);
    }
    strbuf_addf(&out, "%s| %s |\n", op->attributes[0].name ? " " : "", op->types);
    return strbuf_take(&out);
}

/* True when an earlier operation has the same columns; both names then share its row. */
static bool is_listed(const char *columns, size_t index)
{
    bool found = false;

    for (size_t i = 0; !found && i < index; i++) {
        char *other = describe(op_at(i));

        found = strcmp(other, columns) == 0;
        free(other);
    }
    return found;
}

static void add_row(struct strbuf *out, size_t index)
{
    char *columns = describe(op_at(index));
    const char *before = "| ";

    for (size_t i = index; !is_listed(columns, index) && op_at(i); i++) {
        char *other = describe(op_at(i));

        if (strcmp(other, columns) == 0) {
            strbuf_addf(out, "%s`%s`", before, op_at(i)->name);
            before = ", ";
        }
        free(other);
    }
    if (*before == ',')
        strbuf_addf(out, " %s", columns);
    free(columns);
}

static void make_table(struct strbuf *out)
{
    strbuf_adds(out, "| operation | operands | attributes | element types; of the result |\n"
                     "| --- | --- | --- | --- |\n");
    for (size_t i = 0; op_at(i); i++)
        add_row(out, i);
}

static void the_formats_list_every_operation(void **state)
{
    struct strbuf text = {0}, table = {0}, updated = {0};
    struct error err = {0};
    const char *start, *end;

    (void)state;
    make_table(&table);
    if (file_read(document, 1 << 20, &text, &err))
        fail_msg("%s", err.text);
    start = strstr(strbuf_cstr(&text), start_mark);
    end = start ? strstr(start, end_mark) : NULL;
    if (!end)
        fail_msg("%s: no marks of the table of operations", document);
    start += strlen(start_mark);
    if ((size_t)(end - start) != table.len || memcmp(start, table.data, table.len) != 0) {
        strbuf_add(&updated, text.data, (size_t)(start - text.data));
        strbuf_add(&updated, table.data, table.len);
        strbuf_adds(&updated, end);
        if (!getenv("UPDATE_GOLDEN"))
            fail_msg("%s differs; the table is now:\n%s", document, strbuf_cstr(&table));
        assert_int_equal(file_write(document, updated.data, updated.len, &err), STATUS_OK);
    }
    strbuf_release(&updated);
    strbuf_release(&table);
    strbuf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_formats_list_every_operation)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
