#include "tui/term/term_input.h"

#include <stdlib.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "core/base/array.h"

/* Key codes for define_key(): above those of curses, and of 16 bits, as its tables hold. */
enum { CODE_PASTE_BEGIN = 0x7000, CODE_PASTE_END, CODE_MOUSE };

bool term_input_define(void)
{
    return define_key("\033[200~", CODE_PASTE_BEGIN) == OK &&
           define_key("\033[201~", CODE_PASTE_END) == OK && define_key("\033[<", CODE_MOUSE) == OK;
}

static const struct {
    wint_t code;
    enum input input;
    unsigned modifiers;
} named_keys[] = {
    {KEY_UP, INPUT_UP, 0},
    {KEY_DOWN, INPUT_DOWN, 0},
    {KEY_LEFT, INPUT_LEFT, 0},
    {KEY_RIGHT, INPUT_RIGHT, 0},
    {KEY_SLEFT, INPUT_LEFT, KEY_MOD_SHIFT},
    {KEY_SRIGHT, INPUT_RIGHT, KEY_MOD_SHIFT},
    {KEY_HOME, INPUT_HOME, 0},
    {KEY_END, INPUT_END, 0},
    {KEY_PPAGE, INPUT_PAGE_UP, 0},
    {KEY_NPAGE, INPUT_PAGE_DOWN, 0},
    {KEY_BACKSPACE, INPUT_BACKSPACE, 0},
    {KEY_DC, INPUT_DELETE, 0},
    {KEY_ENTER, INPUT_ENTER, 0},
    {KEY_BTAB, INPUT_TAB, KEY_MOD_SHIFT},
};

static struct key character_key(wint_t code)
{
    switch (code) {
    case '\r':
    case '\n':
        return (struct key){.input = INPUT_ENTER};
    case '\t':
        return (struct key){.input = INPUT_TAB};
    case '\b':
    case 0x7f:
        return (struct key){.input = INPUT_BACKSPACE};
    case '\033':
        return (struct key){.input = INPUT_ESCAPE};
    default:
        break;
    }
    if (code == 0 || (code > 26 && code < ' '))
        return (struct key){0};
    if (code < ' ')
        return (struct key){.input = INPUT_TEXT, .code = code + 'a' - 1, .modifiers = KEY_MOD_CTRL};
    return (struct key){.input = INPUT_TEXT, .code = code};
}

/*
 * The key for a control character to which terminfo gives a name that kforge does not use: on the
 * Linux console ^Z is kspd, the suspend key.
 */
static struct key control_key(wint_t code)
{
    char *bytes = keybound((int)code, 0);
    bool is_one = bytes && bytes[0] && !bytes[1];
    struct key key = is_one ? character_key((unsigned char)bytes[0]) : (struct key){0};

    free(bytes);
    return key;
}

static struct key named_key(wint_t code)
{
    for (size_t i = 0; i < COUNT(named_keys); i++)
        if (named_keys[i].code == code)
            return (struct key){.input = named_keys[i].input, .modifiers = named_keys[i].modifiers};
    return control_key(code);
}

/* A terminal sends Alt as an escape character directly before the other character. */
static void read_alt(struct key *key)
{
    wint_t code = 0;
    int kind = get_wch(&code);

    if (kind == KEY_CODE_YES)
        /* Escape before another key or a paste; ungetch() has room for one key */
        (void)!ungetch((int)code);
    if (kind != OK)
        return;
    *key = character_key(code);
    key->modifiers |= KEY_MOD_ALT;
}

/* Read a number of a mouse report, and the character after it. */
static int read_number(wint_t *after)
{
    int number = 0;

    while (get_wch(after) == OK && *after >= L'0' && *after <= L'9' && number < 10000)
        number = 10 * number + (int)(*after - L'0');
    return number;
}

/* "0;12;5M": button, column, row, then M if the button went down, m if it went up. */
static struct mouse read_mouse(void)
{
    enum { LEFT = 0, WHEEL_UP = 64, WHEEL_DOWN = 65 };
    wint_t after = 0;
    int button = read_number(&after);
    struct mouse mouse = {0};

    mouse.x = read_number(&after) - 1;
    mouse.y = read_number(&after) - 1;
    if (after != L'M')
        return mouse;
    if (button == LEFT)
        mouse.action = MOUSE_PRESSED;
    else if (button == WHEEL_UP)
        mouse.action = MOUSE_WHEEL_UP;
    else if (button == WHEEL_DOWN)
        mouse.action = MOUSE_WHEEL_DOWN;
    return mouse;
}

bool term_input_read(struct term_input *input)
{
    wint_t code = 0;
    int kind = get_wch(&code);

    *input = (struct term_input){0};
    if (kind == ERR)
        return false;
    if (kind != KEY_CODE_YES) {
        input->key = character_key(code);
        if (input->key.input == INPUT_ESCAPE)
            read_alt(&input->key);
    } else if (code == CODE_PASTE_BEGIN) {
        input->kind = TERM_INPUT_PASTE_BEGIN;
    } else if (code == CODE_PASTE_END) {
        input->kind = TERM_INPUT_PASTE_END;
    } else if (code == CODE_MOUSE) {
        input->kind = TERM_INPUT_MOUSE;
        input->mouse = read_mouse();
    } else {
        input->key = named_key(code);
    }
    return true;
}
