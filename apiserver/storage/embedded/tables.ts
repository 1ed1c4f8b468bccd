/**
 * The databases of the LMDB environment, which hold the tables of the store, and the keys of its counters. The layout
 * of keys and values is in record.ts.
 */
import type { Database, RootDatabase } from 'lmdb';

/** A database with binary keys, in the order of their bytes, and binary values. */
export type Table = Database<Buffer, Buffer>;

/** The tables of the store; each is one LMDB database. */
export interface StoreTables {
  /** revision → the changes of that revision, with their values */
  readonly log: Table;
  /** key → revisions, version and lease of the live value */
  readonly latest: Table;
  /** key, revision → create revision and version, or a deletion; without the value */
  readonly history: Table;
  /** lease → TTL in seconds */
  readonly leases: Table;
  /** The counters named in {@link counterKeys}. */
  readonly counters: Table;
}

/**
 * `format`: version of the layout. `revision`, `compacted`: as in etcd. `purged`: the revision through which compacted
 * records have been removed. `lastLease`: the lease ID assigned last.
 */
export const counterKeys = {
  format: Buffer.from('format'),
  revision: Buffer.from('revision'),
  compacted: Buffer.from('compacted'),
  purged: Buffer.from('purged'),
  lastLease: Buffer.from('last-lease'),
};
/** A counter that transactions read and change; the format is only checked when the files are opened. */
export type Counter = Exclude<keyof typeof counterKeys, 'format'>;

/** Key of the identity of the last write, in the `counters` table. */
export const lastWriteIdKey = Buffer.from('mark');
/** Key of the value that health probes write, in the `counters` table. */
export const probeKey = Buffer.from('probe');

const TABLE = { keyEncoding: 'binary', encoding: 'binary' } as const;

/** Opens the tables for writing; creates missing ones. */
export function openTables(root: RootDatabase<Buffer, Buffer>): StoreTables {
  const table = (name: string): Table => root.openDB<Buffer, Buffer>({ name, ...TABLE });
  return { log: table('log'), latest: table('latest'), history: table('history'), leases: table('leases'), counters: table('counters') };
}

/** In a read-only environment `openDB` returns undefined for a missing database; the types of lmdb lack this. */
interface ReadOnlyRoot {
  openDB(options: typeof TABLE & { readonly name: string }): Table | undefined;
}

/** Undefined while the writer has not created all tables yet. */
export function openExistingTables(root: ReadOnlyRoot): StoreTables | undefined {
  const table = (name: string): Table | undefined => root.openDB({ name, ...TABLE });
  const log = table('log');
  const latest = table('latest');
  const history = table('history');
  const leases = table('leases');
  const counters = table('counters');
  const isIncomplete = !log || !latest || !history || !leases || !counters;
  return isIncomplete ? undefined : { log, latest, history, leases, counters };
}
