"""What goes wrong in a stranger's file, in one line: the place, the fault, the remedy."""

import traceback

# As in core/base/status.h.
INVALID, UNAVAILABLE = 1, 3


class BridgeError(Exception):
    """A fault that is already said in one line."""

    def __init__(self, text, code=INVALID):
        super().__init__(text)
        self.code = code


class TimedOut(BaseException):
    """The time is up.  No Exception, so that `except Exception` does not swallow it."""


def _place(file, error):
    """The file with the innermost of its own lines that the error went through."""
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
    """Sockets of the internet are refused by the filter that the bridge starts under."""
    module = type(error).__module__
    return module in ("socket", "urllib.error", "requests.exceptions") or (
        isinstance(error, OSError) and error.filename is None)


def _say(error):
    if isinstance(error, ModuleNotFoundError):
        return f"no module \"{error.name}\": install it for this Python, or do without it"
    if isinstance(error, ImportError):
        return f"{_one_line(error)}: install what it needs, or do without it"
    if _is_memory(error):
        return "takes more memory than there is: make its sizes smaller"
    if isinstance(error, OSError) and not _is_network(error):
        return (f"needs the file \"{error.filename}\" ({error.strerror}): a problem is one file "
                "that makes all it needs")
    if _is_network(error):
        return "needs the network, which a model does not get: make the data in the file"
    if isinstance(error, SystemExit):
        return "ends the process: take the exit() out"
    return f"{type(error).__name__}: {_one_line(error)}"


def explain(file, error, seconds):
    """The error as BridgeError; `seconds` is what there was time for."""
    if isinstance(error, BridgeError):
        return error
    if isinstance(error, SyntaxError) and error.filename == file:
        return BridgeError(f"{file}:{error.lineno}: syntax error: {error.msg}")
    place = _place(file, error)
    if isinstance(error, TimedOut):
        return BridgeError(f"{place}: still running after {seconds:g} s: is it an endless loop?")
    return BridgeError(f"{place}: {_say(error)}")
