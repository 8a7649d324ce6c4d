#include "tui/app/app_mouse.h"

#include "tui/app/app_commands.h"
#include "tui/frame/hints.h"

/* A press on a hint does what its key does; a command without a key gets a prompt. */
static void press_row(struct app *app, const struct keymap_row *row)
{
    if (row->context & app_contexts(app))
        app_run_row(app, row, !*row->keys && row->argument != ARGUMENT_NONE);
}

/*
 * Handle the mouse while a page is open: a press outside closes it, a press on a command also runs
 * the command, the wheel scrolls.
 */
static void use_overlay(struct app *app, struct mouse mouse, const struct keymap_row *row)
{
    struct overlay *overlay = &app->chrome.overlay;

    if (mouse.action != MOUSE_PRESSED) {
        overlay_command(overlay, mouse.action == MOUSE_WHEEL_UP ? COMMAND_UP : COMMAND_DOWN);
    } else if (!overlay_is_at(overlay, mouse.x, mouse.y)) {
        overlay_command(overlay, COMMAND_BACK);
    } else if (row && row->command == COMMAND_HALF_DOWN) {
        overlay_command(overlay, row->command);
    } else if (row) {
        overlay_command(overlay, COMMAND_BACK);
        if (row->command != COMMAND_BACK)
            press_row(app, row);
    }
}

void app_mouse(struct app *app, struct mouse mouse)
{
    struct screen *top = app_top(app);
    const struct keymap_row *row =
        mouse.action == MOUSE_PRESSED ? hints_row_at(&app->canvas, mouse.x, mouse.y) : NULL;

    message_read(&app->chrome.messages);
    if (app->prompt)
        return;
    if (app->chrome.palette.line && row)
        app_take_choice(app, row);
    else if (app->chrome.overlay.kind)
        use_overlay(app, mouse, row);
    else if (row)
        press_row(app, row);
    else if (!app->chrome.palette.line)
        top->ops->mouse(top, &app->canvas, mouse);
    app_answered(app);
}
