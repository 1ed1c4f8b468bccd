/**
 * The read side of the registry: get, list and watch with the resourceVersion semantics of upstream's API concepts.
 * Reads are answered from the cache; the store is read only while the cache lags behind it.
 */
import type { ObjectKey } from '../../../shared/api/identity/identity';
import { internalError, notFound } from '../../../shared/api/errors/status';
import type { Cache, CacheWatch, ChangeSink, Entry } from '../../cache/cache';
import type { Revision } from '../../storage/store';
import type { ListOptions, ListPage, Reader, RequestContext, Resource, WatchOptions } from '../verbs';
import { list } from './list';
import { convertReadFailure, ResourceVersionGate } from './resource-version-gate';
import { watch } from './watch';
import { conversionsOf, type ReaderParts } from './reader-parts';
import { versionToConvertFrom } from '../object/hidden-fields';

export function createReader(parts: ReaderParts): Reader {
  return new CacheReader(parts);
}

class CacheReader implements Reader {
  private readonly cache: Cache;
  private readonly gate: ResourceVersionGate;

  constructor(private readonly parts: ReaderParts) {
    this.cache = parts.cache;
    this.gate = new ResourceVersionGate(parts);
  }

  async get(context: RequestContext, resource: Resource, key: ObjectKey, resourceVersion: Revision | undefined): Promise<Entry> {
    this.gate.requireReady();
    const storedKey = resource.stored.namespaced ? `${key.namespace}/${key.name}` : key.name;
    const entry = await this.find(context, resource, storedKey, resourceVersion);
    if (entry === undefined) {
      const refusal = this.cache.unreadableReason(resource.stored, storedKey);
      throw refusal === undefined ? notFound(resource.row, key.name) : internalError(refusal);
    }
    if (versionToConvertFrom(resource.row, entry) === undefined) return entry;
    const [shown = entry] = await conversionsOf(this.parts).convertEntries(resource.row, [entry], context);
    return shown;
  }

  list(context: RequestContext, resource: Resource, namespace: string, options: ListOptions): Promise<ListPage> {
    return list({ ...this.parts, gate: this.gate }, context, resource, namespace, options);
  }

  watch(context: RequestContext, resource: Resource, namespace: string, options: WatchOptions, sink: ChangeSink): Promise<CacheWatch> {
    return watch({ ...this.parts, gate: this.gate }, context, resource, namespace, options, sink);
  }

  private async find(
    context: RequestContext,
    resource: Resource,
    key: string,
    resourceVersion: Revision | undefined,
  ): Promise<Entry | undefined> {
    if (resourceVersion !== undefined) await this.gate.waitForRevision(context, resourceVersion);
    else if ((await this.gate.catchUp(context)) === 'stalled') return this.readStore(context, resource, key);
    return this.cache.get(resource.stored, key);
  }

  private async readStore(context: RequestContext, resource: Resource, key: string): Promise<Entry | undefined> {
    try {
      const { entry } = await this.cache.readFromStore(resource.stored, key, { deadline: context.deadline });
      return entry;
    } catch (error) {
      throw convertReadFailure(error);
    }
  }
}
