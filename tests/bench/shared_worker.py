"""One worker for many sessions, so that the device is set up once and PyTorch is imported once.

Each session starts relay.py in place of its own worker (option --worker).
"""
import contextlib
import json
import os
import socket
import sys
import threading

from judge import Worker

RELAY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "relay.py")


class SharedWorker:
    """A worker that serves one session after another.

    A session that ends with a request unanswered ends the worker too, and the next session starts a new one.
    """

    def __init__(self, place, device, *options):
        """`options` are further ones of the worker."""
        self._place, self._options = place, ("--device", device, *options)
        self._path = place.path("shared")
        self._worker, self._client, self._unanswered = None, None, 0
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self._path)
        self._listener.listen()

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listener.close()
        os.unlink(self._path)
        if self._worker and not self._unanswered:
            self._worker.close()
        else:
            self._end_worker()

    @property
    def prefix(self):
        """The value of a session's option --worker."""
        return f"env -u LD_LIBRARY_PATH {sys.executable} -B {RELAY} {self._path}"

    @property
    def process(self):
        """The worker process of the last session, or None before the first."""
        return self._worker and self._worker.process

    def _end_worker(self):
        worker, self._worker = self._worker, None
        if worker:
            worker.process.kill()
            worker.process.wait()

    def _serve(self):
        with contextlib.suppress(OSError):  # __exit__ closed the listener
            while True:
                client, _ = self._listener.accept()
                with client:
                    self._attend(client)

    def _attend(self, client):
        if not self._worker or self._worker.process.poll() is not None:
            self._worker = Worker(self._place, *self._options)
            threading.Thread(target=self._answer, args=(self._worker.process,), daemon=True).start()
        self._client, self._unanswered = client, 0
        with contextlib.suppress(OSError), client.makefile(encoding="utf-8") as requests:
            for line in requests:
                if json.loads(line)["do"] == "quit":
                    break
                self._unanswered += 1
                self._worker.process.stdin.write(line)
                self._worker.process.stdin.flush()
        self._client = None
        if self._unanswered:
            self._end_worker()

    def _answer(self, process):
        for line in process.stdout:
            answer = json.loads(line)
            self._unanswered -= "id" in answer and answer["event"] in ("result", "error")
            with contextlib.suppress(OSError, AttributeError):  # the session has ended
                self._client.sendall(line.encode())
        with contextlib.suppress(OSError, AttributeError):
            self._client.shutdown(socket.SHUT_RDWR)
