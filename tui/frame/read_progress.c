#include "tui/frame/read_progress.h"

void read_progress_take(struct read_progress *read_progress, unsigned step,
                        const struct widget_text *text)
{
    size_t below;

    if (read_progress->step != step)
        *read_progress = (struct read_progress){.step = step};
    read_progress->is_here = text != NULL;
    if (!text || text->filter.len)
        return; /* a filter hides lines, so nothing can be counted */
    if (read_progress->lines != text->lines.count)
        read_progress->seen = 0;
    read_progress->lines = text->lines.count;
    read_progress->cut = text->cut;
    below = text->top + text->height < read_progress->lines ? text->top + text->height
                                                            : read_progress->lines;
    if (text->top <= read_progress->seen && below > read_progress->seen)
        read_progress->seen = below;
    read_progress->is_whole |=
        read_progress->lines > 0 && read_progress->seen == read_progress->lines;
}
