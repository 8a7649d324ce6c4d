#!/usr/bin/env python3
"""A scripted server of the OpenAI and Anthropic chat protocols, for tests.

    chat_server.py SCRIPT [--log FILE] [--until-eof] [--any-order]

The server listens on a free port of 127.0.0.1, prints the port on a line, and
answers each POST with the next entry of SCRIPT, a JSON list.  The path selects
the protocol: ".../chat/completions" or ".../messages".  After the last entry
the server answers 500, unless that entry has "repeat": true.  With --any-order
it answers with the first entry that has no "match", or whose "match" is in the
last message; it may use an entry many times.

Members of an entry:

    reply            the text to reply with
    reply_file       ... or the file that holds it, relative to SCRIPT
    numbered         true: append the number of the request to the reply
    piece_chars      code points in each part of the stream (default 16)
    piece_bytes      ... or bytes, which may cut a code point in two
    write_bytes      size of each write of the stream, in bytes
    comments         keep-alive comments before each part (default 0)
    thinking         the reasoning that the model streams before its reply
    pause_ms         pause before each part, in milliseconds (default 0)
    usage            [prompt tokens, reply tokens], or null for none (default [11, 7]);
                     a third number: cached tokens among those of the prompt
    finish           the stop reason (default "stop" or "end_turn")
    then             the action after the parts, instead of the end of the stream:
                     "cut" (the connection), "silence" (until the client leaves),
                     "error" (an error event with the text `message`)
    message          text of the error event
    document         true: one JSON document instead of a stream
    endless          "parts" or "line": an endless body, of parts or of one line
    status           an HTTP status for the answer, together with
    headers          ... more headers, an object, and
    body             ... a body, a string or a JSON value
    silent           true: send nothing
    after            answer when the server has received this many requests

For each request the server appends a JSON object on one line to FILE: path,
headers (names in lower case) and body.  With --until-eof the server exits at
the end of its standard input, and so ends together with its test.
"""

import argparse
import json
import os.path
import socketserver
import sys
import threading
import time


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def cut(sequence, size):
    """Split `sequence` into pieces of length `size`."""
    return [sequence[i : i + size] for i in range(0, len(sequence), size)]


def encode(value):
    """Encode JSON as UTF-8, and keep the bytes of a cut code point (surrogateescape)."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogateescape")


class OpenAI:
    finish = "stop"

    @staticmethod
    def usage(counts):
        prompt, reply, *cached = counts
        usage = {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}
        return {**usage, "prompt_tokens_details": {"cached_tokens": cached[0]}} if cached else usage

    @staticmethod
    def chunk(choices, **more):
        chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": choices, **more}
        return b"data: " + encode(chunk) + b"\n\n"

    def opening(self, counts):
        delta = {"role": "assistant", "content": ""}
        return [self.chunk([{"index": 0, "delta": delta, "finish_reason": None}])]

    def part(self, text):
        delta = {"content": text}
        return self.chunk([{"index": 0, "delta": delta, "finish_reason": None}])

    def thought(self, text):
        delta = {"content": None, "reasoning_content": text}
        return self.chunk([{"index": 0, "delta": delta, "finish_reason": None}])

    def closing(self, finish, counts):
        events = [self.chunk([{"index": 0, "delta": {}, "finish_reason": finish}])]
        if counts:
            events.append(self.chunk([], usage=self.usage(counts)))
        return events + [b"data: [DONE]\n\n"]

    def error(self, message):
        return b"data: " + encode({"error": {"message": message, "type": "server_error"}}) + b"\n\n"

    def document(self, text, thinking, finish, counts):
        message = {"role": "assistant", "content": text, "reasoning_content": thinking}
        document = {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}
        return {**document, "usage": self.usage(counts)} if counts else document


class Anthropic:
    finish = "end_turn"

    @staticmethod
    def event(kind, **more):
        data = encode({"type": kind, **more})
        return b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n"

    @staticmethod
    def usage(counts):
        prompt, reply, *cached = counts
        usage = {"input_tokens": prompt - sum(cached), "output_tokens": reply}
        return {**usage, "cache_read_input_tokens": cached[0]} if cached else usage

    def opening(self, counts):
        message = {"role": "assistant", "content": []}
        if counts:
            message["usage"] = {**self.usage(counts), "output_tokens": 1}
        block = {"type": "text", "text": ""}
        return [
            self.event("message_start", message=message),
            self.event("content_block_start", index=0, content_block=block),
            self.event("ping"),
        ]

    def part(self, text):
        delta = {"type": "text_delta", "text": text}
        return self.event("content_block_delta", index=0, delta=delta)

    def thought(self, text):
        delta = {"type": "thinking_delta", "thinking": text}
        return self.event("content_block_delta", index=0, delta=delta)

    def closing(self, finish, counts):
        usage = {"usage": {"output_tokens": counts[1]}} if counts else {}
        return [
            self.event("content_block_stop", index=0),
            self.event("message_delta", delta={"stop_reason": finish}, **usage),
            self.event("message_stop"),
        ]

    def error(self, message):
        return self.event("error", error={"type": "api_error", "message": message})

    def document(self, text, thinking, finish, counts):
        content = [{"type": "thinking", "thinking": thinking}, {"type": "text", "text": text}]
        document = {"type": "message", "content": content, "stop_reason": finish}
        return {**document, "usage": self.usage(counts)} if counts else document


class Script:
    """The entries of the script, and the log of requests."""

    def __init__(self, path, log, any_order):
        self.folder = os.path.dirname(path)
        self.entries = json.loads(read_text(path))
        self.log = log
        self.any_order = any_order
        self.lock = threading.Condition()
        self.asked = 0

    def next(self, request):
        with self.lock:
            if self.log:
                with open(self.log, "a", encoding="utf-8") as log:
                    log.write(json.dumps(request) + "\n")
            at, self.asked = self.asked, self.asked + 1
            self.lock.notify_all()
        entry = self.find(request, at)
        return {**entry, "reply": f"{self.reply(entry)}\n{at + 1}\n"} if entry.get("numbered") else entry

    def find(self, request, at):
        if self.any_order:
            prompt = request["body"]["messages"][-1]["content"]
            return next(entry for entry in self.entries if entry.get("match", "") in prompt)
        if at < len(self.entries):
            return self.entries[at]
        if self.entries and self.entries[-1].get("repeat"):
            return self.entries[-1]
        return {"status": 500, "body": f"the script has no entry {at + 1}"}

    def wait_for(self, count):
        with self.lock:
            self.lock.wait_for(lambda: self.asked >= count)

    def reply(self, entry):
        if "reply_file" in entry:
            return read_text(os.path.join(self.folder, entry["reply_file"]))
        return entry.get("reply", "")


class Handler(socketserver.StreamRequestHandler):
    """Reads HTTP itself, because the import of http.server takes longer than most conversations of the tests."""

    disable_nagle_algorithm = True

    def handle(self):
        self.close_connection = False
        while not self.close_connection and (line := self.rfile.readline()):
            self.path = line.decode("latin-1").split()[1]
            self.answer_post(self.read_headers())

    def read_headers(self):
        lines = iter(self.rfile.readline, b"\r\n")
        pairs = (line.decode("latin-1").partition(":") for line in lines)
        return {name.lower(): value.strip() for name, _, value in pairs}

    def answer_post(self, headers):
        if headers.get("expect") == "100-continue":
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = self.rfile.read(int(headers["content-length"]))
        script = self.server.script
        entry = script.next({"path": self.path, "headers": headers, "body": json.loads(body)})
        script.wait_for(entry.get("after", 0))
        protocol = Anthropic() if self.path.endswith("/messages") else OpenAI()
        try:
            self.answer(entry, protocol, script.reply(entry))
        except OSError:
            self.close_connection = True  # clients may disconnect at any time

    def answer(self, entry, protocol, reply):
        if entry.get("silent"):
            self.wait_for_client_to_leave()
        elif "status" in entry:
            body = entry.get("body", "")
            body = body.encode() if isinstance(body, str) else encode(body)
            self.send_whole(entry["status"], entry.get("headers", {}), body)
        elif entry.get("document"):
            finish = entry.get("finish", protocol.finish)
            thinking = entry.get("thinking", "")
            document = protocol.document(reply, thinking, finish, entry.get("usage", [11, 7]))
            self.send_whole(200, {"Content-Type": "application/json"}, encode(document))
        else:
            self.send_stream(entry, protocol, reply)

    def send_head(self, status, headers):
        lines = [f"HTTP/1.1 {status} {'OK' if status == 200 else 'refused'}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.wfile.write("\r\n".join(lines + ["", ""]).encode())

    def send_whole(self, status, headers, body):
        self.send_head(status, {**headers, "Content-Length": len(body)})
        self.wfile.write(body)

    def send_stream(self, entry, protocol, reply):
        counts = entry.get("usage", [11, 7])
        self.send_head(200, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})
        if "endless" in entry:
            self.send_without_end(protocol, entry["endless"])
        parts = [protocol.thought(piece) for piece in self.pieces(entry, entry.get("thinking", ""))]
        parts += [protocol.part(piece) for piece in self.pieces(entry, reply)]
        for event in protocol.opening(counts) + parts:
            time.sleep(entry.get("pause_ms", 0) / 1000)
            self.send(b": keep-alive\n\n" * entry.get("comments", 0) + event, entry)
        then = entry.get("then")
        if then == "cut":
            self.close_connection = True
        elif then == "silence":
            self.wait_for_client_to_leave()
        else:
            if then == "error":
                self.send(protocol.error(entry.get("message", "overloaded")), entry)
            else:
                finish = entry.get("finish", protocol.finish)
                self.send(b"".join(protocol.closing(finish, counts)), entry)
            self.wfile.write(b"0\r\n\r\n")

    @staticmethod
    def pieces(entry, reply):
        if "piece_bytes" in entry:
            pieces = cut(reply.encode(), entry["piece_bytes"])
            return [piece.decode("utf-8", "surrogateescape") for piece in pieces]
        return cut(reply, entry.get("piece_chars", 16))

    def send(self, data, entry):
        """Send a body as HTTP chunks, one write for each chunk."""
        for piece in cut(data, entry.get("write_bytes", len(data))):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    def send_without_end(self, protocol, kind):
        piece = protocol.part("x" * 60000) if kind == "parts" else b"data: " + b"x" * 60000
        while True:
            self.send(piece, {})

    def wait_for_client_to_leave(self):
        self.connection.recv(1)
        self.close_connection = True


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A threaded server that ignores disconnected clients, because tests kill them."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("script")
    parser.add_argument("--log")
    parser.add_argument("--until-eof", action="store_true")
    parser.add_argument("--tls", metavar="FILE", help="speak TLS, with this key and certificate")
    parser.add_argument("--any-order", action="store_true")
    options = parser.parse_args()
    server = Server(("127.0.0.1", 0), Handler)
    server.script = Script(options.script, options.log, options.any_order)
    if options.tls:
        import ssl

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.tls)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1], flush=True)
    if options.until_eof:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()
    else:
        server.serve_forever()


if __name__ == "__main__":
    main()
