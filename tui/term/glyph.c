#include "tui/term/glyph.h"

#include <stdbool.h>
#include <stdio.h>
#include <wchar.h>
#include <wctype.h>

#include "core/base/utf8.h"

int glyph_write_code(uint32_t code, char text[GLYPH_CODE_SIZE])
{
    return snprintf(text, GLYPH_CODE_SIZE, "<U+%04X>", (unsigned)code);
}

/*
 * True for a visible character without columns of its own: an accent, or a vowel of Korean.  Other
 * characters without columns are controls.
 */
static bool is_mark(uint32_t code)
{
    return iswctype((wint_t)code, wctype("combining")) || iswalpha((wint_t)code);
}

static struct glyph cell_of(struct glyph_state *state, uint32_t code, int columns)
{
    *state = (struct glyph_state){.code = code, .room = GLYPH_MARKS};
    return (struct glyph){GLYPH_CELL, columns};
}

struct glyph glyph_next(struct glyph_state *state, uint32_t code)
{
    char text[GLYPH_CODE_SIZE];
    int columns;

    if (code >= ' ' && code <= '~') /* the common case */
        return cell_of(state, code, 1);
    columns = utf8_is_hazardous(code) ? -1 : wcwidth((wchar_t)code);
    if (columns > 0)
        return cell_of(state, code, columns);
    if (columns == 0 && state->room > 0 && is_mark(code) && iswalnum((wint_t)state->code)) {
        state->room--;
        return (struct glyph){GLYPH_MARK, 0};
    }
    state->room = 0;
    return (struct glyph){GLYPH_CODE, glyph_write_code(code, text)};
}
