#include "tui/code/lexer_states.h"

#include <string.h>

#include "core/base/vec.h"

/* A part of a text that begins at the start of a line. */
struct part {
    const char *bytes;
    size_t len;
};

/* The length of the first line, including its newline. */
static size_t line_length(struct part part)
{
    const char *newline = memchr(part.bytes, '\n', part.len);

    return newline ? (size_t)(newline - part.bytes) + 1 : part.len;
}

static struct part after(struct part part, size_t len)
{
    return (struct part){part.bytes + len, part.len - len};
}

static size_t count_lines(struct part part)
{
    size_t count = 0;

    for (; part.len; part = after(part, line_length(part)))
        count++;
    return count;
}

/* The number of bytes in the complete lines with which both parts begin. */
static size_t common_start(struct part a, struct part b)
{
    size_t len = 0, line = 0;

    while (len < a.len && len < b.len && a.bytes[len] == b.bytes[len])
        if (a.bytes[len++] == '\n')
            line = len;
    return line;
}

/* The number of bytes in the complete lines with which both parts end. */
static size_t common_end(struct part a, struct part b)
{
    size_t len = 0;

    while (len < a.len && len < b.len && a.bytes[a.len - len - 1] == b.bytes[b.len - len - 1])
        len++;
    return len - line_length((struct part){a.bytes + a.len - len, len});
}

static unsigned state_after(const struct lexer_language *language, unsigned state, struct part part)
{
    size_t len = line_length(part);

    return lexer_next_line(language, state, part.bytes, len - (len && part.bytes[len - 1] == '\n'));
}

static struct part end_of(struct part part, size_t len)
{
    return after(part, part.len - len);
}

/* The old states of the unchanged lines at the end of the new text, and the state at its end. */
struct known {
    const unsigned *states;
    size_t bytes; /* the length of those lines */
};

/* Append the states of the lines in `part`, beginning with `state`; return how many were read. */
static size_t read_on(struct lexer_states *states, unsigned state, struct part part,
                      struct known known)
{
    size_t read = 0;

    for (; part.len && (part.len > known.bytes || state != *known.states); read++) {
        known.states += part.len <= known.bytes;
        vec_push(states, state);
        state = state_after(states->language, state, part);
        part = after(part, line_length(part));
    }
    for (; part.len; part = after(part, line_length(part))) {
        vec_push(states, state);
        state = *++known.states;
    }
    vec_push(states, state);
    return read;
}

/* Start with the empty text. */
static void begin(struct lexer_states *states, const struct lexer_language *language)
{
    lexer_states_release(states);
    states->language = language;
    vec_push(states, 0);
}

size_t lexer_states_update(struct lexer_states *states, const struct lexer_language *language,
                           const char *text, size_t len)
{
    struct lexer_states last;
    struct part before, now = {text, len};
    struct known known;
    size_t same, first, read;

    if (states->language != language)
        begin(states, language);
    last = *states;
    before = (struct part){strbuf_cstr(&last.text), last.text.len};
    same = common_start(before, now);
    first = count_lines((struct part){text, same});
    now = after(now, same);
    known.bytes = common_end(after(before, same), now);
    known.states = last.items + last.count - 1 - count_lines(end_of(now, known.bytes));
    *states = (struct lexer_states){.language = language};
    for (size_t i = 0; i < first; i++)
        vec_push(states, last.items[i]);
    read = read_on(states, last.items[first], now, known);
    strbuf_add(&states->text, text, len);
    lexer_states_release(&last);
    return read;
}

unsigned lexer_states_at(const struct lexer_states *states, size_t number)
{
    return number > 0 && number <= states->count ? states->items[number - 1] : 0;
}

void lexer_states_release(struct lexer_states *states)
{
    strbuf_release(&states->text);
    vec_release(states);
    states->language = NULL;
}
