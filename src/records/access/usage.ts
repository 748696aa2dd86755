import { type RawBuilder, sql } from 'kysely';
import { LoadBeyondQuota, loadsRefused, type Quotas } from '../../domain/quotas.ts';
import type { Database } from '../database/connection.ts';

/** What a partner used in a month. */
export interface Usage {
  readonly partnerId: number;
  readonly name: string;
  /** Such as `2026-01`, in UTC. */
  readonly month: string;
  readonly requests: number;
  readonly rows: number;
  /** The most at one time in the month. */
  readonly objectBytes: number;
  readonly setBytes: number;
  readonly devices: number;
}

/** The requests of a partner in this month, and its quota. */
export interface RequestUse {
  readonly partnerId: number;
  readonly requests: number;
  readonly quota: number | null;
}

const thisMonth = sql`date_trunc('month', now() at time zone 'UTC')::date`;

export type UsageRecord = ReturnType<typeof createUsage>;

export function createUsage(db: Database) {
  return {
    /** Adds requests, and returns the sums of this month. */
    async addRequests(counted: ReadonlyMap<number, number>): Promise<RequestUse[]> {
      // In order, so that two processes cannot deadlock. A partner may have been deleted meanwhile.
      const { rows } = await sql<RequestUse>`
        with counted as (
          insert into usage (partner_id, month, requests)
          select partner_id, ${thisMonth}, given.requests
          from unnest(${[...counted.keys()]}::bigint[], ${[...counted.values()]}::bigint[])
            as given (partner_id, requests)
          join partner using (partner_id)
          order by partner_id
          on conflict (partner_id, month) do update set requests = usage.requests + excluded.requests
          returning partner_id, requests
        )
        select partner_id as "partnerId", requests, request_quota as quota
        from counted join partner using (partner_id)
      `.execute(db);
      return rows;
    },

    /**
     * Counts rows that a load commits, by month and by day. Call it last in the transaction of the commit. Throws
     * LoadBeyondQuota if the partner would have more rows or devices than its quotas.
     */
    async addRows(partnerId: number, rows: number): Promise<void> {
      const { rows: counted } = await sql<{ rows: number } & LoadQuotas>`
        with counted as (
          insert into usage (partner_id, month, loaded_rows)
          values (${partnerId}, ${thisMonth}, ${rows})
          on conflict (partner_id, month)
            do update set loaded_rows = usage.loaded_rows + excluded.loaded_rows
          returning loaded_rows
        ), dated as (
          insert into job_day (day, partner_id, state, loaded_rows)
          values ((now() at time zone 'UTC')::date, ${partnerId}, 'done', ${rows})
          on conflict (day, partner_id, state)
            do update set loaded_rows = job_day.loaded_rows + excluded.loaded_rows
        )
        select loaded_rows as rows, row_quota as "rowQuota", device_quota as "deviceQuota"
        from counted, partner where partner_id = ${partnerId}
      `.execute(db);
      const { rowQuota, deviceQuota, rows: total } = counted[0]!;
      if (rowQuota !== null && total > rowQuota) {
        throw new LoadBeyondQuota('rows', rowQuota, total);
      }
      if (deviceQuota === null) return;
      const devices = await devicesOf(partnerId);
      if (devices > deviceQuota) throw new LoadBeyondQuota('devices', deviceQuota, devices);
    },

    /** Throws limit_reached if the partner has used up a quota, so that no load could commit. */
    async refuseLoads(partnerId: number): Promise<void> {
      const { rows } = await sql<{ rows: number } & LoadQuotas>`
        select row_quota as "rowQuota", device_quota as "deviceQuota", coalesce((
          select loaded_rows from usage
          where usage.partner_id = partner.partner_id and month = ${thisMonth}
        ), 0) as rows
        from partner where partner_id = ${partnerId}
      `.execute(db);
      const { rows: used, rowQuota, deviceQuota } = rows[0]!;
      if (rowQuota !== null && used >= rowQuota) {
        throw loadsRefused('rows', rowQuota);
      }
      if (deviceQuota !== null && (await devicesOf(partnerId)) >= deviceQuota) {
        throw loadsRefused('devices', deviceQuota);
      }
    },

    /** What counts against the quotas: requests and rows of this month, and devices now. */
    async used(partnerId: number): Promise<{ requests: number; rows: number; devices: number }> {
      const { rows } = await sql<{ requests: number; rows: number }>`
        select requests, loaded_rows as rows from usage
        where partner_id = ${partnerId} and month = ${thisMonth}
      `.execute(db);
      const devices = await devicesOf(partnerId);
      return { requests: 0, rows: 0, ...rows[0], devices };
    },

    async quotas(partnerId: number): Promise<Quotas> {
      const { rows } = await sql<Quotas>`
        select request_quota as requests, row_quota as rows, device_quota as devices
        from partner where partner_id = ${partnerId}
      `.execute(db);
      return rows[0]!;
    },

    async setQuotas(partnerId: number, { requests, rows, devices }: Quotas): Promise<void> {
      await sql`
        update partner
        set request_quota = ${requests}, row_quota = ${rows}, device_quota = ${devices}
        where partner_id = ${partnerId}
      `.execute(db);
    },

    /**
     * Notes what partners store now, if it is more than earlier in the month. Reads all runs once:
     * about a second per million.
     */
    async sample(): Promise<void> {
      await sql`
        insert into usage (partner_id, month, object_bytes, set_bytes, devices)
        select partner_id, ${thisMonth}, greatest(coalesce(stored.bytes, 0), 0),
          coalesce(sets.bytes, 0), coalesce(sets.devices, 0)
        from partner
        left join (
          select partner_id, sum(bytes) as bytes from storage_use group by partner_id
        ) as stored using (partner_id)
        left join (
          select partner_id, sum(run.bytes) as bytes, sum(run.devices) as devices
          from run join (${ownSegments(sql`true`)}) as own using (segment_id)
          group by partner_id
        ) as sets using (partner_id)
        where stored.bytes > 0 or sets.devices > 0
        order by partner_id
        on conflict (partner_id, month) do update set
          object_bytes = greatest(usage.object_bytes, excluded.object_bytes),
          set_bytes = greatest(usage.set_bytes, excluded.set_bytes),
          devices = greatest(usage.devices, excluded.devices)
      `.execute(db);
    },

    /** By month, the newest first, then by partner. */
    async list(
      since: string,
      until: string,
      partnerId: number | null = null,
    ): Promise<readonly Usage[]> {
      const ofPartner = partnerId === null ? sql`true` : sql`partner_id = ${partnerId}`;
      const { rows } = await sql<Usage>`
        select partner_id as "partnerId", name, to_char(month, 'YYYY-MM') as month, requests,
          loaded_rows as rows, object_bytes as "objectBytes", set_bytes as "setBytes", devices
        from usage join partner using (partner_id)
        where month between to_date(${since}, 'YYYY-MM') and to_date(${until}, 'YYYY-MM')
          and ${ofPartner}
        order by usage.month desc, partner_id
      `.execute(db);
      return rows;
    },
  };

  async function devicesOf(partnerId: number): Promise<number> {
    const { rows } = await sql<{ devices: number }>`
      select coalesce(sum(run.devices), 0)::bigint as devices
      from run join (${ownSegments(sql`partner_id = ${partnerId}`)}) as own using (segment_id)
    `.execute(db);
    return rows[0]!.devices;
  }
}

interface LoadQuotas {
  readonly rowQuota: number | null;
  readonly deviceQuota: number | null;
}

/** Labels are left out: their devices are also those of their audience. */
function ownSegments(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select partner_id, segment_id from attribute where ${condition}
    union all select partner_id, segment_id from audience where ${condition}
  `;
}
