#include "tui/widgets/sparkline.h"

#include <math.h>

#include "core/base/utf8.h"

/*
 * The Braille character (from U+2800 on) whose two columns of four dots are filled from below to
 * these heights, 0 to 4.
 */
static uint32_t braille(int left, int right)
{
    static const uint32_t columns[2][5] = {
        {0, 0x40, 0x44, 0x46, 0x47},
        {0, 0x80, 0xA0, 0xB0, 0xB8},
    };

    return 0x2800 | columns[0][left] | columns[1][right];
}

double sparkline_first(const double *best_us, size_t count)
{
    size_t i = 0;

    while (i < count && best_us[i] <= 0)
        i++;
    return i < count ? best_us[i] : 0;
}

/* The height of a time: 1 for the best, 4 for the first that was kept; 0: no time. */
static int height_of(double us, double first, double best)
{
    if (us <= 0)
        return 0;
    return first > best ? 1 + (int)lround(3 * log(us / best) / log(first / best)) : 1;
}

void sparkline_put(const double *best_us, size_t count, int columns, enum role role,
                   struct pen *pen)
{
    static const char steps[] = " _.-^";
    size_t each = pen->area.canvas->is_ascii ? 1 : 2;
    size_t room = columns > 0 ? (size_t)columns * each : 0, dots = count < room ? count : room;
    double first = sparkline_first(best_us, count), best = count ? best_us[count - 1] : 0;

    for (size_t i = 0; i < dots; i += each) {
        int heights[2] = {0};
        struct strbuf text = {0};

        for (size_t j = 0; j < each && i + j < dots; j++)
            heights[j] = height_of(best_us[(i + j + 1) * count / dots - 1], first, best);
        if (each == 1)
            strbuf_add(&text, &steps[heights[0]], 1);
        else
            utf8_encode(&text, braille(heights[0], heights[1]));
        pen_put(pen, role, text.data, text.len);
        strbuf_release(&text);
    }
}
