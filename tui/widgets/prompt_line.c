#include "tui/widgets/prompt_line.h"

#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <pthread.h>
#include <pty.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "tui/term/term_current.h"
#include "tui/widgets/prompt_history.h"

enum { MAX_KEY_CODES = 8 };

struct prompt_line {
    EditLine *editor;
    struct prompt_history *history; /* NULL: none is kept */
    size_t (*complete)(const char *line, struct strbuf *words);
    int terminal, controller; /* both ends of a pty: libedit edits on terminals only */
    FILE *in, *nowhere;

    pthread_t thread;               /* runs libedit, in turns with the caller */
    sem_t editor_turn, caller_turn; /* posted to let the editor, or the caller, run */
    wchar_t codes[MAX_KEY_CODES];   /* codes of the last key; the first `codes_taken` were read */
    size_t code_count, codes_taken;
    bool is_ending;  /* the caller closes the line, so libedit reads the end of its input */
    bool has_ended;  /* el_wgets() has returned and the thread has ended */
    bool is_entered; /* el_wgets() returned a line, not the end of input */

    struct strbuf text; /* the line, in UTF-8 */
    size_t at;          /* the cursor, as a byte offset in the text */
    struct strbuf words;
};

/* Copy a line of libedit and its cursor. */
static void set_text(struct prompt_line *line, const LineInfoW *info)
{
    strbuf_release(&line->text);
    for (const wchar_t *c = info->buffer; c < info->lastchar; c++) {
        if (c == info->cursor)
            line->at = line->text.len;
        utf8_encode(&line->text, *c == L'\n' ? ' ' : (uint32_t)*c);
    }
    if (info->cursor == info->lastchar)
        line->at = line->text.len;
}

/* Copy the line while it is being edited. */
static void adopt_line(struct prompt_line *line)
{
    set_text(line, el_wline(line->editor));
}

/*
 * The editor's thread and the caller take turns: each posts the other's semaphore and waits for its
 * own, so the two never run at the same time. For this reason nothing here takes a lock.
 */

static void wait_for(sem_t *turn)
{
    while (sem_wait(turn) != 0 && errno == EINTR)
        continue;
}

/*
 * Called by libedit to read a character. Lets the caller run until there is one; returns 0 at the
 * end of the input.
 */
static int take_code(EditLine *editor, wchar_t *code)
{
    struct prompt_line *line = NULL;

    el_wget(editor, EL_CLIENTDATA, &line);
    if (line->codes_taken == line->code_count && !line->is_ending) {
        adopt_line(line);
        sem_post(&line->caller_turn);
        wait_for(&line->editor_turn);
    }
    if (line->is_ending)
        return 0;
    *code = line->codes[line->codes_taken++];
    return 1;
}

static void *read_line(void *data)
{
    struct prompt_line *line = data;
    int count = 0;
    const wchar_t *entered = el_wgets(line->editor, &count);

    line->is_entered = entered && count > 0;
    /* Drop the newline, and the blank that completion adds after a word. */
    while (entered && count > 0 && wcschr(L"\n ", entered[count - 1]))
        count--;
    if (line->is_entered)
        set_text(line, &(LineInfoW){entered, entered + count, entered + count});
    line->has_ended = true;
    sem_post(&line->caller_turn);
    return NULL;
}

/* Let the thread run until it has taken all codes of the key, or has ended. */
static void run_editor(struct prompt_line *line)
{
    if (line->has_ended)
        return;
    sem_post(&line->editor_turn);
    wait_for(&line->caller_turn);
}

/* Start the thread and run it until it waits for the first key. */
static void start_editor(struct prompt_line *line)
{
    sem_init(&line->editor_turn, 0, 0);
    sem_init(&line->caller_turn, 0, 0);
    if (pthread_create(&line->thread, NULL, read_line, line) != 0)
        abort(); /* without a thread nothing works */
    wait_for(&line->caller_turn);
}

static void stop_editor(struct prompt_line *line)
{
    line->is_ending = true;
    run_editor(line);
    pthread_join(line->thread, NULL);
    sem_destroy(&line->editor_turn);
    sem_destroy(&line->caller_turn);
}

static size_t common_length(const char *words)
{
    size_t common = strcspn(words, "\n");

    for (const char *word = words; *word; word += strcspn(word, "\n") + 1) {
        size_t i = 0;

        while (i < common && word[i] == words[i] && word[i] != '\n')
            i++;
        common = i;
    }
    return common;
}

static void insert_bytes(struct prompt_line *line, const char *text, size_t len)
{
    while (len > 0) {
        uint32_t code;
        size_t taken = utf8_decode(text, len, &code);
        const wchar_t wide[] = {utf8_is_hazardous(code) ? L' ' : (wchar_t)code, L'\0'};

        el_winsertstr(line->editor, wide);
        text += taken;
        len -= taken;
    }
}

static unsigned char complete(EditLine *editor, int key)
{
    struct prompt_line *line = NULL;
    size_t start, typed, common;
    const char *words;

    (void)key;
    el_wget(editor, EL_CLIENTDATA, &line);
    adopt_line(line);
    if (!line->complete || line->at != line->text.len)
        return CC_ERROR;
    start = line->complete(strbuf_cstr(&line->text), &line->words);
    words = strbuf_cstr(&line->words);
    if (!*words)
        return CC_ERROR;
    typed = line->text.len - start;
    common = common_length(words);
    insert_bytes(line, words + typed, common - typed);
    if (words[common + 1] == '\0') { /* a single completion; after a folder the user can type on */
        if (words[common - 1] != '/')
            insert_bytes(line, " ", 1);
        strbuf_release(&line->words);
    }
    return CC_REFRESH;
}

static void bind_keys(EditLine *editor)
{
    static const wchar_t *const keys[][2] = {
        {L"\\e[A", L"ed-prev-history"},      {L"\\e[B", L"ed-next-history"},
        {L"\\e[C", L"ed-next-char"},         {L"\\e[D", L"ed-prev-char"},
        {L"\\e[H", L"ed-move-to-beg"},       {L"\\e[F", L"ed-move-to-end"},
        {L"\\e[3~", L"ed-delete-next-char"}, {L"^W", L"ed-delete-prev-word"},
        {L"^U", L"vi-kill-line-prev"},       {L"^R", L"em-inc-search-prev"},
    };

    for (size_t i = 0; i < COUNT(keys); i++)
        el_wset(editor, EL_BIND, keys[i][0], keys[i][1], NULL);
    el_wset(editor, EL_ADDFN, L"complete", L"complete the word", complete);
    el_wset(editor, EL_BIND, L"\t", L"complete", NULL);
}

/*
 * Start libedit. Call this through term_current_keep(): el_init_fd() calls tgetent(), which makes
 * another terminal than the screen's terminfo's current one.
 */
static void open_editor(void *data)
{
    struct prompt_line *line = data;

    line->editor = el_init_fd("kforge", line->in, line->nowhere, line->nowhere, line->terminal,
                              line->terminal, fileno(line->nowhere));
}

struct prompt_line *prompt_line_new(const struct prompt_line_options *options)
{
    struct prompt_line *line = mem_alloc_zeroed(1, sizeof(*line));

    line->complete = options->complete;
    if (openpty(&line->controller, &line->terminal, NULL, NULL, NULL) != 0)
        abort(); /* without a descriptor nothing works */
    fcntl(line->controller, F_SETFD, FD_CLOEXEC);
    fcntl(line->terminal, F_SETFD, FD_CLOEXEC);
    line->in = fdopen(fcntl(line->terminal, F_DUPFD_CLOEXEC, 0), "r");
    line->nowhere = fopen("/dev/null", "we");
    term_current_keep(open_editor, line);
    el_wset(line->editor, EL_CLIENTDATA, line);
    el_wset(line->editor, EL_EDITOR, L"emacs");
    bind_keys(line->editor);
    if (options->history) {
        line->history = prompt_history_new(options->history);
        el_wset(line->editor, EL_HIST, history_w, prompt_history_lines(line->history));
    }
    el_source(line->editor, NULL);
    el_wset(line->editor, EL_GETCFN, take_code);
    start_editor(line);
    return line;
}

void prompt_line_free(struct prompt_line *line)
{
    if (!line)
        return;
    stop_editor(line);
    el_end(line->editor);
    prompt_history_free(line->history);
    fclose(line->in);
    fclose(line->nowhere);
    close(line->terminal);
    close(line->controller);
    strbuf_release(&line->text);
    strbuf_release(&line->words);
    free(line);
}

void prompt_line_add_version(struct strbuf *out)
{
    strbuf_addf(out, "libedit %d.%d", LIBEDIT_MAJOR, LIBEDIT_MINOR);
}

static const struct {
    enum input input;
    const wchar_t *codes; /* bound in bind_keys(), or known to libedit */
} sequences[] = {
    {INPUT_ENTER, L"\n"},       {INPUT_TAB, L"\t"},         {INPUT_ESCAPE, L"\033"},
    {INPUT_BACKSPACE, L"\177"}, {INPUT_DELETE, L"\033[3~"}, {INPUT_UP, L"\033[A"},
    {INPUT_DOWN, L"\033[B"},    {INPUT_RIGHT, L"\033[C"},   {INPUT_LEFT, L"\033[D"},
    {INPUT_HOME, L"\033[H"},    {INPUT_END, L"\033[F"},
};

static void add_code(struct prompt_line *line, wchar_t code)
{
    line->codes[line->code_count++] = code;
}

static void add_codes(struct prompt_line *line, struct key key)
{
    line->code_count = line->codes_taken = 0;
    if (key.modifiers & KEY_MOD_ALT)
        add_code(line, L'\033');
    if (key.input == INPUT_TEXT && (key.modifiers & KEY_MOD_CTRL))
        add_code(line, (wchar_t)(key.code & 0x1f));
    else if (key.input == INPUT_TEXT && !utf8_is_hazardous(key.code))
        add_code(line, (wchar_t)key.code);
    for (size_t i = 0; i < COUNT(sequences); i++)
        if (sequences[i].input == key.input)
            for (const wchar_t *code = sequences[i].codes; *code; code++)
                add_code(line, *code);
}

/* Escape leaves, but with vi keys it enters command mode.  Ctrl-C and Ctrl-G always leave. */
static bool is_leaving(const struct prompt_line *line, struct key key)
{
    const wchar_t *mode = NULL;

    if (key.input == INPUT_TEXT && key.modifiers == KEY_MOD_CTRL)
        return key.code == 'c' || key.code == 'g';
    if (key.input != INPUT_ESCAPE)
        return false;
    el_wget(line->editor, EL_EDITOR, &mode);
    return !mode || wcscmp(mode, L"vi") != 0;
}

enum prompt_line_state prompt_line_key(struct prompt_line *line, struct key key)
{
    if (is_leaving(line, key))
        return PROMPT_LINE_LEFT;
    strbuf_release(&line->words);
    add_codes(line, key);
    if (line->code_count > 0)
        run_editor(line);
    if (!line->has_ended)
        return PROMPT_LINE_EDITING;
    if (line->is_entered && line->history)
        prompt_history_add(line->history, strbuf_cstr(&line->text));
    return line->is_entered ? PROMPT_LINE_ENTERED : PROMPT_LINE_LEFT;
}

void prompt_line_insert(struct prompt_line *line, const char *text, size_t len)
{
    strbuf_release(&line->words);
    insert_bytes(line, text, len);
    adopt_line(line);
}

const char *prompt_line_text(const struct prompt_line *line)
{
    return strbuf_cstr(&line->text);
}

const char *prompt_line_words(const struct prompt_line *line)
{
    return strbuf_cstr(&line->words);
}

void prompt_line_draw(const struct prompt_line *line, const char *label, struct area area)
{
    struct pen pen = area_pen(area, 0, 0);
    int label_columns, cursor, hidden;
    struct area field;

    pen_puts(&pen, ROLE_STRONG, label);
    label_columns = pen.x;
    field = area_part(area, (struct rect){label_columns, 0, area.rect.w - label_columns, 1});
    cursor = canvas_text_columns(strbuf_cstr(&line->text), line->at);
    hidden = cursor < field.rect.w ? 0 : cursor - field.rect.w + 1;
    pen = area_pen(field, -hidden, 0);
    pen_put(&pen, ROLE_TEXT, strbuf_cstr(&line->text), line->text.len);
    area_set_cursor(field, cursor - hidden, 0);
}
