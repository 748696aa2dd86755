import { type RawBuilder, sql } from 'kysely';
import { accessDisabled } from '../../domain/access-disabled.ts';
import { displayName } from '../../domain/display-name.ts';
import type { Database } from '../database/connection.ts';

/** A partner or a customer, whose access the operator can disable. */
export interface Party {
  readonly kind: 'partner' | 'customer';
  readonly id: number;
}

/** Counts of the valid credentials, open jobs and data of a partner. */
export interface PartnerHoldings {
  readonly apiKeys: number;
  readonly storageCredentials: number;
  readonly apps: number;
  readonly userTokens: number;
  readonly sessions: number;
  readonly openJobs: number;
  readonly attributes: number;
  readonly audiences: number;
}

export interface CustomerHoldings {
  readonly users: number;
  readonly userTokens: number;
  readonly grants: number;
  readonly sessions: number;
  readonly openJobs: number;
  readonly audiences: number;
}

export type Access = ReturnType<typeof createAccess>;

/** Whether partners and customers may use the service. */
export function createAccess(db: Database) {
  return {
    /**
     * Throws `forbidden` if one of them is disabled. Call it first in a transaction that writes for
     * them. Until the transaction ends, neither can be disabled.
     */
    async hold(partnerId: number, customerId: number | null): Promise<void> {
      const parties: Party[] = [{ kind: 'partner', id: partnerId }];
      if (customerId !== null) parties.push({ kind: 'customer', id: customerId });
      const locks = parties.map((party) => sql`pg_advisory_xact_lock_shared(${lockOf(party)})`);
      await sql`select ${sql.join(locks)}`.execute(db);
      // A new statement, which sees a change committed before we got the locks.
      const disabled = parties.map(
        (party) => sql`(select disabled_at from ${tableOf(party)} where ${isParty(party)})`,
      );
      const { rows } = await sql<{ disabled: boolean }>`
        select num_nonnulls(${sql.join(disabled)}) > 0 as disabled
      `.execute(db);
      if (rows[0]!.disabled) throw accessDisabled();
    },

    /** Waits for writes that `hold` access. False if it does not exist or was removed. */
    async disable(party: Party): Promise<boolean> {
      await sql`select pg_advisory_xact_lock(${lockOf(party)})`.execute(db);
      return set(party, sql`disabled_at = coalesce(disabled_at, now())`);
    },

    async enable(party: Party): Promise<boolean> {
      return set(party, sql`disabled_at = null`);
    },

    /** False if it does not exist or was removed. */
    async rename(party: Party, name: string): Promise<boolean> {
      return set(party, sql`name = ${displayName(name)}`);
    },

    /** The jobs of a partner, or those that load audiences of a customer, that have not ended. */
    async openJobs(party: Party): Promise<number[]> {
      const { rows } = await sql<{ jobId: number }>`
        select job_id as "jobId" from job where ${isOpenJobOf(party)}
      `.execute(db);
      return rows.map(({ jobId }) => jobId);
    },

    /** How many records of each kind stop working when the partner is disabled, or go when it is removed. */
    async partnerHoldings(partnerId: number): Promise<PartnerHoldings> {
      const ofPartner = sql`partner_id = ${partnerId}`;
      const counts = await countEach({
        apiKeys: sql`api_key where ${ofPartner} and revoked_at is null`,
        storageCredentials: sql`storage_credential
          where ${ofPartner} and revoked_at is null and expires_at is null`,
        apps: sql`oauth_app where ${ofPartner}`,
        userTokens: sql`user_token where ${ofPartner} and ${isValidToken}`,
        sessions: sql`console_session where ${isSessionOf({ kind: 'partner', id: partnerId })}`,
        openJobs: sql`job where ${ofPartner} and state in ('pending', 'running')`,
        attributes: sql`attribute where ${ofPartner}`,
        audiences: sql`audience where ${ofPartner}`,
      });
      return counts as unknown as PartnerHoldings;
    },

    /** The same for a customer. */
    async customerHoldings(customerId: number): Promise<CustomerHoldings> {
      const ofCustomer = sql`customer_id = ${customerId}`;
      const counts = await countEach({
        users: sql`customer_user where ${ofCustomer}`,
        userTokens: sql`user_token where ${ofCustomer} and ${isValidToken}`,
        grants: sql`oauth_grant join customer_user using (user_id)
          where ${ofCustomer} and expires_at > now()`,
        sessions: sql`console_session where ${isSessionOf({ kind: 'customer', id: customerId })}`,
        openJobs: sql`job where ${isOpenJobOf({ kind: 'customer', id: customerId })}`,
        audiences: sql`audience where ${ofCustomer}`,
      });
      return counts as unknown as CustomerHoldings;
    },

    /** Ends the console sessions of a partner's API keys or of a customer's users. */
    async endSessions(party: Party): Promise<void> {
      await sql`delete from console_session where ${isSessionOf(party)}`.execute(db);
    },
  };

  async function countEach(counts: Readonly<Record<string, RawBuilder<unknown>>>) {
    const columns = Object.entries(counts).map(([name, from]) => {
      return sql`(select count(*) from ${from}) as ${sql.ref(name)}`;
    });
    const { rows } = await sql<Record<string, number>>`select ${sql.join(columns)}`.execute(db);
    return rows[0]!;
  }

  async function set(party: Party, change: RawBuilder<unknown>): Promise<boolean> {
    const { numAffectedRows } = await sql`
      update ${tableOf(party)} set ${change} where ${isParty(party)} and removed_at is null
    `.execute(db);
    return numAffectedRows === 1n;
  }
}

const isValidToken = sql`revoked_at is null and (expires_at is null or expires_at > now())`;

function isOpenJobOf({ kind, id }: Party) {
  const isTheirs =
    kind === 'partner'
      ? sql`job.partner_id = ${id}`
      : sql`exists (
          select from audience_load join audience using (audience_id)
          where audience_load.job_id = job.job_id and customer_id = ${id}
        )`;
  return sql<boolean>`state in ('pending', 'running') and ${isTheirs}`;
}

function isSessionOf({ kind, id }: Party) {
  return kind === 'partner'
    ? sql<boolean>`api_key_id in (select api_key_id from api_key where partner_id = ${id})`
    : sql<boolean>`user_id in (select user_id from customer_user where customer_id = ${id})`;
}

function lockOf({ kind, id }: Party) {
  return sql`hashtextextended(current_schema || ' access of ' || ${kind}::text, ${id})`;
}

function tableOf({ kind }: Party) {
  return sql.table(kind);
}

function isParty({ kind, id }: Party) {
  return sql<boolean>`${sql.ref(`${kind}_id`)} = ${id}`;
}
