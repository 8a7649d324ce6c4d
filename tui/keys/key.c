#include "tui/keys/key.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/utf8.h"

/* Space has a name, because blanks separate the keys in a list. */
static const struct {
    const char *name;
    enum input input;
    uint32_t code;
} named[] = {
    {"Enter", INPUT_ENTER, 0},         {"Tab", INPUT_TAB, 0},       {"Escape", INPUT_ESCAPE, 0},
    {"Backspace", INPUT_BACKSPACE, 0}, {"Delete", INPUT_DELETE, 0}, {"Up", INPUT_UP, 0},
    {"Down", INPUT_DOWN, 0},           {"Left", INPUT_LEFT, 0},     {"Right", INPUT_RIGHT, 0},
    {"Home", INPUT_HOME, 0},           {"End", INPUT_END, 0},       {"PageUp", INPUT_PAGE_UP, 0},
    {"PageDown", INPUT_PAGE_DOWN, 0},  {"Space", INPUT_TEXT, ' '},
};

static const struct {
    char letter;
    unsigned bit;
} modifiers[] = {{'C', KEY_MOD_CTRL}, {'M', KEY_MOD_ALT}, {'S', KEY_MOD_SHIFT}};

bool key_equals(struct key a, struct key b)
{
    return a.input == b.input && a.code == b.code && a.modifiers == b.modifiers;
}

static unsigned modifier_bit(char letter)
{
    for (size_t i = 0; i < COUNT(modifiers); i++)
        if (modifiers[i].letter == letter)
            return modifiers[i].bit;
    return 0;
}

struct key key_parse(const char *name, size_t len)
{
    struct key key = {0};

    while (len > 2 && name[1] == '-' && modifier_bit(name[0])) {
        key.modifiers |= modifier_bit(name[0]);
        name += 2;
        len -= 2;
    }
    for (size_t i = 0; i < COUNT(named); i++) {
        if (strlen(named[i].name) != len || memcmp(named[i].name, name, len) != 0)
            continue;
        key.input = named[i].input;
        key.code = named[i].code;
        return key;
    }
    if (len > 0 && utf8_decode(name, len, &key.code) == len)
        key.input = INPUT_TEXT;
    return key.input ? key : (struct key){0};
}

static const char *name_of(struct key key)
{
    for (size_t i = 0; i < COUNT(named); i++)
        if (named[i].input == key.input && named[i].code == key.code)
            return named[i].name;
    return NULL;
}

void key_format(struct key key, struct strbuf *out)
{
    const char *name = name_of(key);

    for (size_t i = 0; i < COUNT(modifiers); i++)
        if (key.modifiers & modifiers[i].bit)
            strbuf_addf(out, "%c-", modifiers[i].letter);
    if (name)
        strbuf_adds(out, name);
    else if (key.input == INPUT_TEXT)
        utf8_encode(out, key.code);
}
