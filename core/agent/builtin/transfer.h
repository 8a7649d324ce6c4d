#ifndef CORE_AGENT_BUILTIN_TRANSFER_H
#define CORE_AGENT_BUILTIN_TRANSFER_H

#include "core/agent/brief.h"
#include "core/agent/builtin/plan/schedule.h"

/*
 * Takes the schedule of a reference (`--reference`, or the best kernel of a session in another
 * language) as the first schedule of a session. Only a reference that the built-in agents wrote has
 * one. If the reference is for the other kind of device, a CPU or a GPU, its tiles and groups do
 * not apply, and only the choices that do not depend on the device are taken.
 */

/*
 * Change the schedule to the reference's as far as that is possible here, and append to the remark
 * which choices were taken, or why none was. False, with nothing appended, if there is no
 * reference.
 */
bool transfer_take(const struct brief *brief, struct schedule *schedule, struct strbuf *remark);

#endif
