import type { ColumnType, Generated } from 'kysely';
import type { DisclosureMode } from '../../domain/disclosure/disclosure.ts';
import type {
  AttributeCause,
  AudienceReason,
  CausedVersions,
} from '../../domain/history/reasons.ts';
import type { ImportProblem, RejectCode } from '../../domain/import-problems.ts';
import type {
  ImportMode,
  JobKind,
  JobState,
  KeyType,
  LoadState,
  LogType,
  PathType,
} from '../../domain/job.ts';
import type { PrivacyKind, PrivacyState } from '../../domain/privacy/privacy-request.ts';
import type {
  DeliveryState,
  WebhookDisabledBy,
  WebhookEvent,
} from '../../domain/webhooks/events.ts';

/** The tables, as the migrations beside this file create them. */
interface UniverseChange {
  run_id: number;
  is_drop: boolean;
  segment_id: number;
  file: string;
  first_row_group: number;
  row_groups: number;
  devices: number;
  bytes: number;
}

export interface Schema {
  partner: {
    partner_id: Generated<number>;
    name: string;
    storage_quota: number | null;
    created_at: Generated<Date>;
    audiences: Generated<number>;
    disabled_at: Date | null;
    removed_at: Date | null;
    deleted_at: Date | null;
    request_quota: number | null;
    row_quota: number | null;
    device_quota: number | null;
    upload_retention_days: number | null;
    disclosure: DisclosureMode | null;
    external_id: Generated<string>;
  };
  lane: { partner_id: number; turn: Generated<number> };
  api_key: {
    api_key_id: Generated<number>;
    partner_id: number;
    label: string;
    lookup: string;
    secret_hash: Buffer;
    created_at: Generated<Date>;
    last_used_at: Date | null;
    revoked_at: Date | null;
  };
  segment: {
    segment_id: Generated<number>;
    kind: SegmentKind;
    version: Generated<number>;
    lost_version: Generated<number>;
    changed_by: Generated<CausedVersions>;
  };
  refresh_pass: { is_only: Generated<boolean>; reports: number; seconds: number };
  profile: { segment_id: number; numbers: number };
  profile_source: { segment_id: number; number: number; run_id: number };
  attribute: {
    attribute_id: Generated<number>;
    partner_id: number;
    segment_id: number;
    name: string;
    description: string;
    partner_foreign_key: string | null;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
  };
  job: {
    job_id: Generated<number>;
    partner_id: number;
    kind: JobKind;
    state: Generated<JobState>;
    attempt: Generated<number>;
    losses: Generated<number>;
    is_large: Generated<boolean>;
    storage_failures: Generated<number>;
    available_at: Generated<Date>;
    lease_until: Date | null;
    started_at: Date | null;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
    traceparent: string | null;
  };
  ended_jobs: { partner_id: number; state: 'done' | 'failed' | 'cancelled'; jobs: number };
  job_day: {
    day: string;
    partner_id: number;
    state: 'done' | 'failed' | 'cancelled';
    jobs: Generated<number>;
    loaded_rows: Generated<number>;
    longest_wait: Generated<number>;
  };
  job_progress: {
    job_id: number;
    attempt: number;
    bytes_read: number;
    bytes_total: number;
    rows_read: number;
    updated_at: Date;
  };
  job_part: {
    job_id: number;
    attempt: number;
    position: number;
    input: unknown;
    keys: string;
    state: Generated<'free' | 'taken' | 'done'>;
    for_owner: Generated<boolean>;
    reader: string | null;
    lease_until: Date | null;
    stored: unknown;
    created_at: Generated<Date>;
  };
  job_secret: { job_id: number; sealed_credentials: Buffer };
  storage_credential: {
    access_key_id: string;
    partner_id: number;
    api_key_id: number | null;
    sealed_secret: Buffer;
    created_at: Generated<Date>;
    expires_at: Date | null;
    last_used_at: Date | null;
    revoked_at: Date | null;
  };
  webhook: {
    webhook_id: Generated<number>;
    partner_id: number;
    url: string;
    description: string;
    events: WebhookEvent[] | null;
    disabled_at: Date | null;
    disabled_by: WebhookDisabledBy | null;
    failures: Generated<number>;
    failing_since: Date | null;
    resume_at: Date | null;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
    removed_at: Date | null;
  };
  webhook_secret: {
    secret_id: string;
    webhook_id: number;
    sealed_secret: Buffer;
    created_at: Generated<Date>;
    expires_at: Date | null;
  };
  webhook_event: {
    event_id: Generated<number>;
    message_id: string;
    partner_id: number;
    type: string;
    body: string;
    created_at: Generated<Date>;
  };
  webhook_delivery: {
    delivery_id: Generated<number>;
    webhook_id: number;
    event_id: number;
    state: Generated<DeliveryState>;
    attempts: Generated<number>;
    due_at: Generated<Date>;
    created_at: Generated<Date>;
  };
  webhook_attempt: {
    attempt_id: Generated<number>;
    delivery_id: number;
    attempted_at: Date;
    status: number | null;
    duration_ms: number;
    error: string | null;
    answer: string | null;
  };
  import_log: {
    job_id: number;
    log_type: LogType;
    file_path: string;
    path_type: PathType;
    key_type: KeyType;
    keys: Json<string[]> | null;
    compressed: boolean | null;
    mode: Generated<ImportMode>;
    with_definitions: Generated<boolean>;
    unique_devices: Generated<number>;
    total_rows: Generated<number>;
    errors: Json<ImportProblem[]> | null;
    etag: string | null;
  };
  import_file: {
    job_id: number;
    attempt: number;
    position: number;
    s3_path: string;
    state: Generated<LoadState>;
    total_rows: Generated<number>;
    rejected_rows: Generated<number>;
    updated_at: Generated<Date>;
  };
  import_reject: {
    job_id: number;
    attempt: number;
    position: number;
    line: number;
    code: RejectCode;
    original: Buffer;
  };
  loaded_file: { key: string; loaded_at: Date };
  reject_use: { job_id: number; partner_id: number; bytes: number };
  customer: {
    customer_id: Generated<number>;
    name: string;
    created_at: Generated<Date>;
    disabled_at: Date | null;
    removed_at: Date | null;
  };
  user_token: {
    user_token_id: Generated<number>;
    partner_id: number;
    customer_id: number;
    lookup: string;
    secret_hash: Buffer;
    created_at: Generated<Date>;
    expires_at: Date | null;
    last_used_at: Date | null;
    revoked_at: Date | null;
  };
  audience: {
    audience_id: Generated<number>;
    partner_id: number;
    customer_id: number | null;
    segment_id: number;
    name: string;
    generation: Generated<number>;
    uploaded_devices: Generated<number>;
    matched_devices: Generated<number>;
    matched_version: number;
    report_version: number | null;
    report_held_until: Date | null;
    cleared_at: Date | null;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
  };
  audience_label: { segment_id: number; audience_id: number; label: Buffer };
  audience_load: {
    job_id: number;
    audience_id: number;
    generation: number;
    path: string;
    problem: Json<ImportProblem> | null;
    loaded_rows: Generated<number>;
    file_problems: number | null;
    first_file_problem: Json<Pick<ImportProblem, 'code' | 'message'>> | null;
    rejected_rows: number | null;
    etag: string | null;
  };
  watch: {
    watch_id: Generated<number>;
    partner_id: number;
    audience_id: number | null;
    polling_until: Date | null;
    polled_at: Date | null;
  };
  watch_file: { file_id: Generated<number>; watch_id: number };
  audience_file: {
    audience_id: number;
    s3_path: string;
    entry_id: Generated<number>;
    job_id: number;
    attempt: number;
    position: number;
    state: LoadState;
    ended_as: 'done' | 'failed' | null;
    etag: string | null;
    rows_uploaded: Generated<number>;
    problems: Json<ImportProblem[]> | null;
    updated_at: Generated<Date>;
  };
  composition: {
    audience_id: number;
    computed_at: Generated<Date>;
    universe_version: number;
    segment_version: number;
    universe_devices: number;
    unique_devices: number;
    matched_devices: number;
    universe_segment_version: number | null;
    attribute_segments: number[];
    attribute_versions: number[];
    baseline_devices: number[];
    audience_devices: number[];
    label_segments: number[];
    label_devices: number[];
    fingerprint: string | null;
    generation: number | null;
    uploaded_devices: number | null;
    released_version: number | null;
    released_matched: number | null;
    released_universe: number | null;
    is_own: Generated<boolean>;
    own_matched: number | null;
    erasures: number | null;
  };
  disclosure_key: { is_only: Generated<boolean>; key: Buffer };
  reported_content: {
    partner_id: number;
    day: Date;
    fingerprint: string;
    is_charged: boolean;
    releases: Generated<number>;
    foreign_state: string;
    universe_version: number;
    matched_devices: number;
    universe_devices: number;
  };
  supplier_baseline: {
    audience_id: number;
    partner_id: number;
    wanted_at: Generated<Date>;
    supplier_devices: number | null;
    audience_devices: number | null;
    attributes_digest: string | null;
    segment_version: number | null;
    universe_version: number | null;
  };
  audience_history: {
    audience_id: number;
    number: number;
    changed_at: Generated<Date>;
    reasons: AudienceReason[];
    unique_devices: number;
    matched_devices: number;
    universe_devices: number;
    top_segments: number[];
    top_devices: number[];
    top_baselines: number[];
  };
  attribute_history: {
    segment_id: number;
    version: number;
    changed_at: Generated<Date>;
    cause: AttributeCause;
    devices: number;
  };
  idempotency_key: {
    partner_id: number;
    route: string;
    key: string;
    body_hash: string;
    status: number;
    location: string | null;
    body: Json<unknown>;
    created_at: Generated<Date>;
  };
  run: {
    run_id: Generated<number>;
    segment_id: number;
    file: string;
    first_row_group: number;
    row_groups: number;
    devices: number;
    bytes: number;
    created_at: Generated<Date>;
    first_version: number;
    last_version: number;
  };
  run_file: {
    file: string;
    job_id: number | null;
    attempt: number | null;
    created_at: Generated<Date>;
    dropped_at: Date | null;
    last_dropped_at: Date | null;
    copy_id: number | null;
  };
  warehouse_copy: {
    copy_id: Generated<number>;
    state: Generated<WarehouseCopyState>;
    requested_at: Generated<Date>;
    ended_at: Date | null;
    to_kind: PlaceKind;
    to_address: string;
    sealed_to: Buffer | null;
    to_mark: string | null;
    from_kind: PlaceKind | null;
    from_address: string | null;
    sealed_from: Buffer | null;
    from_mark: string | null;
    compared_segments: number | null;
    compared_devices: number | null;
    copied_devices: number | null;
    problem: string | null;
  };
  copied_run: {
    run_id: number;
    file: string;
    first_row_group: number;
    row_groups: number;
    devices: number;
    bytes: number;
  };
  universe: { segment_id: number; version: Generated<number>; only_one: Generated<boolean> };
  universe_change: UniverseChange;
  pending_change: UniverseChange;
  suppression: {
    is_only: Generated<boolean>;
    segment_id: number;
    digest_segment_id: number;
    matched_segment_id: number;
    applied_version: Generated<number>;
    resolved_version: Generated<number>;
    has_masked_values: Generated<boolean>;
    only_marketplace: Generated<boolean>;
  };
  privacy_request: {
    request_id: Generated<number>;
    kind: PrivacyKind;
    reference: string;
    state: Generated<PrivacyState>;
    identifiers: number;
    sealed_devices: Buffer | null;
    found: number | null;
    attributes: number | null;
    audiences: number | null;
    partners: number | null;
    memberships: number | null;
    is_complete: boolean | null;
    plain_version: number | null;
    digest_version: number | null;
    received_at: Generated<Date>;
    suppressed_at: Date | null;
    removed_at: Date | null;
    done_at: Date | null;
  };
  privacy_identifier: {
    request_id: number;
    position: number;
    digest: Buffer;
    is_found: boolean | null;
  };
  privacy_finding: {
    finding_id: Generated<number>;
    request_id: number;
    position: number;
    attribute_id: number | null;
    audience_id: number | null;
    name: string;
    partner_id: number;
    held_since: Date | null;
    is_exact: boolean;
  };
  privacy_lookup: { segment_id: number };
  suppression_journal: { journal_id: string; bytes: number };
  suppression_removal: { segment_id: number; partner_id: number; devices: number };
  damaged_run: { run_id: number; reason: string; found_at: Generated<Date> };
  object: {
    key: string;
    etag: string;
    size: number;
    content_type: string;
    metadata: Json<Record<string, string>>;
    modified_at: Generated<Date>;
  };
  upload: {
    upload_id: string;
    key: string;
    content_type: string;
    metadata: Json<Record<string, string>>;
    started_at: Generated<Date>;
  };
  blob: {
    name: string;
    key: string | null;
    upload_id: string | null;
    position: number;
    size: number;
    etag: string;
    created_at: Generated<Date>;
  };
  customer_user: {
    user_id: Generated<number>;
    customer_id: number;
    email: string;
    email_key: string;
    password_hash: string;
    is_disabled: Generated<boolean>;
    created_at: Generated<Date>;
    last_sign_in_at: Date | null;
  };
  console_session: {
    session_id: Generated<number>;
    lookup: string;
    secret_hash: Buffer;
    user_id: number | null;
    api_key_id: number | null;
    admin_token_hash: Buffer | null;
    remote_address: string;
    user_agent: string;
    created_at: Generated<Date>;
    last_used_at: Generated<Date>;
    expires_at: Date;
  };
  password_link: {
    user_id: number;
    lookup: string;
    secret_hash: Buffer;
    created_at: Generated<Date>;
    expires_at: Date;
  };
  sign_in_attempt: {
    attempt_id: Generated<number>;
    subject: Buffer;
    tried_at: Generated<Date>;
  };
  oauth_app: {
    client_id: string;
    partner_id: number;
    name: string;
    secret_hash: Buffer | null;
    redirect_uris: string[];
    is_disabled: Generated<boolean>;
    created_at: Generated<Date>;
  };
  oauth_grant: {
    grant_id: Generated<number>;
    id_hash: Buffer;
    client_id: string;
    user_id: number;
    sealed_payload: Buffer;
    created_at: Generated<Date>;
    last_used_at: Date | null;
    expires_at: Date;
  };
  oauth_state: {
    id_hash: Buffer;
    model: OauthStateModel;
    grant_id: number | null;
    sealed_payload: Buffer;
    expires_at: Date;
    consumed_at: Date | null;
  };
  oauth_key: {
    kid: string;
    sealed_keys: Buffer;
    created_at: Generated<Date>;
    retired_at: Date | null;
  };
  installation: {
    is_only: Generated<boolean>;
    installation_id: Generated<string>;
    key_check: Buffer;
  };
  place: {
    content: PlaceContent;
    kind: PlaceKind;
    mark: string | null;
    address: string;
    copy_id: Generated<number | null>;
  };
  removed_file: { name: string; content: PlaceContent };
  data_change: { change_id: Generated<number>; changed_at: Generated<Date> };
  backup: {
    backup_id: Generated<number>;
    action: BackupAction;
    target: string;
    set_name: string | null;
    state: Generated<BackupState>;
    requested_at: Generated<Date>;
    started_at: Date | null;
    ended_at: Date | null;
    bytes_done: Generated<number>;
    bytes_total: Generated<number>;
    files: number | null;
    bytes: number | null;
    new_bytes: number | null;
    problem: string | null;
  };
  drop_cycle: {
    cycle_id: Generated<number>;
    kind: DropKind;
    state: DropState;
    folder: string;
    archive_name: string;
    archive_bytes: number | null;
    archive_sha256: Buffer | null;
    version: number | null;
    found_version: number | null;
    matches_key: string | null;
    lists: Json<DropList[]>;
    item_rows: Generated<number>;
    malformed_rows: Generated<number>;
    repeated_rows: Generated<number>;
    removed_rows: Generated<number>;
    lifted_rows: Generated<number>;
    problem: string | null;
    retry_at: Date | null;
    started_at: Generated<Date>;
    transfer_at: Date | null;
    downloaded_at: Date | null;
    suppressed_at: Date | null;
    matched_at: Date | null;
    removed_at: Date | null;
    deleted_at: Date | null;
    answered_at: Date | null;
    lifted_at: Date | null;
    ended_at: Date | null;
  };
  drop_file: {
    cycle_id: number;
    batch: number;
    position: number;
    name: string;
    object_key: string;
    bytes: number;
    sha256: Buffer;
    deleted_rows: number;
    not_found_rows: number;
    state: Generated<DropFileState>;
    found_version: number | null;
    removed_at: Date | null;
    created_at: Generated<Date>;
    sent_at: Date | null;
    may_have_arrived: Generated<boolean>;
    answered_at: Date | null;
    status: number | null;
    answer: string | null;
  };
  drop_call: {
    call_id: Generated<number>;
    cycle_id: number | null;
    operation: DropOperation;
    calls: Generated<number>;
    first_at: Generated<Date>;
    last_at: Generated<Date>;
    status: number | null;
    message: string;
  };
  drop_schedule: {
    is_only: Generated<boolean>;
    since: Generated<Date>;
    session_at: Generated<Date>;
    call_at: Generated<Date>;
    is_requested: Generated<boolean>;
    is_automatic: Generated<boolean>;
    is_amended: Generated<boolean>;
    failures: Generated<number>;
    accessed_at: Date | null;
    problem: string | null;
    problem_at: Date | null;
    keyed_at: Date | null;
  };
  admin_token_rotation: {
    old_hash: Buffer;
    new_hash: Buffer;
    old_valid_until: Date;
    rotated_at: Generated<Date>;
  };
  usage: {
    partner_id: number;
    month: Date;
    requests: Generated<number>;
    loaded_rows: Generated<number>;
    object_bytes: Generated<number>;
    set_bytes: Generated<number>;
    devices: Generated<number>;
  };
  audit_entry: {
    audit_entry_id: Generated<number>;
    request_id: string;
    called_at: Generated<Date>;
    action: string;
    target: string;
    remote_address: string;
    status: number | null;
    actor: Generated<'operator' | 'partner' | 'user' | 'app'>;
    partner_id: number | null;
    api_key_id: number | null;
    access_key_id: string | null;
    customer_id: number | null;
    user_id: number | null;
    client_id: string | null;
    before: Json<object> | null;
    after: Json<object> | null;
  };
}

export type DropKind = 'api' | 'manual';
export type DropState =
  | 'downloading'
  | 'downloaded'
  | 'suppressed'
  | 'matched'
  | 'removed'
  | 'deleted'
  | 'answered'
  | 'lifted'
  | 'accepted'
  | 'refused';
export type DropFileState = 'held' | 'ready' | 'accepted' | 'rejected';
export type DropOperation = 'download' | 'upload' | 'amend';

/** A file of an archive of DROP. */
export interface DropList {
  readonly file: string;
  /** As in its name, such as `MAID`. Null: the name has another form. */
  readonly list: string | null;
  readonly isRefused: boolean;
  readonly bytes: number;
  readonly sha256: string;
  readonly rows: number;
  readonly malformedRows: number;
}

export type BackupAction = 'create' | 'verify' | 'remove';
export type BackupState = 'pending' | 'running' | 'done' | 'failed';

/** What the authorization server stores by an id, besides grants. */
export type OauthStateModel = 'Interaction' | 'AuthorizationCode' | 'AccessToken' | 'RefreshToken';

/** Data stored outside the database. */
export type PlaceContent = 'device sets' | 'objects';

/** A data dir, or a ClickHouse database. */
export type PlaceKind = 'folder' | 'clickhouse';

export type WarehouseCopyState =
  | 'copying'
  | 'done'
  | 'aborting'
  | 'aborted'
  | 'forgetting'
  | 'forgotten';

export type SegmentKind =
  | 'attribute'
  | 'audience'
  | 'label'
  | 'universe'
  | 'profile'
  | 'suppression'
  | 'digest';

/** Read parsed, written as text: the driver would turn a JavaScript array into an SQL array. */
type Json<T> = ColumnType<T, string, string>;
