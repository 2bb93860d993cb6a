"""A stub of the sign-in services, which have no emulator. It follows section 6 of the fact sheet.

    stub.py PLAN        a JSON object; prints its port, then a line for each request

Members of the plan, all optional: `public_key` (a PEM file; an assertion must be signed with its private key),
`clock` (how many seconds the server's clock is ahead), `email`, `password`, `uid`, `seconds` (the lifetime of
tokens), `refresh_expired`, `reject_first` (the database rejects the first token), `status` (of every response),
`documents` (the fields of documents by path, in REST format).
"""

import base64
import json
import subprocess
import sys
import tempfile
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

plan = json.loads(sys.argv[1])
given = []


def unpadded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def packed(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def is_signed(text, signature):
    with tempfile.NamedTemporaryFile() as file:
        file.write(signature)
        file.flush()
        command = ["openssl", "dgst", "-sha256", "-verify", plan["public_key"], "-signature", file.name]
        return subprocess.run(command, input=text.encode(), capture_output=True).returncode == 0


def account(port, form):
    """Return the response to a service account."""
    refused = 400, {"error": "invalid_grant", "error_description": "Invalid JWT"}
    if form.get("grant_type") != ["urn:ietf:params:oauth:grant-type:jwt-bearer"]:
        return 400, {"error": "unsupported_grant_type"}
    header, claims, signature = form["assertion"][0].split(".")
    if not is_signed(f"{header}.{claims}", unpadded(signature)) or "=" in form["assertion"][0]:
        return refused
    header, claims = json.loads(unpadded(header)), json.loads(unpadded(claims))
    now = time.time() + plan.get("clock", 0)
    good = (
        header == {"alg": "RS256", "typ": "JWT", "kid": "the-key"}
        and claims["iss"] == "gateway@demo.iam.gserviceaccount.com"
        and claims["scope"] == "https://www.googleapis.com/auth/datastore"
        and claims["aud"] == f"http://127.0.0.1:{port}/token"
        and claims["exp"] - claims["iat"] <= 3600
        and abs(claims["iat"] - now) < 300
    )
    if not good:
        return refused
    given.append(f"access-{len(given)}")
    return 200, {"access_token": given[-1], "expires_in": plan.get("seconds", 3599), "token_type": "Bearer"}


def user_token():
    uid, now = plan.get("uid", "uid"), int(time.time())
    claims = {"sub": uid, "user_id": uid, "iat": now, "exp": now + 3600, "number": len(given)}
    given.append(packed({"alg": "none", "typ": "JWT"}) + "." + packed(claims) + ".")
    return given[-1]


def password(body):
    """Return the response to e-mail and password."""
    if body.get("email") != plan.get("email"):
        return 400, {"error": {"code": 400, "message": "EMAIL_NOT_FOUND"}}
    if body.get("password") != plan.get("password"):
        return 400, {"error": {"code": 400, "message": plan.get("refusal", "INVALID_PASSWORD")}}
    return 200, {
        "localId": plan.get("uid", "uid"), "email": body["email"], "idToken": user_token(),
        "refreshToken": f"refresh +{len(given)}", "expiresIn": str(plan.get("seconds", 3600)), "registered": True,
    }


def refresh(form):
    """Return the response to a refresh token."""
    if form.get("grant_type") != ["refresh_token"]:
        return 400, {"error": {"code": 400, "message": "INVALID_GRANT_TYPE"}}
    if plan.get("refresh_expired"):
        return 400, {"error": {"code": 400, "message": "TOKEN_EXPIRED"}}
    if form.get("refresh_token") != [f"refresh +{len(given)}"]:
        return 400, {"error": {"code": 400, "message": "INVALID_REFRESH_TOKEN"}}
    return 200, {
        "id_token": user_token(), "refresh_token": f"refresh +{len(given)}",
        "expires_in": str(plan.get("seconds", 3600)), "token_type": "Bearer", "user_id": plan.get("uid", "uid"),
        "project_id": "1",
    }


def database(token):
    """Return the response to a query for documents."""
    known = given[1:] if plan.get("reject_first") else given
    if token not in known:
        return 401, {"error": {"code": 401, "message": "expired", "status": "UNAUTHENTICATED"}}
    return 200, []


def document(token, path):
    """Return the response to a read of one document."""
    status, answer = database(token)
    name = urllib.parse.unquote(path)[len("/v1/"):]
    fields = plan.get("documents", {}).get(name.split("/documents/")[-1])
    if status != 200:
        return status, answer
    if fields is None:
        return 404, {"error": {"code": 404, "message": f"Document {name} not found.", "status": "NOT_FOUND"}}
    return 200, {"name": name, "fields": fields, "createTime": "2026-01-01T00:00:00Z", "updateTime": "2026-01-01T00:00:00Z"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = urllib.parse.urlsplit(self.path).path
        self.answer(path, *document(self.headers.get("Authorization", "")[len("Bearer "):], path))

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        path = urllib.parse.urlsplit(self.path)
        is_form = self.headers.get("Content-Type") == "application/x-www-form-urlencoded"
        if "status" in plan:
            status, answer = plan["status"], {"error": "internal_failure"}
        elif path.path == "/token" and is_form:
            status, answer = account(self.server.server_port, urllib.parse.parse_qs(body))
        elif not path.path.startswith("/v1/") and urllib.parse.parse_qs(path.query).get("key") != ["api key"]:
            status, answer = 400, {"error": {"code": 400, "message": "API key not valid."}}
        elif path.path == "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword":
            status, answer = password(json.loads(body))
        elif path.path == "/securetoken.googleapis.com/v1/token" and is_form:
            status, answer = refresh(urllib.parse.parse_qs(body))
        elif path.path.startswith("/v1/projects/"):
            status, answer = database(self.headers.get("Authorization", "")[len("Bearer "):])
        else:
            status, answer = 404, {}
        self.answer(path.path, status, answer)

    def answer(self, path, status, answer):
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        # Write each line at once: the threads of two requests could otherwise mix their lines.
        sys.stdout.write(f"{path} {status}\n")
        sys.stdout.flush()

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
