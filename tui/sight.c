#include "tui/sight.h"

void sight_take(struct sight *sight, unsigned step, const struct widget_text *text)
{
    size_t below;

    if (sight->step != step)
        *sight = (struct sight){.step = step};
    sight->is_here = text != NULL;
    if (!text || text->filter.len)
        return; /* lines that pass a filter say nothing of the others */
    if (sight->lines != text->lines.count)
        sight->seen = 0;
    sight->lines = text->lines.count;
    sight->cut = text->cut;
    below = text->top + text->height < sight->lines ? text->top + text->height : sight->lines;
    if (text->top <= sight->seen && below > sight->seen)
        sight->seen = below;
    sight->is_whole |= sight->lines > 0 && sight->seen == sight->lines;
}
