import type { Partner } from '../records/access/partners.ts';
import type { AccessKeys } from '../records/access/storage-credentials.ts';
import { type DatabaseOptions, openDatabase } from '../records/database/connection.ts';
import type { Sealing } from '../records/database/sealing.ts';
import { createRecords } from '../records/records.ts';

/** The partner that a new service starts with, so that the first import is three commands away. */
export interface Sandbox {
  readonly partner: Partner;
  readonly apiKey: string;
  /** Null where the shared bucket is another store's, which makes its own. */
  readonly storage: AccessKeys | null;
}

/** The key of its one attribute, which the example file gives to its devices. */
const sandboxForeignKey = 'example';

/** Provisions the sandbox if there is no partner at all. Its API key is in this answer only. */
export async function provisionSandbox(
  database: Pick<DatabaseOptions, 'url' | 'schema'>,
  sealing: Sealing,
  withStorage: boolean,
): Promise<Sandbox | null> {
  const db = openDatabase({ ...database, maxConnections: 1 });
  try {
    return await createRecords(db, sealing).inTransaction(async (records) => {
      if ((await records.partners.list()).length > 0) return null;
      const partner = await records.partners.create('sandbox');
      await records.attributes.create(partner.partnerId, {
        name: 'Example > First attribute',
        description: 'Made with the sandbox, for trying out imports.',
        partnerForeignKey: sandboxForeignKey,
      });
      const { apiKey } = await records.apiKeys.create(partner.partnerId, 'made on the first start');
      const storage = withStorage
        ? await records.storageCredentials.create(partner.partnerId)
        : null;
      return { partner, apiKey, storage };
    });
  } finally {
    await db.destroy();
  }
}
