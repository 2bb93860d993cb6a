"""A small upload server or proxy that fails as configured.

    fault_server.py [--host 127.0.0.1] [--plan JSON] [--into FOLDER] [--upstream URL] [--token T | --token-file F]
                    [--certificate F --key F [--client-authority F]] [--no-batch] [--no-gzip] [--no-words] [--maximum-body N]

It prints {"port": N, "marks": M} first, then a line of JSON for every request, and one for every connection to the
port M, so that a client can wait until it has read all earlier lines. Without --upstream, the server stores uploads
(in FOLDER, if given) and responds according to docs/upload-protocol.md; with it, it forwards requests there. Requests
with an absolute address, and CONNECT, are carried out as a proxy would.

The plan is a list of rules. The first rule that matches a request and has times left is applied:

    {"method": "PUT", "path": "regular expression", "skip": 0, "times": 1, "effect": "status", ...}

Effects, with their additional members:
    status         responds without examining the body's content ("status", "fields", "body")
    redirect       redirects in the same way ("status", "to")
    reset          breaks the connection after the header was read
    reset-body     breaks it in the middle of the body
    stop-reading   reads the header and then nothing more, forever
    stall          accepts the request and never responds
    drip           sends one byte of the response every "seconds", forever
    lost           carries out the request and breaks the connection instead of responding
    truncated      carries it out and stops within the response body
    cut-head       carries it out and stops within the response header
    garbage        responds with bytes that are not HTTP
    endless        responds with a body that never ends
    flip           alters a byte of the request body before it is carried out
    shorten        carries it out with the first half of the request body
    flip-answer    alters a byte of the response body
    early          responds that the body is stored before it arrives, and then reads it
    repeat         does not carry it out, and repeats the previous response on this connection
A rule {"share": 0.3, "seed": 7, "of": [effects]} applies one of these to that share of the requests.
"""

import argparse
import base64
import errno
import gzip
import hashlib
import http.client
import http.server
import json
import os
import random
import re
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse
import uuid
import zlib

options = None
lock = threading.Lock()
connections = 0
requests = 0
rules = []
chunks = {}
documents = {}


class Gone(Exception):
    """Raised after the connection was broken on purpose."""


class Rule:
    def __init__(self, words):
        self.words = words
        self.seen = 0
        self.random = random.Random(words.get("seed", 0))

    def effect(self, method, path):
        if self.words.get("method", method) != method:
            return None
        if not re.search(self.words.get("path", ""), path):
            return None
        if "share" in self.words:
            if self.random.random() >= self.words["share"]:
                return None
            return self.random.choice(self.words["of"])
        self.seen += 1
        skip = self.words.get("skip", 0)
        if self.seen <= skip or self.seen > skip + self.words.get("times", float("inf")):
            return None
        return self.words


def report(**what):
    with lock:
        print(json.dumps(what), flush=True)


def digest(body):
    return "sha-256=:" + base64.b64encode(hashlib.sha256(body).digest()).decode() + ":"


def keep(kind, name, body):
    """Store a body in the folder, if there is one."""
    if options.into:
        folder = os.path.join(options.into, kind)
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, name)
        with open(path + ".part", "wb") as file:
            file.write(body)
        os.replace(path + ".part", path)


def take_chunk(identifier, body):
    with lock:
        known = chunks.get(identifier)
        if known is None:
            keep("chunks", identifier, body)
            chunks[identifier] = digest(body)
            return "stored"
    return "held" if known == digest(body) else "conflict"


def error(status, code, message, **fields):
    body = json.dumps({"error": {"code": code, "message": message}}).encode()
    return status, {"Content-Type": "application/json", **fields}, body


def result(code, /, **members):
    return code, {"Content-Type": "application/json"}, json.dumps(members).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self):
        global connections
        super().setup()
        with lock:
            connections += 1
            self.number = connections
        self.upstream = None
        self.answer_before = None

    def log_message(self, *arguments):
        pass

    def reset(self):
        """End the connection with a reset, which loses everything that the other side has not read yet."""
        self.close_connection = True
        try:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            # Closing the object would wait for the file objects created from it.
            os.close(self.connection.detach())
        except OSError:
            pass
        raise Gone()

    def wait_for_ever(self):
        while True:
            time.sleep(3600)

    def read_exactly(self, count):
        data = self.rfile.read(count)
        if len(data) < count:
            raise Gone()
        return data

    def read_body(self, limit=None):
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            body = b""
            while True:
                count = int(self.rfile.readline().split(b";")[0] or b"0", 16)
                body += self.read_exactly(count)
                self.rfile.readline()
                if count == 0:
                    return body
        count = int(self.headers.get("Content-Length", 0))
        return self.read_exactly(count if limit is None else min(limit, count))

    def handle_any(self):
        global requests
        try:
            with lock:
                requests += 1
                number = requests
                # Every rule counts its matches, even if an earlier rule is applied.
                effects = [rule.effect(self.command, self.path) for rule in rules]
                effect = next(filter(None, effects), None)
            if isinstance(effect, str):
                effect = {"effect": effect}
            self.carry_out(number, effect or {"effect": "none"})
        except (Gone, ConnectionError, ssl.SSLError, ValueError):
            self.close_connection = True

    def carry_out(self, number, effect):
        kind = effect["effect"]
        seen = dict(
            number=number, connection=self.number, method=self.command, path=self.path, effect=kind,
            fields={name.lower(): value for name, value in self.headers.items()})
        if kind in ("reset", "reset-body", "stop-reading"):
            report(**seen)
            if kind == "reset-body":
                self.read_body(limit=max(1, int(self.headers.get("Content-Length", 0)) // 2))
            if kind == "stop-reading":
                self.wait_for_ever()
            self.reset()
        if self.command == "CONNECT" and kind != "status":
            report(**seen)
            return self.tunnel()
        if kind == "early":
            report(**seen)
            self.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n{"status":"stored"}')
            self.read_body()
            return
        body = self.read_body()
        seen.update(length=len(body), sha256=hashlib.sha256(body).hexdigest())
        if kind == "flip" and body:
            place = len(body) // 2
            body = body[:place] + bytes([body[place] ^ 0x10]) + body[place + 1:]
        if kind == "shorten":
            body = body[: len(body) // 2]
        if kind in ("stall", "garbage", "endless", "drip"):
            report(**seen)
        if kind == "stall":
            self.wait_for_ever()
        if kind == "garbage":
            self.wfile.write(b"220 mail.example ESMTP\r\n")
            raise Gone()
        if kind == "endless":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
            while True:
                self.wfile.write(b"for ever and ever\n" * 1000)
        if kind == "drip":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            while True:
                self.wfile.write(b".")
                time.sleep(effect.get("seconds", 0.1))
        if kind == "repeat" and self.answer_before:
            report(**seen)
            self.wfile.write(self.answer_before)
            return
        if kind == "status":
            fields = dict(effect.get("fields", {}))
            answer = effect["status"], fields, effect.get("body", "").encode()
        elif kind == "redirect":
            answer = effect.get("status", 308), {"Location": effect["to"]}, b""
        elif options.upstream or self.path.startswith("http://"):
            answer = self.forward(body)
        else:
            answer = self.receive(body)
        status, fields, content = answer
        report(status=status, **seen)
        if kind == "lost":
            self.reset()
        if kind == "flip-answer" and content:
            place = len(content) // 2
            content = content[:place] + bytes([content[place] ^ 0x10]) + content[place + 1:]
        head = f"HTTP/1.1 {status} {http.client.responses.get(status, 'Unknown')}\r\n"
        fields = {**fields, "Date": self.date_time_string()}
        if status != 204:
            fields["Content-Length"] = str(len(content))
        head += "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
        if self.command == "HEAD":
            content = b""
        if kind == "cut-head":
            self.wfile.write(head.encode()[: len(head) // 2])
            raise Gone()
        if kind == "truncated":
            self.wfile.write(head.encode() + content[: len(content) // 2])
            raise Gone()
        self.answer_before = head.encode() + content
        self.wfile.write(self.answer_before)

    do_GET = do_HEAD = do_PUT = do_POST = do_PATCH = do_DELETE = do_CONNECT = handle_any

    # Proxy.

    def tunnel(self):
        host, _, port = self.path.rpartition(":")
        other = socket.create_connection((host.strip("[]"), int(port)))
        self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")

        def pass_on(source, target):
            try:
                while data := source.recv(65536):
                    target.sendall(data)
            except OSError:
                pass
            for end in (source, target):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

        back = threading.Thread(target=pass_on, args=(other, self.connection), daemon=True)
        back.start()
        pass_on(self.connection, other)
        back.join()
        raise Gone()

    def forward(self, body):
        address = urllib.parse.urlsplit(self.path if self.path.startswith("http://") else options.upstream)
        path = urllib.parse.urlunsplit(("", "", address.path, address.query, "")) \
            if self.path.startswith("http://") else self.path
        headers = {name: value for name, value in self.headers.items()
                   if name.lower() not in ("connection", "proxy-connection", "transfer-encoding", "content-length")}
        if body or self.command in ("PUT", "POST"):
            headers["Content-Length"] = str(len(body))
        for attempt in range(2):
            if self.upstream is None:
                self.upstream = http.client.HTTPConnection(address.hostname, address.port or 80)
            try:
                self.upstream.request(self.command, path, body=body or None, headers=headers)
                answer = self.upstream.getresponse()
                content = answer.read()
                break
            except (http.client.HTTPException, OSError) as trouble:
                self.upstream.close()
                self.upstream = None
                if attempt:
                    return error(502, "bad-gateway", f"upstream: {trouble}")
        fields = {name: value for name, value in answer.getheaders()
                  if name.lower() not in ("connection", "transfer-encoding", "content-length", "date")}
        return answer.status, fields, content

    # Upload server.

    def receive(self, body):
        token = options.token
        if options.token_file:
            with open(options.token_file) as file:
                token = file.read().strip()
        if token is not None and self.headers.get("Authorization") != "Bearer " + token:
            if "Authorization" in self.headers:
                return error(403, "forbidden", "wrong token")
            return error(401, "unauthorized", "a token is needed", **{"WWW-Authenticate": "Bearer"})
        if options.maximum_body is not None and len(body) > options.maximum_body:
            return error(413, "too-large", f"the body is larger than {options.maximum_body} bytes")
        if self.command in ("PUT", "POST"):
            sent = self.headers.get("Content-Digest")
            if sent is None:
                return error(400, "digest-missing", "a Content-Digest is needed")
            if sent != digest(body):
                return error(400, "digest-mismatch", "the body is not the one that was sent")
            if self.headers.get("Content-Encoding") == "gzip":
                if options.no_gzip:
                    return error(415, "encoding", "no gzip here")
                try:
                    body = gzip.decompress(body)
                except (OSError, EOFError, zlib.error) as trouble:
                    return error(400, "malformed", str(trouble))
        path = urllib.parse.urlsplit(self.path).path
        if path == "/v1/":
            # The number distinguishes the responses to concurrent requests.
            number = self.headers.get("X-Number")
            return result(
                200, format=1, batch=not options.no_batch, maximum_body=options.maximum_body or 1 << 24,
                **({} if number is None else {"number": number}))
        if path == "/v1/chunks" and self.command == "POST" and not options.no_batch:
            return self.receive_batch(body)
        if found := re.fullmatch(r"/v1/chunks/([0-9a-f-]{36})", path):
            return self.receive_chunk(found[1], body)
        if re.fullmatch(r"/v1/sessions/[0-9a-f-]{36}(/track/\d+)?", path):
            return self.receive_document(path, body)
        return error(404, "not-found", "nothing is here")

    def receive_batch(self, body):
        answers = []
        offset = 0
        while offset < len(body):
            if len(body) - offset < 20:
                return error(422, "malformed", "the batch ends within a chunk's head")
            identifier = str(uuid.UUID(bytes=body[offset:offset + 16]))
            count = struct.unpack_from("<I", body, offset + 16)[0]
            offset += 20
            if count > len(body) - offset:
                return error(422, "malformed", "the batch ends within a chunk")
            status = take_chunk(identifier, body[offset:offset + count])
            answer = {"id": identifier, "status": status}
            if status == "conflict":
                answer["reason"] = "other bytes are already stored under this id"
            answers.append(answer)
            offset += count
        return result(200, chunks=answers, digest=self.headers["Content-Digest"])

    def taken(self, status):
        if options.no_words:
            return 201 if status == "stored" else 204, {}, b""
        return result(201 if status == "stored" else 200, status=status, digest=self.headers["Content-Digest"])

    def receive_chunk(self, identifier, body):
        if self.command == "PUT":
            status = take_chunk(identifier, body)
            if status == "conflict":
                return 409, {"Content-Type": "application/json"}, json.dumps({"error": {
                    "code": "conflict", "message": "other bytes are already stored under this id",
                    "held": chunks[identifier], "sent": digest(body)}}).encode()
            return self.taken(status)
        if identifier not in chunks:
            return error(404, "not-found", "no such chunk")
        return 200, {"Content-Digest": chunks[identifier]}, b""

    def receive_document(self, path, body):
        if self.command == "PUT":
            with lock:
                status = "held" if documents.get(path) == body else "replaced" if path in documents else "stored"
                documents[path] = body
                keep("documents", path.removeprefix("/v1/").replace("/", "-") + ".json", body)
            return self.taken(status)
        if path not in documents:
            return error(404, "not-found", "no such document")
        return 200, {"Content-Type": "application/json"}, documents[path]


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 64
    daemon_threads = True

    def __init__(self, host, context):
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.context = context
        while True:
            super().__init__((host, 0), Handler)
            if self.holds_other_family():
                return
            self.server_close()

    def holds_other_family(self):
        """Return whether no other server has this port in the other IP family. A client that connects to
        'localhost' tries both families, and must not reach the server of another test."""
        other = socket.AF_INET if self.address_family == socket.AF_INET6 else socket.AF_INET6
        try:
            # The socket is bound but does not listen, so connections to it are refused.
            self.unused = socket.socket(other)
            self.unused.bind(("127.0.0.1" if other == socket.AF_INET else "::1", self.server_address[1]))
        except OSError as trouble:
            # If the computer does not support that IP family, no other server can use it.
            return trouble.errno != errno.EADDRINUSE
        return True

    def finish_request(self, request, client_address):
        # The handshake runs in a separate thread, so that a client that never finishes it does not
        # delay others.
        if self.context:
            request.settimeout(60)
            request = self.context.wrap_socket(request, server_side=True, do_handshake_on_connect=False)
            try:
                request.do_handshake()
            except OSError as trouble:
                report(effect="handshake", words=str(trouble))
                self.let_read(socket.socket(fileno=request.detach()))
                return
            request.settimeout(None)
        try:
            super().finish_request(request, client_address)
        finally:
            if self.context:
                request.close()

    def let_read(self, connection):
        """End a connection so that the client reads the end of the response: an immediate close may reset it."""
        with connection:
            try:
                connection.settimeout(10)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    pass
            except OSError:
                pass

    def shutdown_request(self, request):
        try:
            super().shutdown_request(request)
        except OSError:
            pass

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (OSError, ValueError)):
            super().handle_error(request, client_address)


def main():
    global options, rules
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--plan", default="[]")
    parser.add_argument("--into")
    parser.add_argument("--upstream")
    parser.add_argument("--token")
    parser.add_argument("--token-file")
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--client-authority")
    parser.add_argument("--no-batch", action="store_true")
    parser.add_argument("--no-gzip", action="store_true")
    parser.add_argument("--no-words", action="store_true")
    parser.add_argument("--maximum-body", type=int)
    options = parser.parse_args()
    rules = [Rule(words) for words in json.loads(options.plan)]
    context = None
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate, options.key)
        if options.client_authority:
            context.load_verify_locations(options.client_authority)
            context.verify_mode = ssl.CERT_REQUIRED
    server = Server(options.host, context)
    marks = socket.create_server(("127.0.0.1", 0))
    print(json.dumps({"port": server.server_address[1], "marks": marks.getsockname()[1]}), flush=True)

    def mark():
        while True:
            marks.accept()[0].close()
            report(effect="mark")

    threading.Thread(target=mark, daemon=True).start()
    # If the parent is killed, nothing reads our output, or another process becomes our parent.
    parent = os.getppid()

    def watch():
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()
    server.serve_forever()


if __name__ == "__main__":
    main()
