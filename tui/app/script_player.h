#ifndef TUI_APP_SCRIPT_PLAYER_H
#define TUI_APP_SCRIPT_PLAYER_H

#include "core/system/loop.h"
#include "tui/app/script.h"
#include "tui/keys/keymap.h"
#include "tui/term/canvas.h"

/*
 * Plays a key script against the program: one line after each frame.  A line
 * that waits for a text or an event is tried again after every frame, and
 * fails the script after 30 s.
 */

/* The program that a script acts on. */
struct script_actor {
    void (*key)(void *data, struct key key);
    void (*call)(void *data, const struct call *call);
    void (*resize)(void *data, int w, int h);
    void (*changed)(void *data); /* a line is done: draw the next frame */
    void (*failed)(void *data, const struct error *err);
    void (*finished)(void *data); /* the last line is done; called after each frame from then on */
    void *data;
};

/* All zeros is a player without a script. */
struct script_player {
    struct script script;
    struct script_actor actor;
    struct loop *loop;           /* borrowed */
    const struct canvas *canvas; /* the last frame; borrowed */
    unsigned noted;              /* types of events since the last "event" line, as bits */
    struct loop_timer patience;
};

/* Read the script; the error names the line. */
enum status script_player_open(struct script_player *player, const char *path, struct loop *loop,
                               const struct script_actor *actor, struct error *err) MUST_CHECK;
void script_player_release(struct script_player *player);

/* True while lines are left. */
bool script_player_is_playing(const struct script_player *player);

/* Call after each frame: carries out the next line, if it is not one that has to wait longer. */
void script_player_step(struct script_player *player, const struct canvas *canvas);

/* Call after each event of the session. */
void script_player_note_event(struct script_player *player, enum event_type type);

#endif
