"""relay.py SOCKET ...: relay standard input and output to the worker that sessions share (shared_worker.py)."""
import os
import socket
import sys
import threading

CHUNK = 1 << 16


def _send(peer):
    for chunk in iter(lambda: os.read(0, CHUNK), b""):
        peer.sendall(chunk)
    peer.shutdown(socket.SHUT_WR)


def main():
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(sys.argv[1])
        threading.Thread(target=_send, args=(peer,), daemon=True).start()
        for chunk in iter(lambda: peer.recv(CHUNK), b""):
            os.write(1, chunk)


main()
