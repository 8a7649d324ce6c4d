#ifndef CORE_SESSION_STATE_CHANGES_H
#define CORE_SESSION_STATE_CHANGES_H

#include "core/base/strbuf.h"
#include "core/base/vec.h"
#include "core/session/state/session.h"

/*
 * The values that the items of a session's lists had before events changed them.  They lead back to
 * an earlier state and forwards again, at the cost of what has changed and not of the whole state.
 *
 * Events note them while session.changes is set: each function of the fold calls changes_note()
 * before it changes an item, and appends by changes_push().  A list that gets shorter keeps its
 * items behind its end, where the way back finds them.  The other members of a session are few, so
 * who goes back keeps them whole: changes_set_members().
 */

enum { CHANGES_LISTS = 7 };

struct changes {
    struct strbuf items;         /* in the order of the changes: list, index and bytes of each */
    size_t known[CHANGES_LISTS]; /* for each list: items before this index are noted */
};

/* Note an item, or the place behind the last one, if session.changes is set. */
void changes_note(struct session *session, const void *item);

/* Append an item to a list of a session; evaluates its arguments more than once. */
#define changes_push(session, list, value)                                        \
    ((session)->list.count < (session)->list.capacity                             \
         ? changes_note((session), &(session)->list.items[(session)->list.count]) \
         : (void)0,                                                               \
     vec_push(&(session)->list, (value)))

/* Note from now on the changes of those items that the session has; forget earlier ones. */
void changes_begin(struct changes *changes, const struct session *session);

/* Raise each count in `most` to that of the session's list. */
void changes_raise(size_t most[CHANGES_LISTS], const struct session *session);

/*
 * Exchange the noted values with the present ones, the latest first or last.  The session must be
 * in the state after the changes or before them; its members stay.
 */
void changes_go_back(struct strbuf *items, struct session *session);
void changes_go_forward(struct strbuf *items, struct session *session);

/* Copy all members of `from` but the items of the lists, the texts and session.changes. */
void changes_set_members(struct session *session, const struct session *from);

/* Make an empty session equal to `from`, with room for `most` items in its lists, and its texts. */
void changes_copy(struct session *session, const struct session *from,
                  const size_t most[CHANGES_LISTS]);

#endif
