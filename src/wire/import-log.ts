import { statusOf } from '../domain/job.ts';
import type { ImportLog } from '../records/marketplace/import-logs.ts';

export function importLogOnTheWire(log: ImportLog) {
  return {
    import_log_id: log.importLogId,
    file_path: log.filePath,
    path_type: log.pathType,
    key_type: log.keyType,
    status: statusOf[log.state],
    log_type: log.logType,
    keys: log.keys,
    unique_devices: String(log.uniqueDevices),
    total_rows: String(log.totalRows),
    errors: log.errors,
    created_at: log.createdAt.toISOString(),
    updated_at: log.updatedAt.toISOString(),
  };
}
