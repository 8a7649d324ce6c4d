"""Tests that pictures of a terminal show its colours, attributes and characters."""
import unittest

from terminal_picture import OWN_BG, OWN_FG, REVERSE, Ink, picture, runs_of


def looks(line):
    """Return (column, text, foreground, ground) of each part of a line."""
    return [(column, text, fg, bg) for column, _, text, (fg, bg, _) in runs_of(line, Ink())]


class Pictures(unittest.TestCase):
    def test_colours_of_all_depths(self):
        self.assertEqual(looks("a\x1b[38;2;1;2;255mb\x1b[48;5;196mc\x1b[39;49md\x1b[31;102me\x1b[mf"), [
            (0, "a", OWN_FG, OWN_BG), (1, "b", "#0102ff", OWN_BG), (2, "c", "#0102ff", "#ff0000"),
            (3, "d", OWN_FG, OWN_BG), (4, "e", "#cd0000", "#00ff00"), (5, "f", OWN_FG, OWN_BG)])

    def test_reverse_swaps_and_ends(self):
        self.assertEqual(looks("\x1b[7;38;5;244ma\x1b[27mb"), [
            (0, "a", OWN_BG, "#808080"), (1, "b", "#808080", OWN_BG)])
        ink = Ink()
        ink.set("1;4;7")
        ink.set("22;24")
        self.assertEqual(ink.attributes, {REVERSE})

    def test_brackets_and_wide_characters_keep_their_columns(self):
        self.assertEqual([part[:2] for part in looks("f(0);\x1b[1m\u4e2d\x1b[0mx")], [
            (0, "f(0);"), (5, "\u4e2d"), (7, "x")])

    def test_the_last_ground_goes_to_the_end_of_the_row(self):
        self.assertIn("<rect x='9' y='0' width='27' height='18' fill='#0000ee'/>", picture("\x1b[44ma", 4, 1))

    def test_braille_becomes_dots(self):
        drawn = picture("\u2803<", 2, 1)
        self.assertIn("d='M1 2h2v2h-2zM1 6h2v2h-2z'", drawn)
        self.assertIn("> &lt;</text>", drawn)


if __name__ == "__main__":
    unittest.main()
