#ifndef TESTS_UNIT_SESSION_BACK_H
#define TESTS_UNIT_SESSION_BACK_H

#include "core/session/state/changes.h"
#include "core/session/state/fold.h"
#include "tests/unit/unit.h"

/* A copy of a session, byte by byte. */
static inline struct session copy_session(const struct session *session)
{
    size_t counts[CHANGES_LISTS] = {0};
    struct session copy = {0};

    changes_raise(counts, session);
    changes_copy(&copy, session, counts);
    return copy;
}

/* Check that two sessions have the same items, byte by byte. */
static inline void assert_same_items(const struct session *a, const struct session *b)
{
#define ASSERT_SAME(list)                           \
    assert_int_equal(a->list.count, b->list.count); \
    if (a->list.count)                              \
        assert_memory_equal(a->list.items, b->list.items, a->list.count * sizeof(*a->list.items));
    ASSERT_SAME(steps)
    ASSERT_SAME(attempts)
    ASSERT_SAME(baselines)
    ASSERT_SAME(notes)
    ASSERT_SAME(attachments)
    ASSERT_SAME(undos)
    ASSERT_SAME(set_aside)
#undef ASSERT_SAME
}

/*
 * Apply an event, go back before it and forwards again.  Each state must be found again, so the
 * event must have noted every item that it changed.
 */
static inline enum status apply_back_and_forth(struct session *session, const struct event *event,
                                               struct error *err)
{
    struct session before = copy_session(session), after;
    struct changes changes = {0};
    enum status st;

    changes_begin(&changes, session);
    session->changes = &changes;
    st = fold_apply(session, event, err);
    session->changes = NULL;
    after = copy_session(session);
    changes_go_back(&changes.items, session);
    changes_set_members(session, &before);
    assert_same_items(session, &before);
    changes_go_forward(&changes.items, session);
    changes_set_members(session, &after);
    assert_same_items(session, &after);
    strbuf_release(&changes.items);
    session_release(&before);
    session_release(&after);
    return st;
}

#endif
