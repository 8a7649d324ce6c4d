#ifndef TUI_WIDGETS_WIDGET_TEXT_H
#define TUI_WIDGETS_WIDGET_TEXT_H

#include "tui/code/lexer_states.h"
#include "tui/keys/keymap.h"
#include "tui/term/canvas.h"
#include "tui/term/pattern.h"

/*
 * Lines of text that scroll vertically and sideways: source code with line numbers and syntax
 * colours, a difference, a reply as it streams in.  A filter hides the lines that do not match it.
 * A "place" is the index of a line among those that match.
 */

/* A range of bytes of a line that has a background of its own. */
struct text_span {
    size_t from, len;
};

struct text_span_list {
    struct text_span *items;
    size_t count, capacity;
};

/* One line without its newline; the text is borrowed. */
struct text_line {
    const char *text;
    size_t len;
    size_t number;   /* the line number to show, from 1; 0 if there is none */
    char mark;       /* shown before the text: '+', '-'; 0 if there is none */
    char flag;       /* shown behind the mark: 'E' for an error; 0 if there is none */
    double heat;     /* 0 to 1: the length of a bar before the mark */
    int bar;         /* columns of a bar behind the text */
    bool is_place;   /* the keys ] and [ stop here, and at each first line with a mark */
    bool is_heading; /* the key o stops here */
    int skip;        /* for a wrapped line: columns shown in the lines above */
    const struct lexer_language *code; /* NULL: plain text */
    unsigned state;                    /* state of the lexer at the start of the line */
    enum role role;                    /* role of plain text */
    enum role ground;
    enum role span_ground;
    const char *other; /* the line that it is compared with, or NULL */
    size_t other_len;
    bool has_spans;                /* its spans were found when it was drawn first */
    size_t first_span, span_count; /* indices into the widget's spans */
};

struct text_line_list {
    struct text_line *items;
    size_t count, capacity;
};

/* All zeros shows nothing.  The caller sets the lines; drawing and scrolling keep the rest. */
struct widget_text {
    struct text_line_list lines;
    struct text_span_list spans;
    void (*find_spans)(const struct text_line *line, struct text_span_list *spans); /* appends */
    /* states of the lexer for code added by widget_text_add_code() */
    struct lexer_states states;
    size_t highest;                   /* the highest line number */
    size_t top;                       /* the place of the first visible line */
    int left;                         /* columns that are scrolled off the left edge */
    const struct widget_text *beside; /* scrolls sideways with this text; NULL if none does */
    bool is_led;                      /* another text, whose `beside` is this one, sets `left` */
    bool has_marks;                   /* reserve columns for marks and flags */
    bool has_heat;                    /* reserve columns for the bars of heat */
    bool is_following;                /* stay at the end while lines arrive */
    bool is_wrapped;                  /* widget_text_wrap() has broken the long lines */
    size_t height;                    /* visible lines when the text was drawn last */
    size_t cut;                       /* how many of the visible lines were cut at an edge */
    size_t found;                     /* the index of the line that was last found or selected */
    bool has_cursor;                  /* highlight that line */
    struct pattern filter;
    struct {
        size_t *items; /* the lines that match the filter, as of the last drawing */
        size_t count, capacity;
    } passing;
};

/* Free the contents, but not the texts of the lines, which are borrowed; all zeros afterwards. */
void widget_text_release(struct widget_text *text);

/* Remove all lines; the scroll position stays. */
void widget_text_clear(struct widget_text *text);

/*
 * Append the lines of source code, numbered from 1.  Only lines that differ from the last code are
 * read by the lexer.
 */
void widget_text_add_code(struct widget_text *text, const struct lexer_language *code,
                          const char *bytes, size_t len);

/* Set the heat of the line with this number, 0 to 1, and reserve columns for bars of heat. */
void widget_text_heat(struct widget_text *text, size_t number, double heat);

/* Append a line. */
void widget_text_add_line(struct widget_text *text, const struct text_line *line);

/*
 * Find the spans of a line that is compared with another one. Drawing does this for visible lines.
 */
void widget_text_find_spans(struct widget_text *text, size_t line);

/* Append text, broken at blanks so that no line has more than `columns`. */
void widget_text_add_wrapped(struct widget_text *text, const char *bytes, size_t len, int columns);

/* Break the lines that have more than `columns`, including line numbers and marks. */
void widget_text_wrap(struct widget_text *text, int columns);

/* Draw the lines that match the filter from `top` on, with numbers, marks and flags. */
void widget_text_draw(struct widget_text *text, struct area area);

/*
 * The index of the line that was drawn at line `y` of the area; the number of lines if there is
 * none.
 */
size_t widget_text_line_at(const struct widget_text *text, int y);

/* Scroll so that a line is visible, and highlight it. */
void widget_text_go_to(struct widget_text *text, size_t line);

/*
 * Show the next line with a match (`direction` 1), the previous one (-1), or the first from here on
 * (0).  The search wraps around at the ends.  False: no line matches.
 */
bool widget_text_find(struct widget_text *text, const struct pattern *pattern, int direction);

/* Append the lines that match the filter, unwrapped. */
void widget_text_add_text(const struct widget_text *text, struct strbuf *out);

/* Scroll or go to a place or heading by a command; return whether the command is one of these. */
bool widget_text_scroll(struct widget_text *text, enum screen_command command);

#endif
