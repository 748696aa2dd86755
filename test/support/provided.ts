import type {} from 'vitest';

/** What a service that has outgrown its machine is set to use. */
interface OutsideServers {
  /** What TRIBUTARY_WAREHOUSE is set to, but for the database. */
  readonly warehouse: string;
  readonly storage: {
    readonly endpoint: string;
    readonly region: string;
    readonly service: StoreKeys;
    /** By the id of the partner that they were made for. */
    readonly partners: readonly StoreKeys[];
  };
}

/** A key pair that the store has issued. */
export interface StoreKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What the tests find when they start. */
declare module 'vitest' {
  interface ProvidedContext {
    database: {
      readonly serverUrl: string;
      /** The database that tests copy, and the schema in it that is migrated. */
      readonly template: string;
      readonly schema: string;
      /** What a service's own server leaves in the folder `postgres` when it has nothing to keep. */
      readonly emptyDatabase: string;
    };
    /** Where whole services keep what they know, in the project in which that is not their data dir. */
    outside?: OutsideServers;
  }
}
