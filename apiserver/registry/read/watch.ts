/**
 * Watches: where a stream starts (upstream's API concepts, "semantics for watch", and KEP-3157 for sendInitialEvents) and what it shows.
 * Delivery is the cache's, framing the endpoints'.
 */
import type { Cache, CacheWatch, ChangeSink, WatchRequest, WatchScope } from '../../cache/cache';
import type { RequestContext, Resource, Selection, WatchOptions } from '../verbs';
import { ConvertedWatch } from './converted-watch';
import { conversionsOf, type ReaderParts } from './reader-parts';
import type { ResourceVersionGate } from './resource-version-gate';

export interface WatchParts extends Pick<ReaderParts, 'clock' | 'conversions' | 'gates'> {
  readonly cache: Cache;
  readonly gate: ResourceVersionGate;
}

export async function watch(
  parts: WatchParts,
  context: RequestContext,
  resource: Resource,
  namespace: string,
  options: WatchOptions,
  sink: ChangeSink,
): Promise<CacheWatch> {
  parts.gate.requireReady();
  const begin = await beginning(parts, context, options);
  parts.gate.requireComplete(resource);
  const request = { scope: scopeOf(resource, namespace, options.selection), bookmarks: options.bookmarks, ...begin };
  if (resource.row.custom?.webhook === undefined) return parts.cache.watch(resource.stored, request, sink);
  return converted(parts, resource, request, sink);
}

/** Of one conversion: a watch goes on for longer than its request may take. */
const CONVERSION_MS = 60_000;

/** Selectors are about objects as they are shown, so the cache cannot say which are wanted. */
function converted(parts: WatchParts, resource: Resource, request: WatchRequest, sink: ChangeSink): CacheWatch {
  const { matches, indexed: _, ...scope } = request.scope;
  const { clock } = parts;
  const watched = new ConvertedWatch(sink, {
    conversions: conversionsOf(parts),
    row: resource.row,
    matches,
    context: () => ({ deadline: clock.monotonic() + CONVERSION_MS }),
  });
  // Whoever selects has to be told of the state before.
  const all = matches === undefined ? {} : { matches: () => true };
  watched.follow(parts.cache.watch(resource.stored, { ...request, scope: { ...scope, ...all } }, watched));
  return watched;
}

type Beginning = Pick<WatchRequest, 'start' | 'markEndOfInitialEvents'>;

/** Waits until the cache is as new as the start demands. */
async function beginning(parts: WatchParts, context: RequestContext, options: WatchOptions): Promise<Beginning> {
  const { cache, gate } = parts;
  const { resourceVersion } = options;
  const anyOrNewest = resourceVersion === undefined || resourceVersion === 0;
  // With the gate on, a watch for the present state is a streaming list, whether or not it says so.
  const streamingList = options.sendInitialEvents ?? (anyOrNewest && parts.gates.isEnabled('WatchList'));

  if (!streamingList && !anyOrNewest) return { start: { type: 'after', revision: resourceVersion }, markEndOfInitialEvents: false };
  if (resourceVersion === undefined) await gate.current(context);
  else await gate.notOlderThan(context, resourceVersion);
  if (options.sendInitialEvents === false) return { start: { type: 'after', revision: cache.revision }, markEndOfInitialEvents: false };
  return { start: { type: 'state' }, markEndOfInitialEvents: streamingList && options.bookmarks };
}

function scopeOf(resource: Resource, namespace: string, selection: Selection): WatchScope {
  const within = namespace !== '' ? namespace : selection.namespace;
  const contradicts = namespace !== '' && selection.namespace !== undefined && selection.namespace !== namespace;
  return {
    ...(resource.stored.namespaced && within !== undefined ? { namespace: within } : {}),
    ...(selection.name === undefined ? {} : { name: selection.name }),
    ...(selection.filters || contradicts || (!resource.stored.namespaced && selection.namespace !== undefined)
      ? { matches: (entry) => selection.matches(entry) }
      : {}),
    ...(selection.indexed === undefined ? {} : { indexed: selection.indexed }),
  };
}
