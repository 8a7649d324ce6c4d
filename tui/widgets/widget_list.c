#include "tui/widgets/widget_list.h"

#include "core/base/vec.h"
#include "tui/term/screenshot.h"

/* The number of columns of a row that are searched and copied. */
enum { ROW_COLUMNS = 400 };

void widget_list_release(struct widget_list *list)
{
    vec_release(&list->passing);
    *list = (struct widget_list){0};
}

void widget_rows_add_text(const struct widget_rows *rows, size_t row, struct strbuf *out)
{
    struct canvas canvas = {0};
    struct pen pen;

    canvas_reset(&canvas, ROW_COLUMNS, 1);
    pen = area_pen(canvas_area(&canvas, (struct rect){.w = ROW_COLUMNS, .h = 1}), 0, 0);
    rows->put(rows->data, row, &pen);
    screenshot_text(&canvas, out);
    canvas_release(&canvas);
}

static bool holds(const struct widget_rows *rows, size_t row, const struct pattern *pattern)
{
    struct strbuf text = {0};
    bool is_in;

    widget_rows_add_text(rows, row, &text);
    is_in = pattern_is_in(pattern, strbuf_cstr(&text), text.len);
    strbuf_release(&text);
    return is_in;
}

static void apply_filter(struct widget_list *list, const struct widget_rows *rows)
{
    list->passing.count = 0;
    for (size_t row = 0; list->filter.len && row < rows->count; row++)
        if (rows->passes ? rows->passes(rows->data, row, list->filter.text)
                         : holds(rows, row, &list->filter))
            vec_push(&list->passing, row);
}

/* The number of places. Without a filter, the place of a row is its index. */
static size_t place_count(const struct widget_list *list, size_t count)
{
    return list->filter.len ? list->passing.count : count;
}

static size_t row_at(const struct widget_list *list, size_t place)
{
    return list->filter.len ? list->passing.items[place] : place;
}

/* The place of the selected row, or of the first match after it. */
static size_t selected_place(const struct widget_list *list)
{
    size_t place = 0;

    if (!list->filter.len)
        return list->selected;
    while (place + 1 < list->passing.count && list->passing.items[place] < list->selected)
        place++;
    return place;
}

/* Scroll so that no line below the last row is blank while rows above the first line are hidden. */
static void fill_height(struct widget_list *list, size_t count)
{
    size_t last_top = count > list->height ? count - list->height : 0;

    if (list->top > last_top)
        list->top = last_top;
}

/* Scroll to a place: to the edge of the list, and after a jump to its middle. */
static void bring_into_sight(struct widget_list *list, size_t place)
{
    size_t half = list->height / 2;
    bool is_jump = place + list->height < list->top || place >= list->top + 2 * list->height;

    if (is_jump)
        list->top = place > half ? place - half : 0;
    else if (place < list->top)
        list->top = place;
    else if (place >= list->top + list->height)
        list->top = place - list->height + 1;
}

void widget_list_draw(struct widget_list *list, const struct widget_rows *rows, struct area area)
{
    size_t count;

    apply_filter(list, rows);
    count = place_count(list, rows->count);
    list->height = (size_t)area.rect.h;
    if (count == 0 && rows->count) {
        struct pen pen = area_pen(area, 0, 0);

        pen_putf(&pen, ROLE_DIM, "Nothing matches \"%s\".", list->filter.text);
    }
    if (count == 0 || list->height == 0)
        return;
    if (list->selected >= rows->count)
        list->selected = rows->count - 1;
    list->selected = row_at(list, selected_place(list));
    fill_height(list, count);
    bring_into_sight(list, selected_place(list));
    fill_height(list, count);
    for (size_t i = 0; i < list->height && list->top + i < count; i++) {
        struct rect line = {.y = (int)i, .w = area.rect.w, .h = 1};
        struct pen pen = area_pen(area_part(area, line), 0, 0);

        rows->put(rows->data, row_at(list, list->top + i), &pen);
        if (row_at(list, list->top + i) == list->selected)
            area_paint(area_part(area, line), ROLE_SELECTED);
    }
}

void widget_list_draw_rest(const struct widget_list *list, size_t count, enum role role,
                           struct area box)
{
    size_t places = place_count(list, count), end = list->top + list->height;
    struct pen pen = area_pen(box, 2, box.rect.h - 1);

    if (places > end)
        pen_putf(&pen, role, " %zu more ", places - end);
}

bool widget_list_move(struct widget_list *list, enum screen_command command, size_t count)
{
    size_t places = place_count(list, count), last = places ? places - 1 : 0;
    size_t place = selected_place(list), half = list->height / 2 + 1;
    size_t back = 0, on = 0;

    switch ((int)command) {
    case COMMAND_UP:
    case COMMAND_PREVIOUS_PLACE:
        back = 1;
        break;
    case COMMAND_DOWN:
    case COMMAND_NEXT_PLACE:
        on = 1;
        break;
    case COMMAND_HALF_UP:
        back = half;
        break;
    case COMMAND_HALF_DOWN:
        on = half;
        break;
    case COMMAND_TOP:
        back = place;
        break;
    case COMMAND_BOTTOM:
        on = last;
        break;
    default:
        return false;
    }
    place -= back < place ? back : place;
    place = place + on < last ? place + on : last;
    if (places)
        list->selected = row_at(list, place);
    return true;
}

bool widget_list_select_at(struct widget_list *list, size_t y, size_t count)
{
    if (y >= list->height || list->top + y >= place_count(list, count))
        return false;
    list->selected = row_at(list, list->top + y);
    return true;
}

bool widget_list_find(struct widget_list *list, const struct widget_rows *rows,
                      const struct pattern *pattern, int direction)
{
    size_t count = place_count(list, rows->count);

    for (size_t i = direction != 0; i <= count && count; i++) {
        size_t step = direction < 0 ? count - i : i;
        size_t row = row_at(list, (selected_place(list) + step) % count);

        if (holds(rows, row, pattern)) {
            list->selected = row;
            return true;
        }
    }
    return false;
}
