#ifndef CORE_SESSION_STATE_CHANGES_H
#define CORE_SESSION_STATE_CHANGES_H

#include "core/base/strbuf.h"
#include "core/base/vec.h"
#include "core/session/state/session.h"

/*
 * Records the old values of the list items that events change. With them a session goes back to an
 * earlier state and forward again, in a time that depends on the number of changes and not on the
 * size of the session.
 *
 * While session.changes is set, each function of the fold calls changes_note() before it changes an
 * item, and appends items with changes_push(). When a list gets shorter, its items stay in memory
 * behind the new end, so that going back restores them. The other members of a session are few: the
 * caller keeps a copy of all of them and restores it with changes_set_members().
 */

enum { CHANGES_LISTS = 7 };

struct changes {
    /* list, index and bytes of each noted item, in the order of the changes */
    struct strbuf items;
    /* for each list: only items below this index are noted; later ones are new */
    size_t known[CHANGES_LISTS];
};

/*
 * Note the present value of an item, or of the place behind the last one. Does nothing unless
 * session.changes is set.
 */
void changes_note(struct session *session, const void *item);

/* Append an item to a list of a session; evaluates its arguments more than once. */
#define changes_push(session, list, value)                                        \
    ((session)->list.count < (session)->list.capacity                             \
         ? changes_note((session), &(session)->list.items[(session)->list.count]) \
         : (void)0,                                                               \
     vec_push(&(session)->list, (value)))

/*
 * Forget all noted values, and note from now on the changes of the items that the session has now.
 */
void changes_begin(struct changes *changes, const struct session *session);

/* Raise each count in `most` to the length of the session's list, if that is larger. */
void changes_raise(size_t most[CHANGES_LISTS], const struct session *session);

/*
 * Swap the noted values with the present ones: changes_go_back() begins with the latest change,
 * changes_go_forward() with the earliest. The session must be in the state after the changes, or
 * before them. Members other than the lists do not change.
 */
void changes_go_back(struct strbuf *items, struct session *session);
void changes_go_forward(struct strbuf *items, struct session *session);

/* Copy all members of `from` except the items of the lists, the texts and session.changes. */
void changes_set_members(struct session *session, const struct session *from);

/*
 * Make an empty session equal to `from`. It shares the texts; `most` is the capacity of each list.
 */
void changes_copy(struct session *session, const struct session *from,
                  const size_t most[CHANGES_LISTS]);

#endif
