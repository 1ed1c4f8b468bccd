/**
 * The read side of the registry: get, list and watch with the resourceVersion semantics of upstream's API concepts.
 * Reads are answered from the cache; the store is read only while the cache lags behind it, and for lists at a past
 * revision that is no longer in memory.
 */
import type { ObjectKey } from '../../../shared/api/identity/identity';
import { internalError, notFound } from '../../../shared/api/errors/status';
import type { Cache, Entry, StoredType } from '../../cache/cache';
import type { Revision } from '../../storage/store';
import type { Reader, RequestContext, Resource } from '../verbs';
import { list } from './list';
import { convertReadFailure, ResourceVersionGate, type GatedReaderDependencies } from './resource-version-gate';
import { watch } from './watch';
import type { ReaderDependencies } from './reader-dependencies';
import { versionToConvertFrom } from '../object/hidden-fields';

/** The reader of a server; one for all requests. */
export function createReader(readerDeps: ReaderDependencies): Reader {
  const deps: GatedReaderDependencies = { ...readerDeps, gate: new ResourceVersionGate(readerDeps) };
  return {
    get: (context, resource, key, resourceVersion) => get(deps, context, resource, key, resourceVersion),
    list: (context, resource, namespace, options) => list(deps, context, resource, namespace, options),
    watch: (context, resource, namespace, options, sink) => watch(deps, context, resource, namespace, options, sink),
  };
}

/**
 * Resolves with the entry. If conversion to the version of the resource needs a webhook, the entry is converted; other
 * conversions are left to the endpoints. Rejects with 404 only when the state is as recent as `resourceVersion` requires.
 */
async function get(
  deps: GatedReaderDependencies,
  context: RequestContext,
  resource: Resource,
  key: ObjectKey,
  resourceVersion: Revision | undefined,
): Promise<Entry> {
  const { cache, gate } = deps;
  gate.requireReady();
  const storedKey = resource.stored.namespaced ? `${key.namespace}/${key.name}` : key.name;
  const entry = await find(deps, context, resource, storedKey, resourceVersion);
  if (entry === undefined) {
    const unreadable = cache.unreadableReason(resource.stored, storedKey);
    throw unreadable === undefined ? notFound(resource.row, key.name) : internalError(unreadable);
  }
  if (versionToConvertFrom(resource.row, entry) === undefined) return entry;
  const [converted = entry] = await deps.conversions.convertEntries(resource.row, [entry], context);
  return converted;
}

/**
 * The entry in the cache, once the cache is as new as `resourceVersion` requires. Without a resourceVersion it is the most
 * recent one, which is read from the store if the cache does not catch up with the store in time.
 */
async function find(
  { cache, gate }: GatedReaderDependencies,
  context: RequestContext,
  { stored }: Resource,
  key: string,
  resourceVersion: Revision | undefined,
): Promise<Entry | undefined> {
  if (resourceVersion !== undefined) await gate.waitForRevision(context, resourceVersion);
  else if ((await gate.catchUp(context)) === 'stalled') return readStore(cache, context, stored, key);
  return cache.get(stored, key);
}

async function readStore(cache: Cache, context: RequestContext, type: StoredType, key: string): Promise<Entry | undefined> {
  try {
    return (await cache.readFromStore(type, key, { deadline: context.deadline })).entry;
  } catch (error) {
    throw convertReadFailure(error);
  }
}
