#include <stdint.h>
#include <stdlib.h>

#include "core/base/json.h"
#include "core/base/strbuf.h"
#include "core/template/template.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input is a template; the variables have every type. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char variables[] = "{\"n\": 3, \"f\": 2.5, \"s\": \"a \\u00e9\\n b\", \"t\": true,"
                                    "\"nil\": null, \"l\": [1, \"x\", [2]], \"d\": {\"k\": 1}}";
    struct json *json = json_parse(variables, sizeof(variables) - 1, NULL);
    struct strbuf text = {0};
    struct strbuf out = {0};
    struct error err = {0};
    enum status st;

    strbuf_add(&text, data, size);
    st = template_render_text(strbuf_cstr(&text), "fuzz.j2", json, &out, &err);
    if (st ? err.text[0] == '\0' || out.len > 0 : err.text[0] != '\0')
        abort();
    strbuf_release(&text);
    strbuf_release(&out);
    json_free(json);
    return 0;
}
