/**
 * Opens watches: determines at which revision a watch starts and which objects are in its scope (upstream's API
 * concepts, "semantics for watch"; KEP-3157 for `sendInitialEvents`). A watch that starts with the current state opens
 * only when the cache is as new as its resourceVersion requires. The cache delivers the events, and the endpoints encode
 * them.
 */
import type { CacheWatch, ChangeSink, WatchRequest, WatchScope } from '../../cache/cache';
import type { RequestContext, Resource, Selection, WatchOptions } from '../verbs';
import { ConvertedWatch } from './converted-watch';
import type { GatedReaderDependencies } from './resource-version-gate';

/**
 * Resolves when the watch has started; its events reach the sink. `namespace`: empty for all namespaces. Rejects with a
 * StatusError.
 */
export async function watch(
  deps: GatedReaderDependencies,
  context: RequestContext,
  resource: Resource,
  namespace: string,
  options: WatchOptions,
  sink: ChangeSink,
): Promise<CacheWatch> {
  deps.gate.requireReady();
  const start = await waitForStart(deps, context, options);
  // Checked after the wait, because the cache may receive an object that it cannot decode during the wait.
  deps.gate.requireComplete(resource);
  const request = { scope: scopeOf(resource, namespace, options.selection), bookmarks: options.bookmarks, ...start };
  if (resource.row.custom?.webhook === undefined) return deps.cache.watch(resource.stored, request, sink);
  return watchConverted(deps, resource, request, sink);
}

/** Time limit of one conversion, needed because a watch has no deadline that a conversion could inherit. */
const CONVERSION_MS = 60_000;

/**
 * Selectors apply to converted objects, so the cache watch delivers every object of the namespace and name, and
 * {@link ConvertedWatch} selects.
 */
function watchConverted(deps: GatedReaderDependencies, resource: Resource, request: WatchRequest, sink: ChangeSink): CacheWatch {
  const { matches, indexed: _, ...scope } = request.scope;
  const { clock } = deps;
  const convertedWatch = new ConvertedWatch(sink, {
    conversions: deps.conversions,
    row: resource.row,
    matches,
    context: () => ({ deadline: clock.monotonic() + CONVERSION_MS }),
  });
  // A matcher makes the cache deliver the previous state of each change, which selection needs.
  const matchEverything = matches === undefined ? {} : { matches: () => true };
  convertedWatch.attachSource(deps.cache.watch(resource.stored, { ...request, scope: { ...scope, ...matchEverything } }, convertedWatch));
  return convertedWatch;
}

type WatchStart = Pick<WatchRequest, 'start' | 'markEndOfInitialEvents'>;

/**
 * Determines where the watch starts, and waits until the cache is as new as a start with the current state requires. A
 * start after a revision does not wait: the cache itself delivers the later changes.
 */
async function waitForStart(deps: GatedReaderDependencies, context: RequestContext, options: WatchOptions): Promise<WatchStart> {
  const { cache, gate } = deps;
  const { resourceVersion } = options;
  const isAnyOrNewest = resourceVersion === undefined || resourceVersion === 0;
  // With the feature gate on, a watch of the current state is a streaming list even if sendInitialEvents is unset.
  const isStreamingList = options.sendInitialEvents ?? (isAnyOrNewest && deps.gates.isEnabled('WatchList'));

  if (!isStreamingList && !isAnyOrNewest) return { start: { type: 'after', revision: resourceVersion }, markEndOfInitialEvents: false };
  if (resourceVersion === undefined) await gate.requireCaughtUp(context);
  else await gate.waitForRevision(context, resourceVersion);
  if (options.sendInitialEvents === false) return { start: { type: 'after', revision: cache.revision }, markEndOfInitialEvents: false };
  return { start: { type: 'state' }, markEndOfInitialEvents: isStreamingList && options.bookmarks };
}

/**
 * The part of the cache that the watch follows. Namespace and name restrict the keys; `matches` is set only where the
 * keys cannot express the selection, because it is called for both states of every change.
 */
function scopeOf(resource: Resource, namespace: string, selection: Selection): WatchScope {
  const keyNamespace = namespace === '' ? selection.namespace : namespace;
  return {
    ...(resource.stored.namespaced && keyNamespace !== undefined ? { namespace: keyNamespace } : {}),
    ...(selection.name === undefined ? {} : { name: selection.name }),
    ...(needsMatcher(resource, namespace, selection) ? { matches: (entry) => selection.matches(entry) } : {}),
    ...(selection.indexed === undefined ? {} : { indexed: selection.indexed }),
  };
}

/**
 * Whether keys alone cannot express the selection: it filters by labels or other fields, or requires a
 * `metadata.namespace` that is not that of the request's path.
 */
function needsMatcher({ stored }: Resource, namespace: string, selection: Selection): boolean {
  if (selection.hasFilters) return true;
  if (selection.namespace === undefined) return false;
  return !stored.namespaced || (namespace !== '' && selection.namespace !== namespace);
}
