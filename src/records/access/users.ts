import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { accessDisabled } from '../../domain/access-disabled.ts';
import { emailKey } from '../../domain/email.ts';
import { TributaryError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { Page } from '../../domain/page.ts';
import { atomically, type Database, violates } from '../database/connection.ts';
import { refuseBeyondLimit } from '../database/record-limits.ts';
import { dummyHash, hashPassword, isPassword } from './password.ts';

/** A person who signs in to the console for a customer. */
export interface User {
  readonly userId: number;
  readonly email: string;
  readonly isDisabled: boolean;
  readonly createdAt: Date;
  readonly lastSignInAt: Date | null;
}

export type Users = ReturnType<typeof createUsers>;

export function createUsers(db: Database) {
  return {
    /** Without a password, the user has one that nobody knows, until a link sets another. */
    async create(customerId: number, email: string, password?: string): Promise<User> {
      const password_hash = await hashPassword(password ?? randomBytes(32).toString('base64'));
      const row = await atomically(db, async (tx) => {
        await refuseBeyondLimit(tx, {
          records: 'users',
          most: limits.usersPerCustomer.most,
          ownerId: customerId,
          present: sql`customer_user where customer_id = ${customerId}`,
          advice: 'Remove users that no longer sign in.',
        });
        return tx
          .insertInto('customer_user')
          .values({ customer_id: customerId, email, email_key: emailKey(email), password_hash })
          .returningAll()
          .executeTakeFirstOrThrow();
      }).catch((error) => {
        if (!violates(error, 'customer_user_email_key_key')) throw error;
        throw new TributaryError(
          'email_taken',
          'Another user already has this e-mail: use a different one.',
        );
      });
      return user(row);
    },

    /**
     * The user with that email and password, if they may sign in, and the hash that was checked.
     * Takes the same time if the user does not exist. Throws `forbidden` if the customer is disabled.
     */
    async authenticate(
      email: string,
      password: string,
    ): Promise<{ userId: number; passwordHash: string } | undefined> {
      const row = await db
        .selectFrom('customer_user')
        .innerJoin('customer', 'customer.customer_id', 'customer_user.customer_id')
        .select(['user_id', 'password_hash', 'is_disabled', 'disabled_at'])
        .where('email_key', '=', emailKey(email))
        .executeTakeFirst();
      const isRight = await isPassword(password, row?.password_hash ?? dummyHash);
      if (!row || !isRight || row.is_disabled) return undefined;
      if (row.disabled_at) throw accessDisabled();
      await db
        .updateTable('customer_user')
        .set({ last_sign_in_at: sql`now()` })
        .where('user_id', '=', row.user_id)
        .execute();
      return { userId: row.user_id, passwordHash: row.password_hash };
    },

    async hasPassword(userId: number, password: string): Promise<boolean> {
      const row = await db
        .selectFrom('customer_user')
        .select('password_hash')
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row !== undefined && isPassword(password, row.password_hash);
    },

    async setPassword(userId: number, password: string): Promise<void> {
      await db
        .updateTable('customer_user')
        .set({ password_hash: await hashPassword(password) })
        .where('user_id', '=', userId)
        .execute();
    },

    async setDisabled(userId: number, isDisabled: boolean): Promise<void> {
      await db
        .updateTable('customer_user')
        .set({ is_disabled: isDisabled })
        .where('user_id', '=', userId)
        .execute();
    },

    /** The user with that e-mail, if they may sign in. */
    async findActive(email: string): Promise<(User & { customerId: number }) | undefined> {
      const row = await db
        .selectFrom('customer_user')
        .innerJoin('customer', 'customer.customer_id', 'customer_user.customer_id')
        .selectAll('customer_user')
        .where('email_key', '=', emailKey(email))
        .where('is_disabled', '=', false)
        .where('disabled_at', 'is', null)
        .executeTakeFirst();
      return row && { ...user(row), customerId: row.customer_id };
    },

    /** Whether the user exists and neither it nor its customer is disabled. Apps may act only for these. */
    async isActive(userId: number): Promise<boolean> {
      const row = await db
        .selectFrom('customer_user')
        .innerJoin('customer', 'customer.customer_id', 'customer_user.customer_id')
        .select('user_id')
        .where('user_id', '=', userId)
        .where('is_disabled', '=', false)
        .where('disabled_at', 'is', null)
        .executeTakeFirst();
      return row !== undefined;
    },

    async find(customerId: number, userId: number): Promise<User | undefined> {
      const row = await db
        .selectFrom('customer_user')
        .selectAll()
        .where('customer_id', '=', customerId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row && user(row);
    },

    /** Ordered by id. */
    async list(customerId: number, { after, limit }: Page): Promise<User[]> {
      const rows = await db
        .selectFrom('customer_user')
        .selectAll()
        .where('customer_id', '=', customerId)
        .where('user_id', '>', after ?? 0)
        .orderBy('user_id')
        .limit(limit)
        .execute();
      return rows.map(user);
    },

    /** Also deletes the user's sessions and grants. False if the customer has no such user. */
    async remove(customerId: number, userId: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('customer_user')
        .where('customer_id', '=', customerId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

function user(row: {
  user_id: number;
  email: string;
  is_disabled: boolean;
  created_at: Date;
  last_sign_in_at: Date | null;
}): User {
  return {
    userId: row.user_id,
    email: row.email,
    isDisabled: row.is_disabled,
    createdAt: row.created_at,
    lastSignInAt: row.last_sign_in_at,
  };
}
