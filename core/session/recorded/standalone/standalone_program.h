#ifndef CORE_SESSION_RECORDED_STANDALONE_STANDALONE_PROGRAM_H
#define CORE_SESSION_RECORDED_STANDALONE_STANDALONE_PROGRAM_H

#include "core/base/json.h"
#include "core/model/candidate.h"
#include "core/model/plan/dispatch.h"

/*
 * Describe the source and the launches of a program in the words of the templates of an export
 * (standalone.h); `file` is the name that the source will have. The caller frees the object.
 */
struct json *standalone_program_describe(const struct candidate *candidate,
                                         const struct dispatch *dispatch, const char *file);

#endif
