"""Uploads of files: in one request, or in parts that survive an interruption."""

from __future__ import annotations

import concurrent.futures
import hashlib
import hmac
import io
import os
import random
import threading
import time
import urllib.parse
import xml.etree.ElementTree as ElementTree
from typing import Any, BinaryIO, Callable, Dict, Mapping, NamedTuple, Optional, Union

from . import types
from .errors import ConnectionFailed
from .transport import Answer, Transport

MEBIBYTE = 1024**2
LEAST_PART = 8 * MEBIBYTE
MOST_PARTS = 10_000
# The most that one PUT may have.
LINK_BYTES = 5 * 1024**3
LINK_ATTEMPTS = 4
PARTS_AT_ONCE = 4

Link = types.CreateUploadResponse
Progress = Optional[Callable[[int, int], None]]


class StorageKeys(NamedTuple):
    """Storage credentials, as the operator issues them."""

    access_key_id: str
    secret_access_key: str


def upload(
    transport: Transport,
    storage: Optional[StorageKeys],
    create_link: Callable[[], Link],
    source: Union[str, "os.PathLike[str]", bytes],
    on_progress: Progress,
) -> str:
    with _open(source) as content:
        size = content.seek(0, io.SEEK_END)
        link = create_link()
        if storage is not None and size > part_bytes_for(size):
            _Multipart(transport, storage, link).send(content, size, on_progress)
        elif size > LINK_BYTES:
            raise ValueError("a file of more than 5 GiB requires storage credentials: set storage")
        else:
            _put(transport, link, create_link, content, size, on_progress)
        return link["file_path"]


def _open(source: Union[str, "os.PathLike[str]", bytes]) -> BinaryIO:
    return io.BytesIO(source) if isinstance(source, bytes) else open(source, "rb")


class _Counted(io.RawIOBase):
    """A file that reports how many bytes were read."""

    def __init__(self, content: BinaryIO, size: int, on_progress: Progress) -> None:
        content.seek(0)
        self._content = content
        self._size = size
        self._on_progress = on_progress

    def read(self, size: int = -1) -> bytes:
        data = self._content.read(size)
        if data and self._on_progress is not None:
            self._on_progress(self._content.tell(), self._size)
        return data


def _put(
    transport: Transport,
    link: Link,
    create_link: Callable[[], Link],
    content: BinaryIO,
    size: int,
    on_progress: Progress,
) -> None:
    """Each attempt sends everything again, to a new link, because a link expires."""
    headers = {"Content-Length": str(size), "Content-Type": "application/octet-stream"}
    for attempt in range(1, LINK_ATTEMPTS + 1):
        failure: Exception
        try:
            body: Any = _Counted(content, size, on_progress)
            answer = transport.send_once("PUT", link["url"], headers, body)
            if answer.status < 300:
                return
            failure = _failed(answer)
            if answer.status < 500 and answer.status != 429:
                raise failure
        except ConnectionFailed as error:
            failure = error
        if attempt == LINK_ATTEMPTS:
            raise failure
        time.sleep(random.random() * transport.pause * 2 ** (attempt + 1))
        link = create_link()


def part_bytes_for(size: int) -> int:
    """The size of the parts. It depends on the file alone, so that an upload can continue."""
    return max(LEAST_PART, -(-size // MOST_PARTS // MEBIBYTE) * MEBIBYTE)


class _Multipart:
    def __init__(self, transport: Transport, keys: StorageKeys, link: Link) -> None:
        self._transport = transport
        self._keys = keys
        self._key = link["s3_path"]
        url = urllib.parse.urlsplit(link["url"])
        origin = f"{url.scheme}://{url.netloc}"
        query = dict(urllib.parse.parse_qsl(url.query))
        self._region = query.get("X-Amz-Credential", "///").split("/")[2] or "us-east-1"
        self._object = origin + url.path
        # The path of the bucket is empty or has one segment, depending on the storage.
        segments = url.path.split("/")
        self._bucket = origin + "/".join(segments[: -len(self._key.split("/"))]) + "/"

    def send(self, content: BinaryIO, size: int, on_progress: Progress) -> None:
        """Parts that an interrupted upload of the same file has stored are not sent again."""
        found = self._unfinished()
        stored = {} if found is None else self._stored_parts(found)
        upload_id = found or self._begin()
        part_bytes = part_bytes_for(size)
        count = -(-size // part_bytes)
        lock = threading.Lock()
        sent = 0

        def send_part(number: int) -> str:
            nonlocal sent
            with lock:
                content.seek((number - 1) * part_bytes)
                part = content.read(part_bytes)
            digest = hashlib.md5(part).hexdigest()
            etag = f'"{digest}"'
            if stored.get(number) != digest:
                query = {"partNumber": str(number), "uploadId": upload_id}
                answer = self._call("PUT", self._object, query, part)
                # With some kinds of encryption it is not the MD5 digest.
                etag = answer.headers.get("ETag") or etag
            with lock:
                sent += len(part)
                if on_progress is not None:
                    on_progress(sent, size)
            return etag

        with concurrent.futures.ThreadPoolExecutor(PARTS_AT_ONCE) as pool:
            etags = list(pool.map(send_part, range(1, count + 1)))
        parts = "".join(
            f'<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>'
            for number, etag in enumerate(etags, 1)
        )
        body = f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>".encode()
        answer = self._call("POST", self._object, {"uploadId": upload_id}, body)
        # The storage may report an error after it has begun a successful response.
        if _name(ElementTree.fromstring(answer.body)) == "Error":
            raise _failed(answer)

    def _begin(self) -> str:
        answer = self._call("POST", self._object, {"uploads": ""})
        return _texts(ElementTree.fromstring(answer.body))["UploadId"]

    def _unfinished(self) -> Optional[str]:
        """The latest upload of this key that was not completed."""
        answer = self._call("GET", self._bucket, {"prefix": self._key, "uploads": ""})
        uploads = [_texts(each) for each in ElementTree.fromstring(answer.body)]
        ids = [each["UploadId"] for each in uploads if each.get("Key") == self._key]
        return ids[-1] if ids else None

    def _stored_parts(self, upload_id: str) -> Dict[int, str]:
        """The ETags of the stored parts without quotes, by number."""
        stored: Dict[int, str] = {}
        marker = "0"
        while True:
            query = {"part-number-marker": marker, "uploadId": upload_id}
            root = ElementTree.fromstring(self._call("GET", self._object, query).body)
            for part in root:
                if _name(part) == "Part":
                    texts = _texts(part)
                    stored[int(texts["PartNumber"])] = texts["ETag"].strip('"')
            texts = _texts(root)
            if texts.get("IsTruncated") != "true":
                return stored
            marker = texts["NextPartNumberMarker"]

    def _call(
        self, method: str, address: str, query: Mapping[str, str], body: Optional[bytes] = None
    ) -> Answer:
        text = urllib.parse.urlencode(sorted(query.items()), quote_via=urllib.parse.quote, safe="")
        url = f"{address}?{text}"
        headers = signed_headers(method, url, self._region, self._keys)
        if body is not None:
            headers["Content-Type"] = "application/octet-stream"
        answer = self._transport.send(method, url, headers, body)
        if answer.status >= 300:
            raise _failed(answer)
        return answer


def signed_headers(
    method: str, url: str, region: str, keys: StorageKeys, now: Optional[float] = None
) -> Dict[str, str]:
    """Signs a request with AWS Signature Version 4."""
    place = urllib.parse.urlsplit(url)
    current = time.gmtime(time.time() if now is None else now)
    moment = time.strftime("%Y%m%dT%H%M%SZ", current)
    scope = f"{moment[:8]}/{region}/s3/aws4_request"
    payload = "UNSIGNED-PAYLOAD"
    headers = {"host": place.netloc, "x-amz-content-sha256": payload, "x-amz-date": moment}
    names = ";".join(headers)
    lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
    request = "\n".join([method, place.path, place.query, lines, names, payload])
    digest = hashlib.sha256(request.encode()).hexdigest()
    key = f"AWS4{keys.secret_access_key}".encode()
    for text in [*scope.split("/"), f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{digest}"]:
        key = hmac.new(key, text.encode(), hashlib.sha256).digest()
    headers["Authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={keys.access_key_id}/{scope}, "
        f"SignedHeaders={names}, Signature={key.hex()}"
    )
    return headers


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _texts(element: ElementTree.Element) -> Dict[str, str]:
    return {_name(child): child.text or "" for child in element}


def _failed(answer: Answer) -> Exception:
    text = answer.body.decode(errors="replace")
    return RuntimeError(f"the storage responded with {answer.status}: {text}")
