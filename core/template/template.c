#include "core/template/template.h"

#include <locale.h>

#include "core/template/jinja_executor.h"

static void bind_variables(struct jinja_render *r, const struct json *variables)
{
    r->scope = jinja_scope_new(r, NULL);
    for (const struct json *m = json_first(variables); m; m = json_next(m))
        jinja_bind(r, json_key(m), jinja_from_json(&r->arena, m));
}

static enum status render(struct jinja_render *r, const char *text, const struct json *variables,
                          struct strbuf *out, struct error *err)
{
    struct strbuf *printed = &r->out->text;

    bind_variables(r, variables);
    jinja_run(r, text);
    if (jinja_failed(r))
        error_set(err, r->error.code, "%s", r->error.text);
    else
        strbuf_add(out, strbuf_cstr(printed), printed->len);
    strbuf_release(printed);
    arena_release(&r->arena);
    return r->error.code;
}

/*
 * Render with C.UTF-8 as the thread's locale, so that numbers have a decimal point in every locale.
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
