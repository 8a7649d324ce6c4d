#ifndef TUI_PANELS_REFERENCE_TITLE_H
#define TUI_PANELS_REFERENCE_TITLE_H

#include "core/base/strbuf.h"
#include "core/session/state/session.h"

/*
 * Append the name of the session's reference, the implementation for another platform, and its
 * verdict on this device if it was judged here: " ported from f.cu, correct here in 71.8 us".
 */
void reference_title_add(const struct session *session, struct strbuf *out);

#endif
