#include <stdint.h>
#include <stdlib.h>

#include "core/base/strbuf.h"
#include "core/model/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct binding items[] = {{"M", 512}, {"N", INT64_MAX}, {"K", INT64_MIN}};
    const struct scope scope = {items, 3, NULL};
    struct strbuf text = {0};
    struct error err;
    int64_t value = 0;

    strbuf_add(&text, data, size);
    if (expr_eval(strbuf_cstr(&text), &scope, &value, &err) && value != 0)
        abort(); /* a failure must leave the value unchanged */
    strbuf_release(&text);
    return 0;
}
