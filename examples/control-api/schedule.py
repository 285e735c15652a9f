"""Schedules a post at an emulator, moves its clock to the publication, and looks at the webhook. Standard library alone.

Usage: python3 schedule.py http://127.0.0.1:8787
"""

import hashlib
import hmac
import json
import sys
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

emulator = sys.argv[1]
received = []


class Receiver(BaseHTTPRequestHandler):
    """Takes webhook deliveries, as an application would."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        received.append((self.headers, body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def call(method, path, body=None, headers=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(emulator + path, data, headers or {}, method=method)
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


def control(method, path, body=None):
    return call(method, "/_emulator" + path, body)


receiver = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()

# The time stands still, so that the program decides when something happens.
control("POST", "/clock/pause")
key = control("GET", "/session")["accessKey"]
account = control("POST", "/seed/integration", {"platform": "instagram", "username": "acme"})
hook = {"webhook": {"url": f"http://127.0.0.1:{receiver.server_port}/"}, "eventTypes": ["post.published"]}
secret = control("POST", "/seed/subscription", hook)["webhook"]["secret"]

post = call(
    "POST",
    "/v1/posts/",
    {
        "content": "Hello from Python",
        "scheduledFor": "2099-01-01T10:00:00Z",
        "platforms": [{"platform": "instagram", "accountId": account["id"]}],
    },
    {"x-access-key": key, "content-type": "application/json"},
)
assert post["status"] == "scheduled", post

clock = control("POST", "/clock/step")
assert clock["now"] == "2099-01-01T10:00:00.000Z", clock

[(headers, body)] = received
signed = headers["X-Service-Timestamp"].encode() + b"." + body
expected = "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
assert hmac.compare_digest(expected, headers["X-Service-Signature"])
assert json.loads(body)["data"]["post"]["id"] == post["postId"]

[delivery] = control("GET", "/deliveries")["deliveries"]
assert delivery["ok"] and delivery["eventType"] == "post.published", delivery
control("POST", f"/deliveries/{delivery['id']}/replay", {"times": 2})
assert len(received) == 3

# The next request is refused, and the fault says that it struck.
control("POST", "/faults", {"kind": "status", "status": 503, "times": 1})
try:
    call("GET", "/v1/posts/", headers={"x-access-key": key})
    raise AssertionError("The fault did not strike.")
except urllib.error.HTTPError as refused:
    assert refused.code == 503
assert control("GET", "/faults")["requests"][0]["struck"] == 1

print(f"{post['postId']} was published; its webhook came {len(received)} times, well signed.")
