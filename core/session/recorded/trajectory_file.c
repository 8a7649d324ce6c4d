#include "core/session/recorded/trajectory_file.h"

#include <string.h>

#include "core/session/recorded/trajectory_csv.h"
#include "core/session/recorded/trajectory_svg.h"
#include "core/system/file.h"

static void add_picture(const struct recording *recording, const struct trajectory *trajectory,
                        enum trajectory_by by, struct strbuf *out)
{
    const struct session *session = &recording->session;
    struct trajectory_chart chart = trajectory_chart_of(trajectory, by);
    struct strbuf title = {0};

    strbuf_addf(&title, "%s on %s, session %s", session->problem_name,
                session->device ? session->device : "an unknown device", session->id);
    trajectory_svg_add(&chart, strbuf_cstr(&title), out);
    strbuf_release(&title);
}

static void add_table(const struct recording *recording, const struct trajectory *trajectory,
                      enum trajectory_by by, struct strbuf *out)
{
    (void)recording;
    (void)by;
    trajectory_csv_add(trajectory, out);
}

struct form {
    const char *ending;
    void (*add)(const struct recording *recording, const struct trajectory *trajectory,
                enum trajectory_by by, struct strbuf *out);
};

static const struct form forms[] = {{".svg", add_picture}, {".csv", add_table}, {0}};

/* The format that the ending of a name chooses; NULL for another ending. */
static const struct form *form_of(const char *path)
{
    const char *ending = strrchr(path, '.');

    for (const struct form *form = forms; ending && form->ending; form++)
        if (strcmp(form->ending, ending) == 0)
            return form;
    return NULL;
}

enum status trajectory_file_write(const struct recording *recording, enum trajectory_by by,
                                  const char *path, struct error *err)
{
    const struct attempt *reference =
        session_attempt(&recording->session, trajectory_reference(&recording->session));
    const struct form *form = form_of(path);
    struct trajectory trajectory = {0};
    struct verdict verdict = {0};
    struct strbuf text = {0};
    enum status st = STATUS_OK;

    if (!form)
        return error_set(err, STATUS_INVALID,
                         "%s: the name of a trajectory's file must end in .svg or .csv", path);
    trajectory_read(&trajectory, &recording->session);
    if (reference)
        st = recording_verdict(recording, reference, &verdict, err);
    if (!st) {
        trajectory_add_levels(&trajectory, trajectory_reference(&recording->session), &verdict);
        form->add(recording, &trajectory, by, &text);
        st = file_write(path, strbuf_cstr(&text), text.len, err);
    }
    strbuf_release(&text);
    verdict_release(&verdict);
    trajectory_release(&trajectory);
    return st;
}
