import { sql } from 'kysely';
import { displayName } from '../../domain/display-name.ts';
import { limits } from '../../domain/limits.ts';
import type { Page } from '../../domain/page.ts';
import { atomically, type Database } from '../database/connection.ts';
import { refuseBeyondLimit } from '../database/record-limits.ts';

/** A customer, for whom partners load audiences. */
export interface Customer {
  readonly customerId: number;
  readonly name: string;
  readonly createdAt: Date;
  /** Null if its access is enabled. */
  readonly disabledAt: Date | null;
}

export type Customers = ReturnType<typeof createCustomers>;

export function createCustomers(db: Database) {
  return {
    async create(name: string): Promise<Customer> {
      return atomically(db, async (tx) => {
        await refuseBeyondLimit(tx, {
          records: 'customers',
          most: limits.customers.most,
          ownerId: 0,
          present: sql`customer where removed_at is null`,
          advice: 'Use customers that exist.',
        });
        const row = await tx
          .insertInto('customer')
          .values({ name: displayName(name) })
          .returningAll()
          .executeTakeFirstOrThrow();
        return customer(row);
      });
    },

    async find(customerId: number): Promise<Customer | undefined> {
      const row = await db
        .selectFrom('customer')
        .selectAll()
        .where('customer_id', '=', customerId)
        .where('removed_at', 'is', null)
        .executeTakeFirst();
      return row && customer(row);
    },

    /** Ordered by id. */
    async list({ after, limit }: Page): Promise<Customer[]> {
      const rows = await db
        .selectFrom('customer')
        .selectAll()
        .where('customer_id', '>', after ?? 0)
        .where('removed_at', 'is', null)
        .orderBy('customer_id')
        .limit(limit)
        .execute();
      return rows.map(customer);
    },
  };
}

function customer(row: {
  customer_id: number;
  name: string;
  created_at: Date;
  disabled_at: Date | null;
}): Customer {
  return {
    customerId: row.customer_id,
    name: row.name,
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
  };
}
