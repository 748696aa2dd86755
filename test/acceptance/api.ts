import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { externalStoreKeys } from './outside.ts';
import type { Service } from './service.ts';
import { unhurriedMs, until } from './service.ts';

/** The log of an import, as the partner sees it. */
export interface ImportLog {
  readonly import_log_id: number;
  readonly file_path: string;
  readonly path_type: number;
  readonly key_type: number;
  readonly status: number;
  readonly log_type: number;
  readonly keys: string[] | null;
  readonly unique_devices: string;
  readonly total_rows: string;
  readonly errors: ImportError[] | null;
  readonly created_at: string;
  readonly updated_at: string;
}

interface ImportError {
  readonly code: string;
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly value: string | null;
  readonly count: number;
}

export interface Attribute {
  readonly attribute_id: number;
  readonly name: string;
  readonly partner_foreign_key: string | null;
  readonly unique_devices: number;
}

/** The bucket and the credentials of a partner. */
export interface StorageCredentials {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Calls the service over HTTP, as its users do. */
export function apiOf(service: Pick<Service, 'url'>) {
  async function call(method: string, path: string, token: string, json?: unknown) {
    return fetch(service.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  }

  async function answer<T>(response: Promise<Response>): Promise<T> {
    const received = await response;
    if (!received.ok) throw new Error(`${received.status}: ${await received.text()}`);
    return (await received.json()) as T;
  }

  function importLog(apiKey: string, importLogId: number) {
    return answer<ImportLog>(call('GET', `/v1/marketplace/import/${importLogId}`, apiKey));
  }

  return {
    call,

    async createPartner(adminToken: string, name: string) {
      const partner = await answer<{ partner_id: number; prefix: string }>(
        call('POST', '/admin/v1/partners', adminToken, { name }),
      );
      const { api_key } = await answer<{ api_key: string }>(
        call('POST', `/admin/v1/partners/${partner.partner_id}/api-keys`, adminToken, {}),
      );
      return { ...partner, apiKey: api_key };
    },

    async putObject(
      adminToken: string,
      partnerId: number,
      key: string,
      content: string | Uint8Array<ArrayBuffer>,
    ) {
      const response = await fetch(
        `${service.url}/admin/v1/partners/${partnerId}/objects/${encodeURIComponent(key)}`,
        { method: 'PUT', headers: { authorization: `Bearer ${adminToken}` }, body: content },
      );
      if (response.status !== 201) throw new Error(await response.text());
    },

    createStorageCredentials(adminToken: string, partnerId: number) {
      const path = `/admin/v1/partners/${partnerId}/storage-credentials`;
      return answer<StorageCredentials>(
        call('POST', path, adminToken, externalStoreKeys(partnerId)),
      );
    },

    createAttribute(apiKey: string, attribute: Record<string, unknown>) {
      return answer<{ attribute_id: number }>(
        call('POST', '/v1/marketplace/attribute', apiKey, { description: '', ...attribute }),
      );
    },

    attributes(apiKey: string) {
      return answer<Attribute[]>(call('GET', '/v1/marketplace/attribute', apiKey));
    },

    queueImport(apiKey: string, filePath: string, keyType: number, more = {}) {
      const body = { file_path: filePath, key_type: keyType, ...more };
      return answer<{ import_log_id: number }>(
        call('POST', '/v1/marketplace/import', apiKey, body),
      );
    },

    importLog,

    /** Waits until the import has ended, even if the service restarts. */
    ended(apiKey: string, importLogId: number, timeoutMs = 120_000): Promise<ImportLog> {
      return until(
        `import ${importLogId} to end`,
        async () => {
          const log = await importLog(apiKey, importLogId).catch(() => undefined);
          return log && log.status >= 2 && log;
        },
        timeoutMs,
        unhurriedMs,
      );
    },
  };
}

export async function adminTokenOf(dataDir: string): Promise<string> {
  return (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
}

/** A file with this many devices, all with the given keys. */
export function deviceFile(devices: number, keys: string, first = 1): string {
  const lines = Array.from({ length: devices }, (_, index) => {
    const number = (first + index).toString(16).padStart(12, '0');
    return `00000000-0000-4000-8000-${number},${keys}\n`;
  });
  return `id,attribute_ids\n${lines.join('')}`;
}
