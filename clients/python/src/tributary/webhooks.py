"""Verification of webhooks (Standard Webhooks 1.0.0)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Dict, Mapping, Optional


class WebhookError(Exception):
    """The request is not from the service, or too old. Answer it with 400."""


def verify_webhook(
    secret: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance_seconds: int = 300,
    now: Optional[float] = None,
) -> Dict[str, Any]:
    """Checks the signature of a webhook and returns its event: `type`, `timestamp` and `data`.

    `body` is the body as received, before it is parsed. A request may come twice: remember its
    `webhook-id`.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id = _required(given, "webhook-id")
    timestamp = _required(given, "webhook-timestamp")
    signatures = _required(given, "webhook-signature")
    current = time.time() if now is None else now
    is_number = timestamp.isascii() and timestamp.isdigit()
    if not is_number or abs(current - int(timestamp)) > tolerance_seconds:
        raise WebhookError("webhook-timestamp is too far from the current time")
    key = base64.b64decode(secret[len("whsec_") :] if secret.startswith("whsec_") else secret)
    if not key:
        raise ValueError("the secret of the webhook is empty or not base64")
    content = f"{message_id}.{timestamp}.".encode() + body
    expected = hmac.new(key, content, hashlib.sha256).digest()
    if not any(_matches(signature, expected) for signature in signatures.split(" ")):
        raise WebhookError("no webhook-signature matches the secret")
    event: Dict[str, Any] = json.loads(body)
    return event


def _required(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if not value:
        raise WebhookError(f"{name} is missing")
    return value


def _matches(signature: str, expected: bytes) -> bool:
    version, _, encoded = signature.partition(",")
    if version != "v1":
        return False
    try:
        given = base64.b64decode(encoded)
    except (binascii.Error, ValueError):
        return False
    return hmac.compare_digest(given, expected)
