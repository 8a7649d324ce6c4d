#include "tui/frame/hints.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

static bool goes_on(const struct hint *hint)
{
    return hint->words && !*hint->words;
}

/* The number of blanks after a hint: one if the next hint belongs to it, else two. */
static int gap_behind(const struct hint *hint)
{
    return goes_on(hint) ? 1 : 2;
}

static void add_key(const struct keymap *keymap, const struct hint *hint, struct strbuf *out)
{
    char key[KEYMAP_KEY_SIZE];

    strbuf_adds(out,
                hint->keys ? hint->keys : keymap_key(keymap, keymap_row_named(hint->row), key));
}

/* Add a blank and the words after the key; nothing if the next hint belongs to this one. */
static void add_words(const struct hint *hint, struct strbuf *out)
{
    const char *words = hint->words ? hint->words : hint->row;

    if (*words)
        strbuf_addf(out, " %s", words);
}

static int columns_of(const struct keymap *keymap, const struct hint *hint)
{
    struct strbuf text = {0};
    int columns;

    add_key(keymap, hint, &text);
    add_words(hint, &text);
    columns = canvas_text_columns(strbuf_cstr(&text), text.len);
    strbuf_release(&text);
    return columns + gap_behind(hint);
}

/* The index of the shown hint that is left out first; one is shown. */
static size_t least_important(const struct hint *hints, const bool *is_shown, size_t count)
{
    size_t found = count;

    for (size_t i = 0; i < count; i++)
        if (is_shown[i] && (found == count || hints[i].rank >= hints[found].rank))
            found = i;
    return found;
}

/*
 * Leave out a hint and all hints that belong together with it; return the columns that they took.
 */
static int leave_out(const struct keymap *keymap, const struct hint *hints, size_t index,
                     bool *is_shown)
{
    size_t first = index, last = index;
    int columns = 0;

    while (first > 0 && goes_on(&hints[first - 1]))
        first--;
    while (goes_on(&hints[last]))
        last++;
    for (size_t i = first; i <= last; i++) {
        columns += columns_of(keymap, &hints[i]);
        is_shown[i] = false;
    }
    return columns;
}

/* Choose the hints for `room` columns.  The gap behind the last one needs no room. */
static void choose(const struct keymap *keymap, const struct hint *hints, size_t count, int room,
                   bool *is_shown)
{
    int columns = 0;

    for (size_t i = 0; i < count; i++) {
        columns += columns_of(keymap, &hints[i]);
        is_shown[i] = true;
    }
    while (columns > 0 && columns - 2 > room)
        columns -= leave_out(keymap, hints, least_important(hints, is_shown, count), is_shown);
}

static void put(const struct keymap *keymap, const struct hint *hint, struct hint_roles roles,
                struct pen *pen)
{
    struct strbuf key = {0}, words = {0};
    int x = pen->x;

    add_key(keymap, hint, &key);
    add_words(hint, &words);
    pen_puts(pen, roles.keys, strbuf_cstr(&key));
    pen_puts(pen, roles.words, strbuf_cstr(&words));
    hints_link(pen->area, (struct rect){x, pen->y, pen->x - x, 1}, keymap_row_named(hint->row));
    pen_putf(pen, roles.words, "%*s", gap_behind(hint), "");
    strbuf_release(&key);
    strbuf_release(&words);
}

void hints_put(const struct keymap *keymap, const struct hint *hints, size_t count,
               struct hint_roles roles, struct pen *pen)
{
    bool *is_shown = mem_alloc_zeroed(count + 1, sizeof(*is_shown));

    choose(keymap, hints, count, pen->area.rect.w - pen->x, is_shown);
    for (size_t i = 0; i < count; i++)
        if (is_shown[i])
            put(keymap, &hints[i], roles, pen);
    free(is_shown);
}

int hints_columns(const struct keymap *keymap, const struct hint *hints, size_t count)
{
    int columns = 0;

    for (size_t i = 0; i < count; i++)
        columns += columns_of(keymap, &hints[i]);
    return columns;
}

void hints_draw(const struct keymap *keymap, const struct hint *hints, size_t count,
                struct area area)
{
    struct pen pen = area_pen(area, 1, 0);

    hints_put(keymap, hints, count, (struct hint_roles){ROLE_STATUS, ROLE_STATUS}, &pen);
    area_paint(area, ROLE_STATUS);
}

void hints_link(struct area area, struct rect place, const struct keymap_row *row)
{
    area_link(area, place, keymap_index(row));
}

const struct keymap_row *hints_row_at(const struct canvas *canvas, int x, int y)
{
    int target = canvas_target_at(canvas, x, y);

    return target < 0 ? NULL : &keymap_table[target];
}
