"""An agent runtime in one file, with nothing but Python's standard library (3.9 or newer).

Everything that it does is described in docs/agents/protocol.md. Copy it, and put your model into `write`.

Environment: SECRET is the authValue of the agent, PORT is 8430 and COPYDESK_URL http://127.0.0.1:8420 unless set.
"""

import hmac
import http.client
import json
import os
import re
import signal
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from collections import OrderedDict, deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("SECRET", "")
HEADER = "x-runtime-key"
PORT = int(os.environ.get("PORT", "8430"))
COPYDESK_URL = os.environ.get("COPYDESK_URL", "http://127.0.0.1:8420").rstrip("/")

RUNS_AT_ONCE = 4
LARGEST_DISPATCH = 16 * 1024 * 1024
SECONDS_BETWEEN_TEXTS = 2.0
SECONDS_BETWEEN_HEARTBEATS = 15.0
# Of the 60 requests that a run may make in a minute, text leaves some for the heartbeat and the result.
REQUESTS_A_MINUTE = {"text": 36, "work": 52, "end": 59}


class Failure(Exception):
    """A failure that says what is to follow: transient and quota are tried again, any other family needs a person."""

    def __init__(self, family, message):
        super().__init__(message)
        self.family = family


class Refused(Exception):
    """An answer of Copydesk that does not pass by waiting."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Over(Exception):
    """Copydesk takes nothing more for this run: it was ended, cancelled, or given to a newer attempt."""


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """The token is for nobody but Copydesk."""

    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirects)


def write(context):
    """Writes the piece, bit by bit.

    A model would be given systemPrompt and prompt, which hold everything; without one, the lines of the brief in the
    form `- **Name**: what there is to say` are all that is understood.
    """
    products = {}
    for name, text in re.findall(r"^- \*\*(.+?)\*\*: (.+)$", context["prompt"], re.MULTILINE):
        products.setdefault(name, text)
    if not products:
        raise Failure("invalid", "The brief has no line of the form “- **Name**: text” to write from")
    note = context.get("rejectionNote")
    # What the reviewer names comes first; of a piece that was too long only that is left.
    names = sorted(products, key=lambda name: name.lower() not in (note or "").lower())
    if note and re.search(r"\bshort", note, re.IGNORECASE):
        names = names[:1]
    yield "# %s\n\n" % ", ".join(names)
    for name in names:
        yield "%s: %s.\n\n" % (name, products[name])
    after = ", after the note “%s”" % note if note else ""
    yield "_Composed from the brief by the example agent runtime%s. No model wrote this._\n" % after


def perform(run):
    """Does the work of one run. Returns the body of its result."""
    context = run.call("GET", "/context")
    # The piece stands as a person has approved it. An approved question comes without one: it is still to be written.
    if context["wakeReason"] == "review_approved" and "priorOutput" in context:
        return {"status": "success", "metadata": {"nothingToDo": True}}
    for delta in write(context):
        run.show(delta)
    # Copydesk asks people for their verdict on it; a piece that is sent back comes as a new run.
    return {"status": "success", "text": run.text}


class Run:
    """One run: its calls within their limit, the text that it shows, its heartbeat and its one result."""

    def __init__(self, dispatch):
        self.id = dispatch["taskId"]
        self.token = dispatch["taskToken"]
        self.timeout = dispatch["timeoutMs"] / 1000
        self.text = ""
        self.over = threading.Event()  # Nothing may be sent any more.
        self.cancelled = threading.Event()  # The work is not wanted any more.
        self.lock = threading.Lock()
        self.sent_at = deque()
        self.alive_until = time.monotonic() + self.timeout
        self.attempts = 1
        self.shown = 0
        self.number = 0
        self.shown_at = float("-inf")

    @property
    def is_alive(self):
        return not (self.over.is_set() or self.cancelled.is_set())

    def adopt(self, token):
        """The dispatch came again, with a newer token: watchers of the new attempt see the text from its start."""
        with self.lock:
            self.token = token
            self.shown = self.number = 0
            self.attempts += 1

    def work(self):
        """Performs the run and hands the result in. Returns a line about it."""
        threading.Thread(target=self.keep_alive, daemon=True).start()
        try:
            try:
                body = perform(self)
                self.flush()
            except Over:
                if not self.cancelled.is_set():
                    raise
                body = failure("invalid", "Stopped: the work is not wanted any more")
            except Failure as error:
                body = failure(error.family, str(error))
            except OSError as error:
                body = failure("transient", str(error))
            except Exception as error:
                body = failure("internal", str(error) or type(error).__name__)
            self.deliver(body)
            return "failed: " + body["error"] if "error" in body else "delivered"
        except Over:
            return "abandoned: Copydesk takes nothing more from this attempt of the run"
        except Exception as error:
            return "abandoned: %s" % error
        finally:
            self.over.set()

    def show(self, delta):
        """Shows text to those who watch: in order, numbered, and not by the token but every other second."""
        self.text += delta
        if self.cancelled.is_set():
            raise Over()
        if time.monotonic() - self.shown_at >= SECONDS_BETWEEN_TEXTS:
            self.flush()

    def flush(self):
        """Sends what was not shown yet. A piece keeps its number and its text until it is there."""
        while self.shown < len(self.text) and not self.cancelled.is_set():
            with self.lock:
                attempt, number = self.attempts, self.number
                delta = self.text[self.shown : self.shown + 50_000]
            self.shown_at = time.monotonic()
            try:
                self.call("POST", "/stream", {"delta": delta, "sequenceNum": number}, "text", attempt=attempt)
            except Refused:
                return  # The result holds all of it.
            with self.lock:
                if self.attempts == attempt:
                    self.shown, self.number = self.shown + len(delta), number + 1

    def keep_alive(self):
        every = min(SECONDS_BETWEEN_HEARTBEATS, self.timeout / 3)
        while not self.over.wait(every):
            used = self.token
            try:
                answer = self.call("POST", "/heartbeat", None, "end", tries=1)
            except (Over, Refused, OSError):
                continue
            with self.lock:
                if self.token == used:
                    self.token = answer["taskToken"]
            self.alive_until = time.monotonic() + self.timeout
            if answer["cancel"]:
                self.cancelled.set()

    def deliver(self, body):
        try:
            self.call("POST", "/result", body, "end")
        except Refused as error:
            # 409: it is there already; only the answer to an earlier try was lost.
            if error.status == 409:
                return
            if body["status"] == "error":
                raise
            self.deliver(failure("invalid", "Copydesk refused the result: %s" % error))

    def call(self, method, path, body=None, purpose="work", tries=None, attempt=None):
        """One call about this run; tried again while Copydesk restarts, asks to wait, or cannot be reached."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"} if data else {}
        if data and purpose == "work":
            # What was carried out and whose answer was lost is not carried out again.
            headers["idempotency-key"] = str(uuid.uuid4())
        wait, tried = 1.0, 0
        while True:
            self.wait_for_room(purpose)
            tried += 1
            if attempt not in (None, self.attempts):
                return None  # It begins anew.
            used = self.token
            request = urllib.request.Request(
                "%s/agent/v1/runs/%s%s" % (COPYDESK_URL, self.id, path),
                data,
                dict(headers, authorization="Bearer " + used),
                method=method,
            )
            asked = 0.0
            try:
                with opener.open(request, timeout=30) as response:
                    return json.load(response)
            except urllib.error.HTTPError as error:
                text = error.read().decode("utf-8", "replace")
                if error.code in (401, 409) and used != self.token:
                    continue
                if error.code == 401:
                    self.over.set()
                    raise Over() from None
                if error.code != 429 and error.code < 500:
                    raise Refused(error.code, message_of(text)) from None
                if tried == tries:
                    raise Refused(error.code, message_of(text)) from None
                asked = seconds(error.headers.get("retry-after"))
            except (OSError, ValueError, http.client.HTTPException):
                # Also an answer that broke off.
                if tried == tries:
                    raise
            if time.monotonic() > self.alive_until:
                raise Over()
            if self.over.wait(max(asked, wait)):
                raise Over()
            wait = min(wait * 2, 30.0)

    def wait_for_room(self, purpose):
        while True:
            with self.lock:
                now = time.monotonic()
                while self.sent_at and self.sent_at[0] <= now - 61:
                    self.sent_at.popleft()
                limit = REQUESTS_A_MINUTE[purpose]
                if len(self.sent_at) < limit:
                    self.sent_at.append(now)
                    return
                due = self.sent_at[len(self.sent_at) - limit] + 61 - now
            if self.over.wait(due):
                raise Over()


def seconds(retry_after):
    return float(retry_after) if re.fullmatch(r"\d+", retry_after or "") else 0.0


def failure(family, message):
    return {"status": "error", "error": message[:10000], "metadata": {"family": family}}


def message_of(text):
    try:
        return json.loads(text)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        return text[:200]


class Runtime:
    """The runs that are at work, and those that were, so that no dispatch is worked on twice."""

    def __init__(self):
        self.lock = threading.Lock()
        self.known = OrderedDict()
        self.busy = 0

    def take(self, dispatch):
        """Returns the status of the answer."""
        run_id, token = dispatch["taskId"], dispatch["taskToken"]
        with self.lock:
            run, newest = self.known.get(run_id, (None, None))
            if newest == token:
                return 202
            if run and run.is_alive:
                self.known[run_id] = (run, token)
                run.adopt(token)
                return 202
            if self.busy >= RUNS_AT_ONCE:
                return 503
            self.busy += 1
            run = Run(dispatch)
            self.known[run_id] = (run, token)
            self.known.move_to_end(run_id)
            while len(self.known) > 1000:
                self.known.popitem(last=False)
        threading.Thread(target=self.work, args=(run,), daemon=True).start()
        return 202

    def work(self, run):
        line = run.work()
        with self.lock:
            self.busy -= 1
        print("run %s %s" % (run.id, line), flush=True)


runtime = Runtime()


class Door(BaseHTTPRequestHandler):
    """Takes dispatches: Copydesk gives it 15 seconds, so the answer does not wait for the work."""

    protocol_version = "HTTP/1.1"
    timeout = 30

    def is_copydesk(self):
        # Bytes, because compare_digest takes no text beyond ASCII.
        given = self.headers.get(HEADER, "").encode("latin-1", "replace")
        if hmac.compare_digest(given, SECRET.encode()):
            return True
        self.answer(401, "The header %s does not carry the secret of this runtime." % HEADER)
        return False

    def do_POST(self):
        if not self.is_copydesk():
            return
        if self.headers.get_content_type() != "application/json":
            return self.answer(415, "A dispatch is application/json.")
        length = self.headers.get("content-length", "")
        if not length.isdigit():
            return self.answer(411, "A dispatch says how long it is.")
        if int(length) > LARGEST_DISPATCH:
            return self.answer(413, "A dispatch may have %d bytes here." % LARGEST_DISPATCH)
        try:
            dispatch = json.loads(self.rfile.read(int(length)))
            check(dispatch)
        except (ValueError, TypeError, KeyError):
            return self.answer(400, "That is no dispatch.")
        status = runtime.take(dispatch)
        if status == 503:
            return self.answer(503, "%d runs are at work already." % RUNS_AT_ONCE, ("retry-after", "60"))
        self.answer(status, "Run %s is taken." % dispatch["taskId"])

    def do_GET(self):
        # Copydesk asks by HEAD whether the secret is right.
        if self.is_copydesk():
            self.answer(405, "Work is given by POST.", ("allow", "POST"))

    do_HEAD = do_PUT = do_DELETE = do_PATCH = do_GET

    def answer(self, status, text, *headers):
        body = text.encode()
        self.send_response(status)
        if status not in (202, 503):
            # What was not read of the request would be taken for the next one.
            self.close_connection = True
            self.send_header("connection", "close")
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("content-type", "text/plain; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        # A sender that has left is no news.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def check(dispatch):
    """Raises when something is missing. Fields that are not known are let through: there may be more of them later."""
    if not isinstance(dispatch["taskId"], str) or not re.fullmatch(r"[0-9A-Za-z_-]+", dispatch["taskId"]):
        raise ValueError()
    if not isinstance(dispatch["taskToken"], str) or not re.fullmatch(r"[\x21-\x7e]+", dispatch["taskToken"]):
        raise ValueError()
    if isinstance(dispatch["timeoutMs"], bool) or not dispatch["timeoutMs"] > 0:
        raise ValueError()


def main():
    if not SECRET:
        sys.exit("Set SECRET to the value that Copydesk is to send in the header x-runtime-key.")
    server = Server(("127.0.0.1", PORT), Door)

    def stop(*_):
        threading.Thread(target=server.shutdown, daemon=True).start()

    signal.signal(signal.SIGTERM, stop)
    address = "http://127.0.0.1:%d/" % server.server_address[1]
    print("The agent runtime listens on %s and reports to %s." % (address, COPYDESK_URL), flush=True)
    server.serve_forever()
    # What is at work may end; what does not in half a minute comes again when its time is over.
    deadline = time.monotonic() + 30
    while runtime.busy and time.monotonic() < deadline:
        time.sleep(0.1)


if __name__ == "__main__":
    main()
