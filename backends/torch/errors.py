"""Describes an error in a model's file in one line: the place, the fault, the remedy."""

import traceback

# As in core/base/status.h.
INVALID, UNAVAILABLE = 1, 3


class BridgeError(Exception):
    """An error whose text is one line for the user."""

    def __init__(self, text, code=INVALID):
        super().__init__(text)
        self.code = code


class TimedOut(BaseException):
    """The request took too long.  A BaseException, which `except Exception` does not catch."""


def place_in(file, error):
    """Return FILE:LINE, the innermost line of the file in the traceback, or FILE if there is none."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
             if frame.filename == file]
    return f"{file}:{lines[-1]}" if lines else file


def _one_line(error):
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__


def _is_memory(error):
    text = str(error)
    return isinstance(error, MemoryError) or "out of memory" in text or "can't allocate" in text


def _is_network(error):
    """Return True if the cause is the containment, which refuses internet sockets."""
    module = type(error).__module__
    return module in ("socket", "urllib.error", "requests.exceptions") or (
        isinstance(error, OSError) and error.filename is None)


def _describe(error):
    if isinstance(error, ModuleNotFoundError):
        return f"no module \"{error.name}\": install it for this Python, or remove the import"
    if isinstance(error, ImportError):
        return f"{_one_line(error)}: install what the module needs, or remove the import"
    if _is_memory(error):
        return "needs more memory than the machine has: choose smaller sizes"
    if isinstance(error, OSError) and not _is_network(error):
        return (f"opens the file \"{error.filename}\" ({error.strerror}): make the data in the model's "
                "file")
    if _is_network(error):
        return "uses the network, which is closed to models: make the data in the model's file"
    if isinstance(error, SystemExit):
        return "ends the process: remove the call of exit() or sys.exit()"
    return f"{type(error).__name__}: {_one_line(error)}"


def explain(file, error, seconds):
    """Turn an error into a BridgeError; `seconds` is the time limit of the request."""
    if isinstance(error, BridgeError):
        return error
    if isinstance(error, SyntaxError) and error.filename == file:
        return BridgeError(f"{file}:{error.lineno}: syntax error: {error.msg}")
    location = place_in(file, error)
    if isinstance(error, TimedOut):
        return BridgeError(f"{location}: still running after {seconds:g} s: look for an endless loop")
    return BridgeError(f"{location}: {_describe(error)}")
