#ifndef CORE_SESSION_RECORDED_TRAJECTORY_SVG_H
#define CORE_SESSION_RECORDED_TRAJECTORY_SVG_H

#include "core/base/strbuf.h"
#include "core/session/state/trajectory_chart.h"

/*
 * Append the chart as a picture (SVG 1.1) on a white ground.  Marks differ by shape as well as by
 * colour.  A viewer shows an attempt's number, speed and title while the pointer is on its mark.
 */
void trajectory_svg_add(const struct trajectory_chart *chart, const char *title,
                        struct strbuf *out);

#endif
