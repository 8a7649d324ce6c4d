#include "tui/panels/text_cache.h"

#include <stdio.h>
#include <string.h>

bool text_cache_find(struct text_cache *cache, const char *id, struct strbuf *out)
{
    for (size_t i = 0; *id && i < TEXT_CACHE_TEXTS; i++) {
        if (strcmp(cache->items[i].id, id) != 0)
            continue;
        cache->items[i].used = ++cache->uses;
        strbuf_add(out, strbuf_cstr(&cache->items[i].text), cache->items[i].text.len);
        return true;
    }
    return false;
}

void text_cache_keep(struct text_cache *cache, const char *id, const char *text, size_t len)
{
    size_t oldest = 0;

    if (len > TEXT_CACHE_MAX_BYTES)
        return;
    for (size_t i = 1; i < TEXT_CACHE_TEXTS; i++)
        if (cache->items[i].used < cache->items[oldest].used)
            oldest = i;
    strbuf_release(&cache->items[oldest].text);
    strbuf_add(&cache->items[oldest].text, text, len);
    snprintf(cache->items[oldest].id, OBJECT_ID_SIZE, "%s", id);
    cache->items[oldest].used = ++cache->uses;
}

void text_cache_release(struct text_cache *cache)
{
    for (size_t i = 0; i < TEXT_CACHE_TEXTS; i++)
        strbuf_release(&cache->items[i].text);
    *cache = (struct text_cache){0};
}
