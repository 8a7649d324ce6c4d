#ifndef CORE_SESSION_STATE_OBJECT_ID_H
#define CORE_SESSION_STATE_OBJECT_ID_H

/*
 * The name of a git object: a SHA-1 in 40 lower-case hexadecimal digits.  Session state and events
 * hold texts by the id of their blob; the history (store/history.h) reads and writes the blobs.
 */
enum { OBJECT_ID_SIZE = 41 }; /* in bytes, with the terminating NUL */

#endif
