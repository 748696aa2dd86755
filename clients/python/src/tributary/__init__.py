"""Client for the Tributary API."""

from .client import Tributary
from .errors import ConnectionFailed, LoadFailed, ProblemError
from .uploads import StorageKeys
from .webhooks import WebhookError, verify_webhook

__all__ = [
    "ConnectionFailed",
    "LoadFailed",
    "ProblemError",
    "StorageKeys",
    "Tributary",
    "WebhookError",
    "verify_webhook",
]
