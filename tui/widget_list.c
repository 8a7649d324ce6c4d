#include "tui/widget_list.h"

void widget_list_draw(struct widget_list *list, const struct widget_rows *rows, struct area area)
{
    size_t height = (size_t)area.rect.h;

    list->height = height;
    if (rows->count == 0 || height == 0)
        return;
    if (list->selected >= rows->count)
        list->selected = rows->count - 1;
    if (list->selected < list->top)
        list->top = list->selected;
    if (list->selected >= list->top + height)
        list->top = list->selected - height + 1;
    for (size_t i = 0; i < height && list->top + i < rows->count; i++) {
        struct rect row = {.y = (int)i, .w = area.rect.w, .h = 1};
        struct pen pen = area_pen(area_part(area, row), 0, 0);

        rows->put(rows->data, list->top + i, &pen);
        if (list->top + i == list->selected)
            area_paint(area_part(area, row), ROLE_SELECTED);
    }
}

bool widget_list_move(struct widget_list *list, enum screen_command command, size_t count)
{
    size_t last = count ? count - 1 : 0, half = list->height / 2 + 1;
    size_t back = 0, on = 0;

    switch ((int)command) {
    case COMMAND_UP:
        back = 1;
        break;
    case COMMAND_DOWN:
        on = 1;
        break;
    case COMMAND_HALF_UP:
        back = half;
        break;
    case COMMAND_HALF_DOWN:
        on = half;
        break;
    case COMMAND_TOP:
        back = list->selected;
        break;
    case COMMAND_BOTTOM:
        on = last;
        break;
    default:
        return false;
    }
    list->selected -= back < list->selected ? back : list->selected;
    list->selected = list->selected + on < last ? list->selected + on : last;
    return true;
}
