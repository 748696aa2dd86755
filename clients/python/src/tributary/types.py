"""Types of requests and responses. Generated from the OpenAPI document: do not edit."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


class _QueueImportRequestCredentialsRequired(TypedDict):
    region: str


class QueueImportRequestCredentials(_QueueImportRequestCredentialsRequired, total=False):
    accessKeyId: str
    secretAccessKey: str
    sessionToken: str
    roleArn: str


class _QueueImportRequestRequired(TypedDict):
    file_path: str
    key_type: Literal[0, 1]


class QueueImportRequest(_QueueImportRequestRequired, total=False):
    path_type: Literal[0, 1]
    credentials: QueueImportRequestCredentials
    compressed: bool
    mode: Literal["merge", "replace"]
    dry_run: bool


class QueueImportResponse(TypedDict):
    import_log_id: int


class DeleteAttributeDataRequest(TypedDict):
    key_type: Literal[0, 1]
    keys: List[str]


DeleteAttributeDataResponse = QueueImportResponse


class ListImportLogsItemErrors(TypedDict):
    code: str
    message: str
    file: Optional[str]
    line: Optional[int]
    column: Optional[int]
    value: Optional[str]
    count: int


class ListImportLogsItem(TypedDict):
    import_log_id: int
    file_path: str
    path_type: int
    key_type: int
    status: int
    log_type: int
    keys: Optional[List[str]]
    unique_devices: str
    total_rows: str
    errors: Optional[List[ListImportLogsItemErrors]]
    created_at: str
    updated_at: str


GetImportLogResponse = ListImportLogsItem


class GetBucketRoleResponse(TypedDict):
    external_id: str
    principal: Optional[str]
    trust_policy: Optional[Dict[str, Any]]


class ListImportFilesItem(TypedDict):
    s3_path: str
    status: int
    total_rows: int
    rejected_rows: int
    updated_at: str


class GetImportProgressResponse(TypedDict):
    bytes_read: int
    bytes_total: int
    rows_read: int
    rows_per_second: Optional[int]
    queue_position: Optional[int]
    waiting_for: Optional[int]
    eta_seconds: Optional[int]


class _CreateAttributeRequestRequired(TypedDict):
    name: str


class CreateAttributeRequest(_CreateAttributeRequestRequired, total=False):
    description: str
    partner_foreign_key: str


class CreateAttributeResponse(TypedDict):
    attribute_ids: List[int]


class ListAttributesItem(TypedDict):
    attribute_id: int
    name: str
    description: str
    partner_foreign_key: Optional[str]
    unique_devices: int
    created_at: str
    updated_at: str


GetAttributeResponse = ListAttributesItem


class ChangeAttributeRequest(TypedDict, total=False):
    name: str
    description: str
    partner_foreign_key: Optional[str]


ChangeAttributeResponse = ListAttributesItem


DeleteAttributeResponse = QueueImportResponse


class ListAttributeHistoryItem(TypedDict):
    number: int
    changed_at: str
    reason: Literal["import", "replace", "deletion", "privacy"]
    unique_devices: int


class CreateAudienceRequest(TypedDict):
    name: str
    file_path: str


class CreateAudienceResponse(TypedDict):
    audience_id: int
    default_warehouse_segment_id: int


class ListAudiencesItem(TypedDict):
    audience_id: int
    name: str
    unique_devices: int
    default_warehouse_segment_id: int
    status: int
    created_at: str
    updated_at: str
    uploaded_devices: int
    matched_devices: int


class AppendFilesRequest(TypedDict):
    file_path: str


class GetAudienceResponseFile(TypedDict):
    s3_path: str
    status: int
    rows_uploaded: int
    updated_at: str


class GetAudienceResponse(TypedDict):
    audience_id: int
    name: str
    unique_devices: int
    default_warehouse_segment_id: int
    status: int
    created_at: str
    updated_at: str
    uploaded_devices: int
    matched_devices: int
    file: List[GetAudienceResponseFile]


class GetCompositionResponseDisclosure(TypedDict):
    mode: Literal["exact", "protected"]
    scale: Optional[float]
    sizes_exact: bool
    held_until: Optional[str]


class GetCompositionResponseBaseline(TypedDict):
    choice: str
    name: Optional[str]
    devices: int
    audience_devices: int


class GetCompositionResponseSuppliers(TypedDict):
    partner_id: int
    name: str


class GetCompositionResponseAttributes(TypedDict):
    attribute_id: int
    name: str
    partner_id: int
    audience_devices: Optional[int]
    audience_share: Optional[float]
    audience_share_low: Optional[float]
    audience_share_high: Optional[float]
    baseline_devices: Optional[int]
    baseline_share: Optional[float]
    index: Optional[float]
    index_low: Optional[float]
    index_high: Optional[float]
    z: Optional[float]
    q: Optional[float]
    exact: bool
    suppressed: Optional[Literal["audience_too_small", "too_few_devices", "too_few_others", "too_few_in_baseline", "no_devices_outside"]]


class GetCompositionResponseEvents(TypedDict):
    label: str
    devices: int
    share: Optional[float]


class GetCompositionResponse(TypedDict):
    audience_id: int
    default_warehouse_segment_id: int
    computed_at: str
    universe_version: int
    stale: bool
    disclosure: GetCompositionResponseDisclosure
    universe_devices: int
    unique_devices: int
    matched_devices: int
    baseline: GetCompositionResponseBaseline
    suppliers: List[GetCompositionResponseSuppliers]
    attributes: List[GetCompositionResponseAttributes]
    events: List[GetCompositionResponseEvents]


class ListAudienceHistoryItemTopAttributes(TypedDict):
    attribute_id: int
    name: str
    audience_devices: int
    audience_share: Optional[float]
    index: Optional[float]


class ListAudienceHistoryItem(TypedDict):
    number: int
    changed_at: str
    reasons: List[Literal["load", "append", "clear", "privacy", "attribute_import", "attribute_deletion"]]
    unique_devices: int
    matched_devices: int
    match_rate: Optional[float]
    universe_devices: int
    top_attributes: List[ListAudienceHistoryItemTopAttributes]


ListAudienceErrorsItem = ListImportLogsItemErrors


GetAudienceProgressResponse = GetImportProgressResponse


class _CreateWatchRequestRequired(TypedDict):
    file_path: str
    key_type: Literal[0, 1]


class CreateWatchRequest(_CreateWatchRequestRequired, total=False):
    path_type: Literal[0, 1]
    credentials: QueueImportRequestCredentials
    compressed: bool
    mode: Literal["merge", "replace"]
    settle_seconds: int
    marker: str
    poll_seconds: int
    existing_files: Literal["load", "skip"]


class CreateWatchResponse(TypedDict):
    watch_id: int
    audience_id: Optional[int]
    file_path: str
    path_type: Literal[0, 1]
    key_type: Optional[Literal[0, 1]]
    mode: Optional[Literal["merge", "replace"]]
    compressed: Optional[bool]
    settle_seconds: int
    marker: Optional[str]
    poll_seconds: int
    existing_files: Literal["load", "skip"]
    state: Literal["active", "paused"]
    paused_reason: Optional[str]
    files_waiting: int
    files_queued: int
    files_loaded: int
    files_failed: int
    poll_error: Optional[str]
    listed_at: Optional[str]
    created_at: str
    updated_at: str


ListWatchesItem = CreateWatchResponse


GetWatchResponse = CreateWatchResponse


class ChangeWatchRequest(TypedDict, total=False):
    state: Literal["active", "paused"]
    settle_seconds: int
    marker: Optional[str]
    poll_seconds: int
    retry_failed: bool
    key_type: Literal[0, 1]
    mode: Literal["merge", "replace"]
    compressed: Optional[bool]
    credentials: QueueImportRequestCredentials


ChangeWatchResponse = CreateWatchResponse


class ListWatchFilesItem(TypedDict):
    file_id: int
    key: str
    etag: str
    size: int
    modified_at: str
    state: Literal["waiting", "queued", "loaded", "failed", "cancelled", "replaced", "skipped", "hidden"]
    job_id: Optional[int]
    updated_at: str


class _CreateAudienceWatchRequestRequired(TypedDict):
    file_path: str


class CreateAudienceWatchRequest(_CreateAudienceWatchRequestRequired, total=False):
    settle_seconds: int
    marker: str
    poll_seconds: int
    existing_files: Literal["load", "skip"]


CreateAudienceWatchResponse = CreateWatchResponse


ListAudienceWatchesItem = CreateWatchResponse


GetAudienceWatchResponse = CreateWatchResponse


class ChangeAudienceWatchRequest(TypedDict, total=False):
    state: Literal["active", "paused"]
    settle_seconds: int
    marker: Optional[str]
    poll_seconds: int
    retry_failed: bool


ChangeAudienceWatchResponse = CreateWatchResponse


ListAudienceWatchFilesItem = ListWatchFilesItem


class GetUsageItem(TypedDict):
    month: str
    partner_id: int
    partner_name: str
    requests: int
    rows: int
    object_bytes: int
    set_bytes: int
    devices: int


class GetQuotasResponse(TypedDict):
    requests: Optional[int]
    rows: Optional[int]
    devices: Optional[int]


class GetStorageResponse(TypedDict):
    bytes: int
    quota: Optional[int]
    open_uploads: int
    uploads_kept_days: Optional[int]


class CreateUploadRequest(TypedDict):
    path: str


class CreateUploadResponse(TypedDict):
    s3_path: str
    file_path: str
    url: str
    expires_at: str


class _CreateWebhookRequestRequired(TypedDict):
    url: str


class CreateWebhookRequest(_CreateWebhookRequestRequired, total=False):
    description: str
    events: Optional[List[Literal["import.finished", "import.failed", "deletion.finished", "audience.loaded", "audience.file_failed", "audience.cleared", "composition.updated", "watch.paused", "privacy.applied"]]]


class CreateWebhookResponse(TypedDict):
    webhook_id: int
    url: str
    description: str
    events: Optional[List[str]]
    disabled_at: Optional[str]
    disabled_by: Optional[Literal["partner", "operator", "gone", "failing"]]
    failing_since: Optional[str]
    previous_secret_until: Optional[str]
    created_at: str
    updated_at: str
    secret: str


class ListWebhooksItem(TypedDict):
    webhook_id: int
    url: str
    description: str
    events: Optional[List[str]]
    disabled_at: Optional[str]
    disabled_by: Optional[Literal["partner", "operator", "gone", "failing"]]
    failing_since: Optional[str]
    previous_secret_until: Optional[str]
    created_at: str
    updated_at: str


GetWebhookResponse = ListWebhooksItem


class ChangeWebhookRequest(TypedDict, total=False):
    url: str
    description: str
    events: Optional[List[Literal["import.finished", "import.failed", "deletion.finished", "audience.loaded", "audience.file_failed", "audience.cleared", "composition.updated", "watch.paused", "privacy.applied"]]]
    disabled: bool


ChangeWebhookResponse = ListWebhooksItem


class RotateWebhookSecretRequest(TypedDict, total=False):
    overlap_hours: float


class RotateWebhookSecretResponse(TypedDict):
    secret: str
    previous_secret_until: Optional[str]


class TestWebhookResponse(TypedDict):
    event_id: str


class ListWebhookDeliveriesItemAttempts(TypedDict):
    attempted_at: str
    status: Optional[int]
    duration_ms: int
    error: Optional[str]
    response: Optional[str]


class ListWebhookDeliveriesItem(TypedDict):
    delivery_id: int
    event_id: str
    type: str
    state: Literal["pending", "delivered", "failed"]
    created_at: str
    next_attempt_at: Optional[str]
    attempts: List[ListWebhookDeliveriesItemAttempts]


class ReplayWebhookRequest(TypedDict):
    since: str


class ReplayWebhookResponse(TypedDict):
    events: int
