"""The client of the service for partners."""

from __future__ import annotations

import json
import os
import random
import re
import time
import urllib.parse
import uuid
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Union, cast

from . import types
from .errors import LoadFailed
from .transport import Answer, Transport, problem_of
from .uploads import StorageKeys, upload

ImportLog = types.GetImportLogResponse
AudienceDetails = types.GetAudienceResponse
Progress = Callable[[int, int], None]
# In seconds, after a wait, because a service that is stopping answers at once.
PAUSE = 0.5
# In seconds, on average, if the service did not wait, because too many requests are waiting.
LONG_PAUSE = 5.0


class Tributary:
    """A client of the service for partners.

    With `user_token`, requests about audiences act for one customer. With `storage`, large files are
    uploaded in parts that survive an interruption. A request that fails for a reason that may pass is sent
    again, up to `retries` times, with pauses that begin at `retry_pause` seconds.
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        user_token: Optional[str] = None,
        storage: Optional[StorageKeys] = None,
        retries: int = 5,
        retry_pause: float = 0.5,
        timeout: float = 90.0,
    ) -> None:
        self._url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {api_key}"}
        if user_token is not None:
            self._headers["X-User-Token"] = user_token
        self._storage = storage
        self._transport = Transport(retries, retry_pause, timeout)

    def call(
        self,
        method: str,
        path: str,
        body: Optional[Mapping[str, Any]] = None,
        *,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Any:
        """Calls any operation and returns the JSON of its response.

        Raises a subclass of ProblemError if the service refuses it. Every write gets an Idempotency-Key, so
        it takes effect once, however often it is sent.
        """
        answer = self._send(method, path, body, query=query, headers=headers)
        return json.loads(answer.body) if answer.body else None

    def pages(self, path: str, *, query: Optional[Mapping[str, Any]] = None) -> Iterator[Any]:
        """Every record of a list, read page by page."""
        asked: Dict[str, Any] = dict(query or {})
        while True:
            answer = self._send("GET", path, query=asked)
            yield from json.loads(answer.body)
            link = answer.headers.get("Link") or ""
            following = re.search(r'<[^>]*[?&]after=([^&>]+)[^>]*>; rel="next"', link)
            if following is None:
                return
            asked["after"] = urllib.parse.unquote(following.group(1))

    def import_logs(self) -> Iterator[types.ListImportLogsItem]:
        return self.pages("/v1/marketplace/import")

    def attributes(self) -> Iterator[types.ListAttributesItem]:
        return self.pages("/v1/marketplace/attribute", query={"limit": 1000})

    def audiences(self) -> Iterator[types.ListAudiencesItem]:
        return self.pages("/v2/firstparty/audience", query={"limit": 1000})

    def upload(
        self,
        source: Union[str, "os.PathLike[str]", bytes],
        path: str,
        *,
        on_progress: Optional[Progress] = None,
    ) -> str:
        """Uploads a file, or bytes, to a path below your prefix, and returns that path.

        With storage credentials, an upload that was interrupted continues where it stopped when it is
        called again.
        """

        def create_link() -> types.CreateUploadResponse:
            return cast(
                types.CreateUploadResponse, self.call("POST", "/v1/console/uploads", {"path": path})
            )

        return upload(self._transport, self._storage, create_link, source, on_progress)

    def import_and_wait(self, file_path: str, key_type: int = 1, **settings: Any) -> ImportLog:
        """Queues an import and waits until it is done. Raises LoadFailed if it fails.

        `settings` are other fields of the request, such as `mode="replace"`.
        """
        body = {"file_path": file_path, "key_type": key_type, **settings}
        queued = self.call("POST", "/v1/marketplace/import", body)
        return self.wait_for_import(queued["import_log_id"])

    def wait_for_import(self, import_log_id: int) -> ImportLog:
        path = f"/v1/marketplace/import/{import_log_id}"
        while True:
            answer = self._send("GET", path, headers={"Prefer": "wait=30"})
            log = cast(ImportLog, json.loads(answer.body))
            if log["status"] == 2:
                return log
            if log["status"] == 3:
                raise LoadFailed(_failure(f"import {import_log_id}", log["errors"]), log)
            time.sleep(_pause_after(answer))

    def load_audience(
        self, file_path: str, *, name: Optional[str] = None, audience_id: Optional[int] = None
    ) -> AudienceDetails:
        """Creates an audience from files, or appends files to one, and waits until they are loaded.

        Give `name` to create one, or `audience_id` to append. Raises LoadFailed if a file of the audience
        has failed, including one of an earlier load.
        """
        if (name is None) == (audience_id is None):
            raise ValueError("give either name or audience_id")
        if audience_id is None:
            created = self.call(
                "POST", "/v2/firstparty/audience", {"name": name, "file_path": file_path}
            )
            audience_id = cast(int, created["audience_id"])
        else:
            self.call("PATCH", f"/v2/firstparty/audience/{audience_id}", {"file_path": file_path})
        return self.wait_for_audience(audience_id)

    def wait_for_audience(self, audience_id: int) -> AudienceDetails:
        path = f"/v2/firstparty/audience/{audience_id}"
        while True:
            answer = self._send("GET", path, headers={"Prefer": "wait=30"})
            audience = cast(AudienceDetails, json.loads(answer.body))
            if audience["status"] == 2:
                return audience
            if audience["status"] == 3:
                errors = self.call("GET", f"{path}/errors", query={"limit": 1})
                message = _failure(f"the load of audience {audience_id}", errors)
                raise LoadFailed(message, audience)
            time.sleep(_pause_after(answer))

    def _send(
        self,
        method: str,
        path: str,
        body: Optional[Mapping[str, Any]] = None,
        *,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Answer:
        url = self._url + path + (f"?{urllib.parse.urlencode(query)}" if query else "")
        sent = {**self._headers, **(headers or {})}
        if method not in ("GET", "HEAD"):
            sent.setdefault("Idempotency-Key", str(uuid.uuid4()))
        data = None
        if body is not None:
            sent["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        answer = self._transport.send(method, url, sent, data)
        if answer.status >= 300:
            raise problem_of(answer)
        return answer


def _pause_after(answer: Answer) -> float:
    waited = answer.headers.get("Preference-Applied") is not None
    return PAUSE if waited else LONG_PAUSE * (0.5 + random.random())


def _failure(what: str, errors: Optional[List[Any]]) -> str:
    return f"{what} failed: {errors[0]['message']}" if errors else f"{what} failed"
