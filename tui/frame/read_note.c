#include "tui/frame/read_note.h"

#include "tui/frame/hints.h"

/*
 * The forms of the note, from the longest to the shortest. The shortest names only the first key.
 * Sentences are for wide lines.
 */
enum { FORM_SENTENCE, FORM_WORDS, FORM_NUMBERS, FORM_ONE_REMEDY, WIDE_COLUMNS = 110 };

static const struct keymap_row *row_of_pane(int number)
{
    const struct keymap_row *row = keymap_table;

    while (row->command != COMMAND_PANE || row->number != number)
        row++;
    return row;
}

/* The command that shows lines that were not seen, or the pane. */
static const struct keymap_row *row_of_lines(const struct read_note *note)
{
    if (!note->progress->is_here || !note->is_focused)
        return row_of_pane(note->pane);
    return keymap_row_of(note->is_alone ? COMMAND_HALF_DOWN : COMMAND_FULL);
}

static const char *words_of(const struct keymap_row *row)
{
    switch ((int)row->command) {
    case COMMAND_WRAP:
        return "wrap";
    case COMMAND_FULL:
        return "full pane";
    case COMMAND_HALF_DOWN:
        return "read on";
    default:
        return "go there";
    }
}

/* Add the key that shows more of the text: " (f: full pane)", or ": f". */
static void add_remedy(const struct keymap *keymap, const struct keymap_row *row, int form,
                       struct strbuf *out)
{
    char key[KEYMAP_KEY_SIZE];

    keymap_key(keymap, row, key);
    if (form == FORM_SENTENCE)
        strbuf_addf(out, " (%s: %s)", key, words_of(row));
    else
        strbuf_addf(out, ": %s", key);
}

static void add_lines_seen(const struct read_note *note, const struct keymap *keymap, int form,
                           struct strbuf *out)
{
    const struct read_progress *progress = note->progress;
    const char *lines = form >= FORM_NUMBERS ? "" : " lines seen";
    bool is_short = form == FORM_ONE_REMEDY;
    bool has_cut = progress->cut && (!is_short || progress->is_whole);

    if (!progress->is_whole)
        strbuf_addf(out, "%zu of %zu%s", progress->seen, progress->lines, lines);
    else if (!has_cut || !is_short)
        strbuf_addf(out, "all %zu%s", progress->lines, lines);
    if (!progress->is_whole && note->is_focused)
        add_remedy(keymap, row_of_lines(note), form, out);
    if (has_cut)
        strbuf_addf(out, "%s%zu cut", out->len ? ", " : "", progress->cut);
    if (has_cut && note->is_focused)
        add_remedy(keymap, keymap_row_of(COMMAND_WRAP), form, out);
    if (!note->is_focused && (!progress->is_whole || has_cut))
        add_remedy(keymap, row_of_lines(note), form, out);
}

static void write_form(const struct read_note *note, const struct keymap *keymap, int form,
                       struct strbuf *out)
{
    char key[KEYMAP_KEY_SIZE];

    out->len = 0;
    keymap_key(keymap, row_of_pane(note->pane), key);
    if (note->progress->is_here)
        add_lines_seen(note, keymap, form, out);
    else if (form == FORM_SENTENCE)
        strbuf_addf(out, "read pane %d first: press %s", note->pane, key);
    else
        strbuf_addf(out, "unread: press %s", key);
}

/* The row of the first key that the note names; NULL if it names none. */
static const struct keymap_row *first_remedy(const struct read_note *note)
{
    const struct read_progress *progress = note->progress;

    if (progress->is_here && progress->is_whole && !progress->cut)
        return NULL;
    if (progress->is_here && progress->is_whole && note->is_focused)
        return keymap_row_of(COMMAND_WRAP);
    return row_of_lines(note);
}

int read_note_put(const struct read_note *note, const struct keymap *keymap, int needed,
                  struct area line)
{
    const struct keymap_row *remedy = first_remedy(note);
    struct strbuf text = {0};
    int form = line.rect.w >= WIDE_COLUMNS ? FORM_SENTENCE : FORM_WORDS, left;
    struct pen pen;

    write_form(note, keymap, form, &text);
    while (form < FORM_ONE_REMEDY && line.rect.w - (int)text.len - 1 < needed)
        write_form(note, keymap, ++form, &text);
    left = line.rect.w - (int)text.len - 1;
    pen = area_pen(line, left, 0);
    pen_puts(&pen, remedy ? ROLE_WARNING : ROLE_GOOD, strbuf_cstr(&text));
    if (remedy)
        hints_link(line, (struct rect){left, 0, (int)text.len, 1}, remedy);
    strbuf_release(&text);
    return left;
}
