#ifndef CORE_BASE_FORMATS_OSC52_H
#define CORE_BASE_FORMATS_OSC52_H

#include <stddef.h>

#include "core/base/strbuf.h"

/*
 * Append the escape sequence that asks a terminal to put the bytes on the
 * clipboard: OSC 52 (xterm control sequences, "Operating System Commands"),
 * with the bytes in base64.  It also works over ssh.  A terminal does not
 * answer it, so no program can know whether the terminal obeyed.
 */
void osc52_add_copy(struct strbuf *out, const char *bytes, size_t len);

#endif
