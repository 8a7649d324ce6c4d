#!/usr/bin/env python3
"""An HTTP proxy for tests, on a free port of 127.0.0.1, that forwards and tunnels requests.

    proxy.py LOG

The proxy prints its port on a line, writes the first line of each request to
LOG, and exits at the end of its standard input.
"""
import socket
import socketserver
import sys
import threading
from urllib.parse import urlsplit


def pump(source, target):
    """Copy bytes until the end of the stream."""
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # client or server may disconnect at any time


class Handler(socketserver.StreamRequestHandler):
    rbufsize = 0  # unbuffered: bytes after the headers stay in the socket

    def handle(self):
        first = self.rfile.readline().decode()
        with open(self.server.log, "a", encoding="utf-8") as log:
            log.write(first.rstrip() + "\n")
        method, target, version = first.split()
        headers = []
        while (line := self.rfile.readline()).strip():
            headers.append(line)
        url = urlsplit("//" + target if method == "CONNECT" else target)
        with socket.create_connection((url.hostname, url.port)) as server:
            if method == "CONNECT":
                self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                server.sendall(f"{method} {url.path} {version}\r\n".encode() + b"".join(headers) + b"\r\n")
            back = threading.Thread(target=pump, args=(server, self.connection), daemon=True)
            back.start()
            pump(self.connection, server)
            back.join()


class Proxy(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False


def main():
    with Proxy(("127.0.0.1", 0), Handler) as server:
        server.log = sys.argv[1]
        print(server.server_address[1], flush=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()


if __name__ == "__main__":
    main()
