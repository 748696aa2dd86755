import { type RawBuilder, sql } from 'kysely';
import { isOauthKeyValid, oauthKeyContext } from './access/oauth-keys.ts';
import { oauthContext } from './access/oauth-payload.ts';
import { storageContext } from './access/storage-credentials.ts';
import type { Database } from './database/connection.ts';
import type { Sealing } from './database/sealing.ts';
import { credentialsContext } from './marketplace/import-logs.ts';
import { devicesContext } from './privacy/privacy-requests.ts';
import { copyContext } from './warehouse/warehouse-copies.ts';
import { watchContext } from './watches/watches.ts';
import { webhookSecretContext } from './webhooks/webhooks.ts';

/** A column of encrypted values. */
interface SealedColumn {
  /** What the values are, for messages. */
  readonly what: string;
  readonly table: string;
  readonly column: string;
  /** A text array from which the context of a value is made. */
  readonly key: RawBuilder<string[]>;
  context(key: string[]): string;
  /** Values of other rows are never read again. */
  readonly inUse: RawBuilder<boolean>;
}

/** All encrypted values, except the check value of the installation, which every start encrypts anew. */
const sealedColumns: readonly SealedColumn[] = [
  {
    what: 'storage credentials',
    table: 'storage_credential',
    column: 'sealed_secret',
    key: sql`array[access_key_id]`,
    context: ([accessKeyId]) => storageContext(accessKeyId!),
    inUse: sql`revoked_at is null and (expires_at is null or expires_at > now())`,
  },
  {
    what: 'credentials of imports',
    table: 'job_secret',
    column: 'sealed_credentials',
    key: sql`array[job_id::text]`,
    context: ([jobId]) => credentialsContext(Number(jobId)),
    inUse: sql`true`,
  },
  {
    what: 'credentials of watches',
    table: 'watch',
    column: 'sealed_credentials',
    key: sql`array[watch_id::text]`,
    context: ([watchId]) => watchContext(Number(watchId)),
    inUse: sql`true`,
  },
  {
    what: 'devices of privacy requests',
    table: 'privacy_request',
    column: 'sealed_devices',
    key: sql`array[request_id::text]`,
    context: ([requestId]) => devicesContext(Number(requestId)),
    inUse: sql`true`,
  },
  {
    what: 'secrets of webhooks',
    table: 'webhook_secret',
    column: 'sealed_secret',
    key: sql`array[secret_id::text]`,
    context: ([secretId]) => webhookSecretContext(secretId!),
    inUse: sql`(expires_at is null or expires_at > now())`,
  },
  ...(['from', 'to'] as const).map((which) => ({
    what: 'addresses of warehouses',
    table: 'warehouse_copy',
    column: `sealed_${which}`,
    key: sql<string[]>`array[copy_id::text]`,
    context: ([copyId]: string[]) => copyContext(which, Number(copyId)),
    inUse: sql<boolean>`true`,
  })),
  {
    what: 'OAuth grants',
    table: 'oauth_grant',
    column: 'sealed_payload',
    key: sql`array['Grant', encode(id_hash, 'hex')]`,
    context: ([model, idHash]) => oauthContext(model!, idHash!),
    inUse: sql`expires_at > now()`,
  },
  {
    what: 'OAuth codes and tokens',
    table: 'oauth_state',
    column: 'sealed_payload',
    key: sql`array[model::text, encode(id_hash, 'hex')]`,
    context: ([model, idHash]) => oauthContext(model!, idHash!),
    inUse: sql`expires_at > now()`,
  },
  {
    what: 'OAuth signing keys',
    table: 'oauth_key',
    column: 'sealed_keys',
    key: sql`array[kid]`,
    context: ([kid]) => oauthKeyContext(kid!),
    inUse: isOauthKeyValid,
  },
];

const valuesPerBatch = 500;

export type SealedSecrets = ReturnType<typeof createSealedSecrets>;

/** The encrypted values of all records, and the keys that they were encrypted with. */
export function createSealedSecrets(db: Database, sealing: Sealing) {
  const [newest, ...older] = sealing.keyIds;

  return {
    /** How many values in use are encrypted with a key that this process does not have. */
    countUnreadable: () =>
      count((keyId) => sql`not ${keyId} = any(${[...sealing.keyIds]}::bytea[])`),

    /** How many values in use are encrypted with an older key of this process. */
    countOutdated: () =>
      count((keyId) => sql`${keyId} = any(${older}::bytea[]) and ${keyId} <> ${newest}`),

    /**
     * Encrypts values with the newest key that are encrypted with an older one, and returns how many. A
     * value that changes meanwhile is left to its writer, who also uses the newest key.
     */
    async reseal(): Promise<number> {
      let resealed = 0;
      for (const sealedColumn of sealedColumns) {
        for (;;) {
          const batch = await resealSome(sealedColumn);
          if (batch === 0) break;
          resealed += batch;
        }
      }
      return resealed;
    },
  };

  /** How many values in use there are whose key is chosen, by what they are. */
  async function count(
    isChosen: (keyId: RawBuilder<Buffer>) => RawBuilder<unknown>,
  ): Promise<{ what: string; values: number }[]> {
    const found = [];
    for (const { what, table, column, inUse } of sealedColumns) {
      const { rows } = await sql<{ values: number }>`
        select count(*) as values from ${sql.table(table)}
        where ${isChosen(keyIdOf(column))} and ${inUse}
      `.execute(db);
      if (rows[0]!.values > 0) found.push({ what, values: rows[0]!.values });
    }
    return found;
  }

  /** The number of values that it found; zero if all are encrypted with the newest key. */
  async function resealSome({ table, column, key, context }: SealedColumn): Promise<number> {
    const { rows } = await sql<{ sealed: Buffer; key: string[] }>`
      select ${sql.ref(column)} as sealed, ${key} as key from ${sql.table(table)}
      where ${keyIdOf(column)} = any(${older}::bytea[]) and ${keyIdOf(column)} <> ${newest}
      limit ${valuesPerBatch}
    `.execute(db);
    if (rows.length === 0) return 0;
    const resealed = rows.map(({ sealed, key: of }) =>
      sealing.seal(sealing.open(sealed, context(of)), context(of)),
    );
    // Every value has its own random nonce, so the old value identifies its row.
    await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = given.resealed
      from unnest(${rows.map(({ sealed }) => sealed)}::bytea[], ${resealed}::bytea[])
        as given (sealed, resealed)
      where ${sql.table(table)}.${sql.ref(column)} = given.sealed
    `.execute(db);
    return rows.length;
  }

  function keyIdOf(column: string): RawBuilder<Buffer> {
    return sql`substring(${sql.ref(column)} from 1 for ${sealing.keyIdBytes}::integer)`;
  }
}
