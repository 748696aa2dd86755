import type { Database } from './connection.ts';
import type { Sealing } from './sealing.ts';

/** Which service the database belongs to. */
export interface Installation {
  /** Its id, made by whoever asks first. Throws if this process cannot open what others seal. */
  identify(): Promise<string>;
}

const context = 'installation';

export function createInstallation(db: Database, sealing: Sealing): Installation {
  return {
    async identify() {
      const ours = sealing.seal(context, context);
      await db
        .insertInto('installation')
        .values({ key_check: ours })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const { installation_id: id, key_check: sealed } = await db
        .selectFrom('installation')
        .select(['installation_id', 'key_check'])
        .executeTakeFirstOrThrow();
      sealing.open(sealed, context);
      // By the newest key, so that whoever does not have it yet is told before it meets a secret.
      await db.updateTable('installation').set({ key_check: ours }).execute();
      return id;
    },
  };
}
