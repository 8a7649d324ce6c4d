#ifndef TUI_WIDGETS_WIDGET_TEXT_H
#define TUI_WIDGETS_WIDGET_TEXT_H

#include "tui/code/lexer_states.h"
#include "tui/keys/keymap.h"
#include "tui/term/canvas.h"
#include "tui/term/pattern.h"

/*
 * Lines of text that scroll both ways: source with line numbers and syntax
 * colours, a difference, a reply as it streams in.  With a filter only the
 * lines that hold its text are there.
 */

/* Bytes of a line that are painted in their own way. */
struct text_span {
    size_t from, len;
};

/* One line, without its newline; the text is borrowed. */
struct text_line {
    const char *text;
    size_t len;
    size_t number; /* in its file, from 1; 0: none is shown */
    char mark;     /* shown before the text: '+', '-'; 0: none */
    char flag;     /* behind the mark: 'E' for an error; 0: none */
    bool is_place; /* one to go to by itself; lines with a mark or a flag are by runs */
    bool is_heading;
    int skip; /* columns that the lines above show already, of a line that was wrapped */
    const struct lexer_language *code; /* NULL: it is text */
    unsigned state;                    /* of code, at the line's start */
    enum role role;                    /* of text that is not code */
    enum role ground;
    enum role span_ground;
    size_t first_span, span_count; /* in the widget's spans */
};

struct text_line_list {
    struct text_line *items;
    size_t count, capacity;
};

/* All zeros shows nothing.  The lines are the caller's to set; drawing keeps the rest. */
struct widget_text {
    struct text_line_list lines;
    struct {
        struct text_span *items;
        size_t count, capacity;
    } spans;
    struct lexer_states states; /* of the code that was added last */
    size_t highest;             /* number of a line */
    size_t top;                 /* a place among the lines that pass the filter, like `height` */
    int left;                   /* columns scrolled out of read_progress */
    bool has_marks;
    bool is_following; /* stays at the end while lines arrive */
    bool is_wrapped;   /* the lines were broken where the pane ends */
    size_t height;     /* lines in sight when it was drawn last */
    size_t cut;        /* how many of them did not fit into their columns */
    size_t found;      /* the line that was found or gone to last */
    bool has_cursor;   /* that line is marked */
    struct pattern filter;
    struct {
        size_t *items; /* the lines that pass, as of the last drawing */
        size_t count, capacity;
    } passing;
};

/* Free what drawing keeps; all zeros afterwards.  The texts of the lines are the caller's. */
void widget_text_release(struct widget_text *text);

/* Leave no lines; the place in the text stays. */
void widget_text_clear(struct widget_text *text);

/* Append what `len` bytes of text hold, line by line, numbered from `first` unless 0. */
void widget_text_add(struct widget_text *text, const char *bytes, size_t len, size_t first);

/* The same of code, numbered from 1; of the last code only what is different is read. */
void widget_text_add_code(struct widget_text *text, const struct lexer_language *code,
                          const char *bytes, size_t len);

/* Append a line, and spans of it. */
void widget_text_add_line(struct widget_text *text, const struct text_line *line,
                          const struct text_span *spans, size_t span_count);

/* Append text, broken so that no line takes more than `columns`. */
void widget_text_add_wrapped(struct widget_text *text, const char *bytes, size_t len, int columns);

/* Break the lines that take more than `columns`, line numbers and marks included. */
void widget_text_wrap(struct widget_text *text, int columns);

/* Draw the lines that pass the filter from `top` on, with numbers, marks and flags. */
void widget_text_draw(struct widget_text *text, struct area area);

/* Bring a line into sight. */
void widget_text_show_line(struct widget_text *text, size_t line);

/* The same, and mark it. */
void widget_text_go_to(struct widget_text *text, size_t line);

/*
 * Show the next line with the pattern (`direction` 1), or the one before (-1), round the end, or
 * the first from here on (0); false: there is none.
 */
bool widget_text_find(struct widget_text *text, const struct pattern *pattern, int direction);

/* Append the lines that pass the filter, each as a whole. */
void widget_text_add_text(const struct widget_text *text, struct strbuf *out);

/* Scroll by a command, or go to a place or heading; return whether it was one that does. */
bool widget_text_scroll(struct widget_text *text, enum screen_command command);

#endif
