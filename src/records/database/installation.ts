import type { Database } from './connection.ts';
import type { Sealing } from './sealing.ts';

/** Which service the database belongs to. */
export interface Installation {
  /** Returns its id, creating it at the first call. Throws if this process has the wrong secret key. */
  identify(): Promise<string>;
}

/** What the key's check value is bound to. */
export const installationContext = 'installation';

export function createInstallation(db: Database, sealing: Sealing): Installation {
  return {
    async identify() {
      const ours = sealing.seal(installationContext, installationContext);
      await db
        .insertInto('installation')
        .values({ key_check: ours })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const { installation_id: id, key_check: sealed } = await db
        .selectFrom('installation')
        .select(['installation_id', 'key_check'])
        .executeTakeFirstOrThrow();
      sealing.open(sealed, installationContext);
      // Encrypted with the newest key, so that a process without that key fails here, at its start.
      await db.updateTable('installation').set({ key_check: ours }).execute();
      return id;
    },
  };
}
