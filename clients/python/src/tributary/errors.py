"""Errors of the client. `tributary.problems` has one class for each problem code of the service."""

from __future__ import annotations

from typing import Any, ClassVar, Dict, List, Mapping, Optional


class ProblemError(Exception):
    """The service refused a request. `code` says why, and the message what to do."""

    code: ClassVar[str] = "unknown"

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(problem.get("detail") or f"the service responded with status {status}")
        self.status = status
        #: Tell it to the operator if you need help.
        self.request_id: Optional[str] = problem.get("request_id")
        #: The fields that are wrong, for `invalid_input`.
        self.issues: List[Dict[str, str]] = list(problem.get("errors") or [])


class ConnectionFailed(Exception):
    """No response: the service cannot be reached, or the connection broke."""


class LoadFailed(Exception):
    """The job ended with an error, so nothing or not everything was loaded."""

    def __init__(self, message: str, record: Mapping[str, Any]) -> None:
        super().__init__(message)
        #: The import log, or the details of the audience.
        self.record = record
