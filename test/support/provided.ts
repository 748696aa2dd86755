import type {} from 'vitest';

/** The external servers of a service. */
interface OutsideServers {
  /** Values of TRIBUTARY_WAREHOUSE, except for the database, or `files`. The device sets move between them. */
  readonly warehouses: readonly string[];
  readonly storage: {
    readonly endpoint: string;
    readonly region: string;
    readonly service: StoreKeys;
    /** By partner ID. */
    readonly partners: readonly StoreKeys[];
  };
}

/** A key pair of the store. */
export interface StoreKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What the global setup provides for the tests. */
declare module 'vitest' {
  interface ProvidedContext {
    database: {
      readonly serverUrl: string;
      /** The template database that tests copy, and its migrated schema. */
      readonly template: string;
      readonly schema: string;
      /** The folder `postgres` of a service that has migrated its database, and has no records yet. */
      readonly newDatabase: string;
    };
    /** The socket that starts the shared Swift and returns its address. */
    swiftSocket: string;
    /** The external servers of whole services, in the project that uses them instead of the data dir. */
    outside?: OutsideServers;
  }
}
