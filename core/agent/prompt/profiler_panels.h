#ifndef CORE_AGENT_PROMPT_PROFILER_PANELS_H
#define CORE_AGENT_PROMPT_PROFILER_PANELS_H

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * Append a description of the panels in a profiler's window, and of the questions that they answer,
 * for a model that gets a picture of the window. The picture's file name begins with the profiler's
 * name: "kcachegrind-2.png" for the file kcachegrind.md in kforge's configuration folder
 * profilers/, or in the shipped prompts/profilers/. Appends nothing for any other picture.
 */
enum status profiler_panels_add(const char *picture, struct strbuf *out,
                                struct error *err) MUST_CHECK;

#endif
