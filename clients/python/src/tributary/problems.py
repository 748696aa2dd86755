"""One error for each problem code. Generated from the OpenAPI document: do not edit."""

from __future__ import annotations

from typing import Dict, Type

from .errors import ProblemError


class InvalidInput(ProblemError):
    code = "invalid_input"


class MalformedBody(ProblemError):
    code = "malformed_body"


class Unauthenticated(ProblemError):
    code = "unauthenticated"


class Forbidden(ProblemError):
    code = "forbidden"


class NotFound(ProblemError):
    code = "not_found"


class NotComputedYet(ProblemError):
    code = "not_computed_yet"


class MethodNotAllowed(ProblemError):
    code = "method_not_allowed"


class RequestTimeout(ProblemError):
    code = "request_timeout"


class ForeignKeyTaken(ProblemError):
    code = "foreign_key_taken"


class LimitReached(ProblemError):
    code = "limit_reached"


class EmailTaken(ProblemError):
    code = "email_taken"


class IdempotencyKeyInUse(ProblemError):
    code = "idempotency_key_in_use"


class BodyTooLarge(ProblemError):
    code = "body_too_large"


class UnsupportedMediaType(ProblemError):
    code = "unsupported_media_type"


class IdempotencyKeyReused(ProblemError):
    code = "idempotency_key_reused"


class RateLimited(ProblemError):
    code = "rate_limited"


class HeadersTooLarge(ProblemError):
    code = "headers_too_large"


class Internal(ProblemError):
    code = "internal"


class Unavailable(ProblemError):
    code = "unavailable"


class StorageFull(ProblemError):
    code = "storage_full"


class QuotaExceeded(ProblemError):
    code = "quota_exceeded"


BY_CODE: Dict[str, Type[ProblemError]] = {
    "invalid_input": InvalidInput,
    "malformed_body": MalformedBody,
    "unauthenticated": Unauthenticated,
    "forbidden": Forbidden,
    "not_found": NotFound,
    "not_computed_yet": NotComputedYet,
    "method_not_allowed": MethodNotAllowed,
    "request_timeout": RequestTimeout,
    "foreign_key_taken": ForeignKeyTaken,
    "limit_reached": LimitReached,
    "email_taken": EmailTaken,
    "idempotency_key_in_use": IdempotencyKeyInUse,
    "body_too_large": BodyTooLarge,
    "unsupported_media_type": UnsupportedMediaType,
    "idempotency_key_reused": IdempotencyKeyReused,
    "rate_limited": RateLimited,
    "headers_too_large": HeadersTooLarge,
    "internal": Internal,
    "unavailable": Unavailable,
    "storage_full": StorageFull,
    "quota_exceeded": QuotaExceeded,
}
