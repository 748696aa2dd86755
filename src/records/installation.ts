import { sql } from 'kysely';
import type { Database } from './database.ts';
import type { Sealing } from './sealing.ts';

/** Which service the database belongs to. */
export interface Installation {
  /**
   * Its id, made by whoever asks first. Throws if this process could not open what others seal, or
   * they not what it seals.
   */
  identify(): Promise<string>;
}

const context = 'installation';

export function createInstallation(db: Database, sealing: Sealing): Installation {
  return {
    async identify() {
      const ours = sealing.seal(context, context);
      await sql`insert into installation (sealed_mark) values (${ours}) on conflict do nothing`.execute(
        db,
      );
      const { installation_id: id, sealed_mark: sealed } = await db
        .selectFrom('installation')
        .select(['installation_id', 'sealed_mark'])
        .executeTakeFirstOrThrow();
      sealing.open(sealed, context);
      // By the newest key, so that whoever does not have it yet is told before it meets a secret.
      await db.updateTable('installation').set({ sealed_mark: ours }).execute();
      return id;
    },
  };
}
