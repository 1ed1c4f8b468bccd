/**
 * The read side of the registry: get, list and watch with the resourceVersion semantics of upstream's API concepts.
 * Reads are answered from the cache; the store is read only while the cache lags behind it.
 */
import type { ObjectKey } from '../../../shared/api/identity/identity';
import { internalError, notFound } from '../../../shared/api/errors/status';
import type { Cache, Entry, StoredType } from '../../cache/cache';
import type { Revision } from '../../storage/store';
import type { Reader, RequestContext, Resource } from '../verbs';
import { list } from './list';
import { convertReadFailure, ResourceVersionGate, type GatedParts } from './resource-version-gate';
import { watch } from './watch';
import type { ReaderParts } from './reader-parts';
import { versionToConvertFrom } from '../object/hidden-fields';

export function createReader(readerParts: ReaderParts): Reader {
  const parts: GatedParts = { ...readerParts, gate: new ResourceVersionGate(readerParts) };
  return {
    get: (context, resource, key, resourceVersion) => get(parts, context, resource, key, resourceVersion),
    list: (context, resource, namespace, options) => list(parts, context, resource, namespace, options),
    watch: (context, resource, namespace, options, sink) => watch(parts, context, resource, namespace, options, sink),
  };
}

async function get(
  parts: GatedParts,
  context: RequestContext,
  resource: Resource,
  key: ObjectKey,
  resourceVersion: Revision | undefined,
): Promise<Entry> {
  const { cache, gate } = parts;
  gate.requireReady();
  const storedKey = resource.stored.namespaced ? `${key.namespace}/${key.name}` : key.name;
  const entry = await find(parts, context, resource, storedKey, resourceVersion);
  if (entry === undefined) {
    const unreadable = cache.unreadableReason(resource.stored, storedKey);
    throw unreadable === undefined ? notFound(resource.row, key.name) : internalError(unreadable);
  }
  if (versionToConvertFrom(resource.row, entry) === undefined) return entry;
  const [converted = entry] = await parts.conversions.convertEntries(resource.row, [entry], context);
  return converted;
}

async function find(
  { cache, gate }: GatedParts,
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
