#include "tests/unit/unit.h"

#include <locale.h>

#include "tui/widgets/plot.h"

enum { W = 27, H = 11 };

static const struct rect whole = {0, 0, W, H};

/*
 * A plot of two decades on each axis: x from 1 to 100 across 19 columns, y down 9 lines, without
 * the labels.
 */
static struct plot open_plot(struct canvas *canvas)
{
    static const struct plot_axis x = {{1, 100, .is_log = true}, "x"},
                                  y = {{1e9, 1e11, .is_log = true}, ""};

    canvas_reset(canvas, W, H);
    return plot_open(canvas_area(canvas, whole), x, y);
}

static uint32_t code_at(const struct canvas *canvas, int x, int y)
{
    return canvas_cell(canvas, x, y)->code;
}

static void decades_are_evenly_apart(void **state)
{
    struct canvas canvas = {0};
    struct plot plot = open_plot(&canvas);

    (void)state;
    plot_point(&plot, ROLE_TEXT, (const double[]){1, 1e9}, 'a');
    plot_point(&plot, ROLE_TEXT, (const double[]){100, 1e11}, 'z');
    plot_point(&plot, ROLE_TEXT, (const double[]){10, 1e10}, 'm');
    assert_int_equal(code_at(&canvas, 7, H - 2), 'a');
    assert_int_equal(code_at(&canvas, W - 1, 0), 'z');
    assert_int_equal(code_at(&canvas, 7 + (W - 8) / 2 + (W - 8) % 2, (H - 2) / 2 + (H - 2) % 2),
                     'm');
    canvas_release(&canvas);
}

static void power_laws_are_straight_and_stay_inside(void **state)
{
    struct canvas canvas = {0};
    struct plot plot = open_plot(&canvas);

    (void)state;
    plot_line(&plot, ROLE_TEXT, (const double[]){1, 1e9}, (const double[]){1e4, 1e13});
    assert_int_equal(code_at(&canvas, 7, H - 2) & 0xFF00, 0x2800);
    assert_int_equal(code_at(&canvas, W - 1, 0) & 0xFF00, 0x2800);
    canvas.is_ascii = true;
    plot_line(&plot, ROLE_TEXT, (const double[]){1, 1e11}, (const double[]){100, 1e11});
    assert_int_equal(code_at(&canvas, 7, 0), '.');
    canvas_release(&canvas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decades_are_evenly_apart),
        cmocka_unit_test(power_laws_are_straight_and_stay_inside),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests_name("plot", tests, NULL, NULL);
}
