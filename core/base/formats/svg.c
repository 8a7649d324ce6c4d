#include "core/base/formats/svg.h"

void svg_begin(int width, int height, struct strbuf *out)
{
    strbuf_addf(out,
                "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
                "font-family='DejaVu Sans, sans-serif' font-size='13'>\n"
                "<rect width='100%%' height='100%%' fill='white'/>\n",
                width, height);
}

void svg_add_escaped(const char *text, struct strbuf *out)
{
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte == '<')
            strbuf_adds(out, "&lt;");
        else if (byte == '&')
            strbuf_adds(out, "&amp;");
        else if (byte >= ' ' || byte == '\t')
            strbuf_add(out, text, 1);
    }
}

void svg_add_text(double x, double y, const char *anchor, const char *text, struct strbuf *out)
{
    strbuf_addf(out, "<text x='%.1f' y='%.1f' text-anchor='%s'>", x, y, anchor);
    svg_add_escaped(text, out);
    strbuf_adds(out, "</text>\n");
}

void svg_add_line(const double from[2], const double to[2], const char *style, struct strbuf *out)
{
    strbuf_addf(out, "<path d='M%.1f %.1fL%.1f %.1f' fill='none' %s/>\n", from[0], from[1], to[0],
                to[1], style);
}
