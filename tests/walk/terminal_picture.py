"""Pictures of a terminal: what `tmux capture-pane -e -p` prints, as SVG (1.1), in the look of :screen FILE.svg."""
import re
import unicodedata
from xml.sax.saxutils import escape

CELL_W, CELL_H, BASELINE = 9, 18, 14
OWN_FG, OWN_BG = "#d8dee9", "#14171c"
BOLD, DIM, ITALIC, UNDERLINE, REVERSE = 1, 2, 3, 4, 7

# xterm's first 16 colours, as tui/term/colour.c has them.
FIRST16 = ("000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 "
           "7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff").split()
# Columns and rows of the dots of a Braille character, in the order of their bits; fonts of fixed width lack them.
BRAILLE = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))


def colour_of_256(place):
    """Return a colour of xterm's palette as #RRGGBB."""
    if place < 16:
        return "#" + FIRST16[place]
    if place >= 232:
        return "#" + 3 * f"{8 + 10 * (place - 232):02x}"
    levels = (0, 95, 135, 175, 215, 255)
    place -= 16
    return "#" + "".join(f"{levels[place // step % 6]:02x}" for step in (36, 6, 1))


class Ink:
    """The colours and attributes that select graphic rendition (ECMA-48 SGR) has set."""

    def __init__(self):
        self.fg = self.bg = None
        self.attributes = set()

    def key(self):
        """Return foreground, ground and attributes as they are drawn."""
        fg, bg = self.fg or OWN_FG, self.bg or OWN_BG
        fg, bg = (bg, fg) if REVERSE in self.attributes else (fg, bg)
        return fg, bg, self.attributes.copy()

    def set(self, parameters):
        """Apply the parameters of one sequence."""
        codes = [int(code or 0) for code in re.split("[;:]", parameters)]
        while codes:
            code = codes.pop(0)
            if code in (38, 48):
                self.set_ground(code == 48, self.take_colour(codes))
            elif 30 <= code <= 49:
                self.set_ground(code >= 40, None if code % 10 == 9 else colour_of_256(code % 10))
            elif 90 <= code <= 107:
                self.set_ground(code >= 100, colour_of_256(code % 10 + 8))
            elif code == 0:
                self.__init__()
            else:
                self.set_attribute(code)

    def set_ground(self, is_ground, colour):
        if is_ground:
            self.bg = colour
        else:
            self.fg = colour

    def set_attribute(self, code):
        if code == 22:
            self.attributes -= {BOLD, DIM}
        elif code > 20:
            self.attributes.discard(code - 20)
        else:
            self.attributes.add(code)

    @staticmethod
    def take_colour(codes):
        if codes.pop(0) == 5:
            return colour_of_256(codes.pop(0))
        return "#" + "".join(f"{codes.pop(0):02x}" for _ in range(3))


def runs_of(line, ink):
    """Yield (column, columns, text, ink) for the parts of a line that look alike."""
    column = 0
    for sequence, text in re.findall("\x1b\\[([0-9;:]*)m|([^\x1b]+)", line):
        if not text:
            ink.set(sequence)
            continue
        width = sum(2 if unicodedata.east_asian_width(c) in "WF" else not unicodedata.combining(c) for c in text)
        yield column, width, text, ink.key()
        column += width


def dots(column, row, text):
    """Return the path of the Braille dots of a text."""
    return "".join(f"M{(column + i) * CELL_W + 1 + x * 5} {row * CELL_H + 2 + y * 4}h2v2h-2z"
                   for i, c in enumerate(text) if 0x2800 <= ord(c) < 0x2900
                   for bit, (x, y) in enumerate(BRAILLE) if ord(c) - 0x2800 >> bit & 1)


def rect(column, row, width, colour):
    """Return the ground of some cells; the terminal's own needs none."""
    if width <= 0 or colour == OWN_BG:
        return ""
    return (f"<rect x='{column * CELL_W}' y='{row * CELL_H}' width='{width * CELL_W}' height='{CELL_H}' "
            f"fill='{colour}'/>")


def picture(captured, columns, rows):
    """Return the SVG of a captured screen.  tmux leaves out cells that were erased: they have the last ground."""
    out = [f"<svg xmlns='http://www.w3.org/2000/svg' width='{columns * CELL_W}' height='{rows * CELL_H}' "
           "font-family='DejaVu Sans Mono, monospace' font-size='14.95' xml:space='preserve'>",
           f"<rect width='100%' height='100%' fill='{OWN_BG}'/>"]
    ink, last = Ink(), OWN_BG
    for row, line in enumerate(captured.split("\n")[:rows]):
        end = 0
        for column, width, text, (fg, bg, attributes) in runs_of(line, ink):
            x, y, end = column * CELL_W, row * CELL_H, column + width
            last = bg
            out.append(rect(column, row, width, bg))
            style = "".join(look for bit, look in (
                (BOLD, " font-weight='bold'"), (DIM, " opacity='0.6'"), (ITALIC, " font-style='italic'"),
                (UNDERLINE, " text-decoration='underline'")) if bit in attributes)
            shown = "".join(" " if 0x2800 <= ord(c) < 0x2900 else c for c in text)
            out.append(f"<text x='{x}' y='{y + BASELINE}' textLength='{width * CELL_W}' fill='{fg}'{style}>"
                       f"{escape(shown)}</text>")
            path = dots(column, row, text)
            if path:
                out.append(f"<path fill='{fg}' d='{path}'/>")
        out.append(rect(end, row, columns - end, last))
    return "\n".join(filter(None, out)) + "\n</svg>\n"
