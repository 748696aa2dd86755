import type { Records } from '../../../src/records/records.ts';
import type { Run } from '../../../src/records/warehouse/manifest.ts';
import type { MaintainedWarehouse } from '../../../src/warehouse/port.ts';
import type { StoreKeys } from '../../support/provided.ts';
import type { Random } from '../random.ts';

/** A whole service that can be broken in many ways. */
export interface World extends AsyncDisposable {
  readonly url: string;
  readonly adminToken: string;
  /** The folder with its data and logs. */
  readonly folder: string;
  /** A partner's key pair, if the bucket is in an external store. */
  storageKeys(partnerId: number): StoreKeys | undefined;
  /** Quick faults, each a `kill -9`. */
  readonly kills: readonly Fault[];
  /** Faults that last for seconds, during which processes are killed as well. */
  readonly outages: readonly Fault[];
  /** The faults that this machine cannot inject, each with the reason. */
  readonly impossible: readonly string[];
  /** The places between which the device sets move, as `warehouse copy` takes them. They start in the first one. */
  readonly places: readonly string[];
  /** Null if the command does not cover this world. */
  readonly backups: Backups | null;
  /** Stops the service and opens its records and its warehouse. */
  stopAndOpen(): Promise<Opened>;
  /** Removes all data, after the service has stopped. Otherwise disposing leaves the data. */
  remove(): Promise<void>;
}

export interface Backups {
  /** The folder with the sets. */
  readonly target: string;
  /** The name of the set. It may fail, because faults hit it as well. */
  create(): Promise<string | { readonly failure: string }>;
  /** What the command says. */
  verify(set: string): Promise<string>;
  remove(set: string): Promise<void>;
  /** Restores a set into an empty folder and starts a service there. Disposing removes it. */
  restore(set: string): Promise<RestoredService>;
}

interface RestoredService extends AsyncDisposable {
  readonly url: string;
  /** Its S3 endpoint. */
  readonly endpoint: string;
  stopAndOpen(): Promise<Opened>;
}

export interface Opened extends AsyncDisposable {
  readonly records: Records;
  readonly warehouse: MaintainedWarehouse;
  /** The number of jobs that were interrupted and ran again. */
  readonly interruptedJobs: number;
  /** The devices of each run, as hex digits. */
  devicesOf(runs: readonly Run[]): Promise<string[][]>;
  /** What is stored although no run refers to it, or is missing although one does. */
  differences(runs: readonly Run[]): Promise<string[]>;
}

export interface Fault {
  readonly name: string;
  /** Loads may fail for lack of space. */
  readonly fillsDisk?: boolean;
  /** Times of the service are wrong from now on. */
  readonly setsClock?: boolean;
  /** Returns when the fault is over. The service may still be recovering. */
  inject(random: Random): Promise<void>;
}
