/**
 * Opens the stores that the flags select, as the source or the target of a copy. Only the library of the selected store is
 * loaded. Closing is left to the callers, except after a failure.
 */
import { etcdCredentialFiles } from '../../apiserver/options/storage/client-credential-files';
import { confirmIdle, createEmbeddedSource, createEtcdSource, type BackupSource } from '../../apiserver/backup/backup-source';
import type { RestoreTarget } from '../../apiserver/backup/restore';
import type { Store } from '../../apiserver/storage/store';
import type { Clock } from '../../shared/runtime/clock';
import type { Random } from '../../shared/runtime/random';
import { storageDirOf, type StoreFlags } from './flags';

export type StoreKind = 'embedded' | 'etcd';

/** The flags that select the store, and what an opened store needs. */
export interface StoreOptions {
  readonly flags: StoreFlags;
  readonly clock: Clock;
  readonly random: Random;
}

/** A store to read from. The caller closes it. */
export interface OpenedSource {
  readonly source: BackupSource;
  readonly close: () => Promise<void>;
}

/** A store to fill. The caller closes it. */
export interface OpenedTarget {
  readonly target: RestoreTarget;
  readonly close: () => Promise<void>;
}

/** The kind of store that the flags select. */
export function storeKindOf(flags: StoreFlags): StoreKind {
  return flags['etcd-servers'].length > 0 ? 'etcd' : 'embedded';
}

/** `use` is `shared` while servers may write, and `alone` when nothing may write: rejects while something does. */
export async function openSource(kind: StoreKind, use: 'shared' | 'alone', opening: StoreOptions): Promise<OpenedSource> {
  const options = { prefix: prefixOf(opening.flags), clock: opening.clock };
  if (kind === 'embedded') {
    const { openLockedStoreView, openStoreView } = await import('../../apiserver/storage/embedded/store-view.js');
    const view = await (use === 'alone' ? openLockedStoreView : openStoreView)(storageDirOf(opening.flags));
    return closingOnFailure(view, () => ({ source: createEmbeddedSource(view, options), close: () => view.close() }));
  }
  const store = await openEtcd(opening);
  return closingOnFailure(store, async () => {
    if (use === 'alone') await confirmIdle(store, options.prefix);
    return { source: await createEtcdSource(store, options), close: () => store.close() };
  });
}

/** The caller closes the result. Rejects when an embedded store is in use. */
export async function openTarget(kind: StoreKind, opening: StoreOptions): Promise<OpenedTarget> {
  const { flags, clock, random } = opening;
  const store = kind === 'etcd' ? await openEtcd(opening) : await openEmbedded(storageDirOf(flags), clock, random);
  return { target: { store, prefix: prefixOf(flags), clock }, close: () => store.close() };
}

async function openEmbedded(directory: string, clock: Clock, random: Random): Promise<Store> {
  const { openEmbeddedStore } = await import('../../apiserver/storage/embedded/open.js');
  return openEmbeddedStore({ directory, clock, random });
}

async function openEtcd({ flags, clock, random }: StoreOptions): Promise<Store> {
  const { openEtcdStore } = await import('../../apiserver/storage/etcd/open.js');
  const files = etcdCredentialFiles({ ca: flags['etcd-cafile'], cert: flags['etcd-certfile'], key: flags['etcd-keyfile'] });
  return openEtcdStore({ endpoints: flags['etcd-servers'], credentials: files.current, clock, random });
}

/** Without slashes at the end. */
const prefixOf = (flags: StoreFlags): string => flags['etcd-prefix'].replace(/(?<!\/)\/+$/, '');

/** Closes what was opened when `make` fails. */
async function closingOnFailure<T>(opened: { close(): Promise<void> }, make: () => T | Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    await opened.close();
    throw error;
  }
}
