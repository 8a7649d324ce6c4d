#ifndef CORE_SESSION_DRIVER_BRIEFING_H
#define CORE_SESSION_DRIVER_BRIEFING_H

#include "core/agent/brief.h"
#include "core/session/driver/device_description.h"
#include "core/session/state/session.h"
#include "core/session/store/history.h"

/*
 * Makes the brief of an agent from the state of a session.  The briefing owns the texts that the
 * brief borrows, so the brief is valid until briefing_release().
 */
struct briefing {
    struct brief brief;
    struct device_description device_description;
    struct candidate previous;
    struct strbuf previous_reply, edit;
    struct verdict verdict;
    struct recommendation recommendation;
    const char **notes;
    struct strbuf reference;
    struct {
        struct brief_attachment *items;
        size_t count, capacity;
    } attachments;
    struct {
        struct strbuf *items; /* the contents of the attachments */
        size_t count, capacity;
    } bytes;
    struct {
        struct brief_record *items;
        size_t count, capacity;
    } records;
    struct {
        const char **items;
        size_t count, capacity;
    } refused;
};

/*
 * Fill in the brief from the session. The caller first sets brief.problem, .exchange and .context.
 * The caller releases the briefing, also after a failure.
 */
enum status briefing_make(struct briefing *briefing, enum agent_task task,
                          const struct session *session, struct history *history,
                          struct error *err) MUST_CHECK;
/* Free the contents and leave an empty briefing. */
void briefing_release(struct briefing *briefing);

/*
 * The attempt that the analysis is about, or that the next prompt asks to improve or repair; NULL
 * for none.
 */
const struct attempt *briefing_subject(enum agent_task task, const struct session *session);

#endif
