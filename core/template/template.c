#include "core/template/template.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "core/template/jinja_parse.h"
#include "core/template/jinja_render.h"

static void bind_variables(struct jinja_render *r, const struct json *variables)
{
    r->scope = jinja_scope_new(r, NULL);
    for (const struct json *m = json_first(variables); m; m = json_next(m))
        jinja_bind_name(r, json_key(m), jinja_from_json(&r->heap, m));
}

/* Load the template of the name, or parse `text` in its place. */
static enum status load(struct jinja_render *r, const char *text, const char *name,
                        const struct jinja_node **statements)
{
    const struct jinja_unit *unit;
    struct jinja_node *parsed;
    enum status st;

    if (text) {
        st = jinja_parse(jinja_text_of(text), name, &r->heap.arena, &parsed, &r->error);
        if (!st)
            *statements = parsed;
    } else {
        st = jinja_load(r, name, &unit);
        if (!st)
            *statements = unit->statements;
    }
    return st;
}

static enum status render(struct jinja_render *r, const char *text, const struct json *variables,
                          struct strbuf *out, struct error *err)
{
    const struct jinja_node *statements;
    struct strbuf *printed = &r->out->text;
    enum status st = load(r, text, r->name, &statements);

    if (!st) {
        bind_variables(r, variables);
        st = jinja_run(r, statements);
    }
    if (st)
        error_set(err, st, "%s", r->error.text);
    else
        strbuf_add(out, strbuf_cstr(printed), printed->len);
    strbuf_release(printed);
    arena_release(&r->heap.arena);
    return st;
}

/*
 * Numbers have a decimal point and characters are those of Unicode, whatever
 * language the user has: the thread has the locale C.UTF-8 for the while.
 */
static enum status render_in_locale(struct jinja_render *r, const char *text,
                                    const struct json *variables, struct strbuf *out,
                                    struct error *err)
{
    locale_t neutral = newlocale(LC_ALL_MASK, "C.UTF-8", NULL);
    locale_t outer = uselocale(neutral);
    enum status st = render(r, text, variables, out, err);

    uselocale(outer);
    if (neutral)
        freelocale(neutral);
    return st;
}

enum status template_render(const char *folder, const char *name, const struct json *variables,
                            struct strbuf *out, struct error *err)
{
    struct jinja_sink sink = {0};
    struct jinja_render r = {.folder = folder, .name = name, .out = &sink};

    return render_in_locale(&r, NULL, variables, out, err);
}

enum status template_render_text(const char *text, const char *name, const struct json *variables,
                                 struct strbuf *out, struct error *err)
{
    struct jinja_sink sink = {0};
    struct jinja_render r = {.name = name, .out = &sink};

    return render_in_locale(&r, text, variables, out, err);
}
