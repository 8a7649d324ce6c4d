#ifndef CORE_SESSION_DRIVER_BRIEFING_H
#define CORE_SESSION_DRIVER_BRIEFING_H

#include "core/agent/brief.h"
#include "core/session/driver/device_description.h"
#include "core/session/state/session.h"
#include "core/session/store/history.h"

/*
 * What an agent is told, put together from a session: the brief and the
 * texts that it borrows.
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
        struct strbuf *items; /* of the attachments */
        size_t count, capacity;
    } bytes;
    struct {
        struct brief_record *items;
        size_t count, capacity;
    } records;
};

/* `brief` comes with the problem; the rest is filled in from the session. */
enum status briefing_make(struct briefing *briefing, enum agent_task task,
                          const struct session *session, struct history *history,
                          struct error *err) MUST_CHECK;
void briefing_release(struct briefing *briefing);

/* The attempt that the brief's previous candidate is; NULL for none. */
const struct attempt *briefing_subject(enum agent_task task, const struct session *session);

#endif
