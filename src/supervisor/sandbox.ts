import type { Partner } from '../records/access/partners.ts';
import type { AccessKeys } from '../records/access/storage-credentials.ts';
import { type DatabaseOptions, openDatabase } from '../records/database/connection.ts';
import type { Sealing } from '../records/database/sealing.ts';
import { createRecords } from '../records/records.ts';

/** The partner of a new service, for a first import in three commands. */
export interface Sandbox {
  readonly partner: Partner;
  readonly apiKey: string;
  /** Null if the shared bucket is in another store, which issues its own credentials. */
  readonly storage: AccessKeys | null;
}

/** The key of its only attribute, as used in the example file. */
const sandboxForeignKey = 'example';

/** Creates the sandbox if there are no partners. Its API key is not stored anywhere else. */
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
        description: 'Created with the sandbox, for trying out imports.',
        partnerForeignKey: sandboxForeignKey,
      });
      const { apiKey } = await records.apiKeys.create(
        partner.partnerId,
        'created on the first start',
      );
      const storage = withStorage
        ? await records.storageCredentials.create(partner.partnerId)
        : null;
      return { partner, apiKey, storage };
    });
  } finally {
    await db.destroy();
  }
}
