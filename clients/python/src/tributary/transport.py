"""Sends requests until they succeed or fail for good."""

from __future__ import annotations

import email.utils
import http.client
import io
import json
import random
import time
import urllib.error
import urllib.request
from typing import Any, BinaryIO, Mapping, NamedTuple, Optional, Union

from .errors import ConnectionFailed, ProblemError
from .problems import BY_CODE

# No pause is longer than this. If the service asks for more time, its response is final.
LONGEST_PAUSE = 60.0
# Overloaded, restarting, or the rate limit is reached.
TRANSIENT = {408, 429, 502, 503, 504}


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect could send the credentials to another address, so it is a response like any other."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    def __init__(self, retries: int, pause: float, timeout: float) -> None:
        self.retries = retries
        self.pause = pause
        self.timeout = timeout

    def send(
        self, method: str, url: str, headers: Mapping[str, str], body: Optional[bytes] = None
    ) -> Answer:
        """The response, also one that reports an error."""
        for attempt in range(self.retries + 1):
            failure: Optional[ConnectionFailed] = None
            answer: Optional[Answer] = None
            try:
                answer = self.send_once(method, url, headers, body)
            except ConnectionFailed as error:
                failure = error
            pause = None if attempt == self.retries else self.pause_after(answer, attempt)
            if pause is None:
                break
            time.sleep(pause)
        if answer is None:
            assert failure is not None
            raise failure
        return answer

    def send_once(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Union[bytes, BinaryIO, None],
    ) -> Answer:
        sent = dict(headers)
        if isinstance(body, bytes):
            # A file is sent in pieces, and the timeout applies to each piece instead of the whole body.
            sent["Content-Length"] = str(len(body))
            body = io.BytesIO(body)
        request = urllib.request.Request(url, data=body, headers=sent, method=method)
        try:
            with _opener.open(request, timeout=self.timeout) as response:
                return Answer(response.status, response.headers, response.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.headers, error.read())
        except (OSError, http.client.HTTPException) as error:
            place = urllib.request.urlparse(url).netloc
            raise ConnectionFailed(f"cannot reach {place}: {error}") from error

    def pause_after(self, answer: Optional[Answer], attempt: int) -> Optional[float]:
        """None: another attempt would not help."""
        # A random part of the pause, so that many clients do not come back at the same moment.
        backoff = random.random() * min(LONGEST_PAUSE, self.pause * 2**attempt)
        if answer is None:
            return backoff
        if answer.status not in TRANSIENT and not _is_under_way(answer):
            return None
        asked = retry_after(answer.headers.get("Retry-After"))
        if asked is None:
            return backoff
        return None if asked > LONGEST_PAUSE else asked + backoff


def _is_under_way(answer: Answer) -> bool:
    """The first request with this Idempotency-Key has not ended."""
    return answer.status == 409 and _json(answer).get("code") == "idempotency_key_in_use"


def retry_after(header: Optional[str], now: Optional[float] = None) -> Optional[float]:
    """The seconds of the header, which has seconds or a date."""
    if header is None:
        return None
    if header.isdigit():
        return float(header)
    try:
        date = email.utils.parsedate_to_datetime(header)
    except (TypeError, ValueError):
        return None
    return max(0.0, date.timestamp() - (time.time() if now is None else now))


def problem_of(answer: Answer) -> ProblemError:
    problem = _json(answer)
    kind = BY_CODE.get(str(problem.get("code")), ProblemError)
    return kind(answer.status, {"request_id": answer.headers.get("X-Request-Id"), **problem})


def _json(answer: Answer) -> Mapping[str, Any]:
    try:
        value = json.loads(answer.body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
