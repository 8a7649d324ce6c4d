/*
 * Renders many templates in one process, for tests/golden/template.py.
 *
 * Standard input is a JSON array of objects with `name`, `variables`, and either `template` (the
 * text) or `folder` (the folder of the template file `name`). Standard output has one JSON object
 * for each on its own line, with `output` or `error`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/json.h"
#include "core/base/strbuf.h"
#include "core/template/template.h"

static void render(const struct json *request)
{
    const char *name = json_get_string(request, "name", "");
    const char *text = json_get_string(request, "template", NULL);
    const char *folder = json_get_string(request, "folder", NULL);
    const struct json *variables = json_get(request, "variables");
    struct json *reply = json_object_new();
    struct strbuf out = {0};
    struct error err = {0};
    enum status st = text ? template_render_text(text, name, variables, &out, &err)
                          : template_render(folder, name, variables, &out, &err);

    json_put_string(reply, st ? "error" : "output", st ? err.text : strbuf_cstr(&out));
    strbuf_release(&out);
    json_print(reply, &out);
    puts(strbuf_cstr(&out));
    strbuf_release(&out);
    json_free(reply);
}

int main(void)
{
    struct strbuf text = {0};
    struct error err = {0};
    char chunk[1 << 16];
    size_t got;

    while ((got = fread(chunk, 1, sizeof(chunk), stdin)) > 0)
        strbuf_add(&text, chunk, got);

    struct json *requests = json_parse(strbuf_cstr(&text), text.len, &err);

    strbuf_release(&text);
    if (!requests) {
        fprintf(stderr, "render_template: %s\n", err.text);
        return EXIT_FAILURE;
    }
    for (const struct json *request = json_first(requests); request; request = json_next(request))
        render(request);
    json_free(requests);
    return EXIT_SUCCESS;
}
