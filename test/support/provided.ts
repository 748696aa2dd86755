import type {} from 'vitest';

/** What the tests find when they start. */
declare module 'vitest' {
  interface ProvidedContext {
    database: {
      readonly serverUrl: string;
      /** The database that tests copy, and the schema in it that is migrated. */
      readonly template: string;
      readonly schema: string;
    };
    /** Where whole services are to keep their warehouses, if not in files. */
    clickhouse: string | null;
  }
}
