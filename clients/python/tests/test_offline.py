"""Tests that need no service."""

import base64
import hashlib
import hmac
import json
import socket
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, Dict, List, Tuple
from unittest import mock

from tributary import (
    ConnectionFailed,
    ProblemError,
    StorageKeys,
    Tributary,
    WebhookError,
    verify_webhook,
)
from tributary.problems import ForeignKeyTaken, InvalidInput
from tributary.transport import Transport, retry_after

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"test": 2432232314}'
HEADERS = {
    "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "Webhook-Timestamp": "1614265330",
    "Webhook-Signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}
THEN = 1614265330


class Webhooks(unittest.TestCase):
    """With the vector of the libraries of Standard Webhooks."""

    def test_a_signed_request_is_accepted(self) -> None:
        self.assertEqual(verify_webhook(SECRET, HEADERS, BODY, now=THEN), {"test": 2432232314})
        rotated = {**HEADERS, "Webhook-Signature": "v1,AAAA v1,? " + HEADERS["Webhook-Signature"]}
        self.assertTrue(verify_webhook(SECRET, rotated, BODY, now=THEN))

    def test_others_are_refused(self) -> None:
        refused: List[Tuple[str, Dict[str, str], bytes, int]] = [
            (SECRET, HEADERS, BODY + b" ", THEN),
            (SECRET, {**HEADERS, "Webhook-Id": "msg_2"}, BODY, THEN),
            (SECRET, {**HEADERS, "Webhook-Signature": ""}, BODY, THEN),
            (SECRET, {**HEADERS, "Webhook-Timestamp": "now"}, BODY, THEN),
            (SECRET, HEADERS, BODY, THEN + 301),
            (SECRET, HEADERS, BODY, THEN - 301),
            ("whsec_AAAA", HEADERS, BODY, THEN),
        ]
        for secret, headers, body, now in refused:
            with self.assertRaises(WebhookError):
                verify_webhook(secret, headers, body, now=now)


    def test_signatures_of_another_implementation_are_accepted(self) -> None:
        vectors = json.loads((Path(__file__).parent / "webhook-vectors.json").read_text("utf-8"))
        self.assertGreater(len(vectors), 2)
        for vector in vectors:
            headers = {
                "webhook-id": vector["id"],
                "webhook-timestamp": str(vector["timestamp"]),
                "webhook-signature": vector["signature"],
            }
            body = vector["body"].encode()
            event = verify_webhook(vector["secret"], headers, body, now=vector["timestamp"])
            self.assertEqual(event, json.loads(body))

    def test_an_empty_secret_verifies_nothing(self) -> None:
        content = f"{HEADERS['Webhook-Id']}.{THEN}.".encode() + BODY
        forged = base64.b64encode(hmac.new(b"", content, hashlib.sha256).digest()).decode()
        for secret in ["", "whsec_", "????"]:
            with self.assertRaisesRegex(ValueError, "the secret of the webhook is"):
                headers = {**HEADERS, "Webhook-Signature": f"v1,{forged}"}
                verify_webhook(secret, headers, BODY, now=THEN)


class Script:
    """A server that answers requests one after the other. Status 0 breaks the connection."""

    def __init__(self, *answers: Tuple[int, Dict[str, str], Any]) -> None:
        script = self
        self.requests: List[Tuple[str, str, str, bytes]] = []

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                key = self.headers.get("Idempotency-Key", "")
                script.requests.append((self.command, self.path, key, body))
                status, headers, value = answers[len(script.requests) - 1]
                if status == 0:
                    self.close_connection = True
                    return
                data = value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response(status)
                for name, text in {**headers, "Content-Length": str(len(data))}.items():
                    self.send_header(name, text)
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_DELETE = answer

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))

    def __enter__(self) -> "Script":
        self.thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def client(self, **options: Any) -> Tributary:
        return Tributary(f"{self.url}/", "key", retries=3, retry_pause=0.001, **options)


def problem(code: str) -> Dict[str, Any]:
    errors = [{"pointer": "/a", "message": "is wrong"}]
    return {"code": code, "detail": "No.", "request_id": "r1", "errors": errors}


class Requests(unittest.TestCase):
    def test_a_write_is_sent_again_with_the_same_key(self) -> None:
        answers = [
            (0, {}, None),
            (503, {"Retry-After": "0"}, problem("unavailable")),
            (409, {}, problem("idempotency_key_in_use")),
            (202, {}, {"import_log_id": 1}),
        ]
        with Script(*answers) as script:
            answer = script.client().call("POST", "/v1/x", {"a": 1})
        self.assertEqual(answer, {"import_log_id": 1})
        self.assertEqual(len(script.requests), 4)
        self.assertEqual(len(set(script.requests)), 1)
        _, path, key, body = script.requests[0]
        self.assertEqual((path, len(key), json.loads(body)), ("/v1/x", 36, {"a": 1}))

    def test_final_problems_are_typed_errors(self) -> None:
        answers = [(400, {}, problem("invalid_input")), (409, {}, problem("foreign_key_taken"))]
        with Script(*answers, (418, {}, "teapot")) as script:
            with self.assertRaises(InvalidInput) as caught:
                script.client().call("POST", "/v1/x", {})
            with self.assertRaises(ForeignKeyTaken):
                script.client().call("POST", "/v1/x", {})
            with self.assertRaises(ProblemError) as unknown:
                script.client().call("GET", "/v1/x")
        error = caught.exception
        self.assertEqual((str(error), error.code), ("No.", "invalid_input"))
        self.assertEqual((error.status, error.request_id), (400, "r1"))
        self.assertEqual(error.issues, [{"pointer": "/a", "message": "is wrong"}])
        self.assertEqual((unknown.exception.status, unknown.exception.code), (418, "unknown"))

    def test_the_last_failure_is_reported(self) -> None:
        with Script(*[(0, {}, None)] * 4) as script:
            with self.assertRaises(ConnectionFailed):
                script.client().call("GET", "/v1/x")
        self.assertEqual([key for _, _, key, _ in script.requests], [""] * 4)

    def test_a_pause_that_is_too_long_is_not_waited_for(self) -> None:
        with Script((429, {"Retry-After": "86400"}, problem("rate_limited"))) as script:
            with self.assertRaises(ProblemError):
                script.client().call("GET", "/v1/x")
        self.assertEqual(len(script.requests), 1)

    def test_lists_are_read_page_by_page(self) -> None:
        link = {"Link": '</v1/x?limit=2&after=2>; rel="next"'}
        with Script((200, link, [1, 2]), (200, {}, [3])) as script:
            self.assertEqual(list(script.client().pages("/v1/x", query={"limit": 2})), [1, 2, 3])
        self.assertEqual(script.requests[1][1], "/v1/x?limit=2&after=2")

    def test_a_redirect_is_not_followed(self) -> None:
        with Script((302, {"Location": "/elsewhere"}, None)) as script:
            with self.assertRaises(ProblemError) as caught:
                script.client(user_token="secret").call("GET", "/v1/x")
        self.assertEqual(caught.exception.status, 302)
        self.assertEqual([path for _, path, _, _ in script.requests], ["/v1/x"])

    def test_a_service_that_does_not_wait_is_asked_again_later(self) -> None:
        waited = {"Preference-Applied": "wait=30"}
        running, done = {"status": 1}, {"status": 2}
        with Script((200, {}, running), (200, waited, running), (200, waited, done)) as script:
            with mock.patch("tributary.client.time.sleep") as sleep:
                self.assertEqual(script.client().wait_for_import(1), done)
        first, second = [call.args[0] for call in sleep.call_args_list]
        self.assertTrue(2.5 <= first <= 7.5)
        self.assertEqual(second, 0.5)

    def test_retry_after_has_seconds_or_a_date(self) -> None:
        self.assertEqual(retry_after("7"), 7.0)
        self.assertEqual(retry_after("Thu, 01 Jan 2026 00:00:09 GMT", 1767225600), 9.0)
        self.assertIsNone(retry_after("soon"))
        self.assertIsNone(retry_after(None))


class Uploads(unittest.TestCase):
    def test_an_upload_is_completed_with_the_etags_of_the_storage(self) -> None:
        etag = {"ETag": '"not-md5"'}
        answers = [
            (200, {}, b"<ListMultipartUploadsResult/>"),
            (200, {}, b"<Result><UploadId>u</UploadId></Result>"),
            (200, etag, b""),
            (200, etag, b""),
            (200, {}, b"<CompleteMultipartUploadResult/>"),
        ]
        link: Dict[str, Any] = {}
        with Script((201, {}, link), *answers) as script:
            link.update(url=f"{script.url}/bucket/a.csv", file_path="a.csv", s3_path="a.csv")
            client = script.client(storage=StorageKeys("id", "secret"))
            client.upload(bytes(8 * 1024**2 + 1), "a.csv")
        completed = script.requests[-1][3].decode()
        self.assertEqual(completed.count('<ETag>"not-md5"</ETag>'), 2)

    def test_the_timeout_does_not_limit_the_time_to_send_a_body(self) -> None:
        class SlowReader(BaseHTTPRequestHandler):
            """Takes about two seconds."""

            def do_PUT(self) -> None:
                for _ in range(16):
                    self.rfile.read(1024**2)
                    time.sleep(0.125)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        with HTTPServer(("127.0.0.1", 0), SlowReader) as server:
            server.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
            thread = threading.Thread(target=server.handle_request)
            thread.start()
            url = f"http://127.0.0.1:{server.server_port}/"
            try:
                answer = Transport(0, 0, timeout=1).send_once("PUT", url, {}, bytes(16 * 1024**2))
            finally:
                thread.join()
        self.assertEqual(answer.status, 200)


if __name__ == "__main__":
    unittest.main()
