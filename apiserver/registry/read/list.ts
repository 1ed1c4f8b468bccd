/**
 * Lists: plans the page (list-plan.ts), opens its state (list-state.ts) and selects its entries (collect-page.ts). All
 * pages of a list show the state of the first one. Invalid combinations of parameters are rejected earlier
 * (endpoints/request/parameters.ts).
 */
import { internalError } from '../../../shared/api/errors/status';
import { TimeSlice } from '../../../shared/scheduling/yielding';
import type { ListOptions, ListPage, RequestContext, Resource, Selection } from '../verbs';
import type { Snapshot } from '../../cache/cache';
import { collectConvertedPage, collectPage, type CountedPage, type Search } from './collect-page';
import { listKeysOf, planList, type ListKeys } from './list-plan';
import { openState } from './list-state';
import type { GatedReaderDependencies } from './resource-version-gate';

/** `namespace`: empty for all namespaces. Rejects with a StatusError. */
export function list(
  deps: GatedReaderDependencies,
  context: RequestContext,
  resource: Resource,
  namespace: string,
  options: ListOptions,
): Promise<ListPage> {
  const { trace } = context;
  if (trace === undefined) return listPage(deps, context, resource, namespace, options);
  return trace.runInChildSpan('cacher list', { type: resource.stored.name }, () => listPage(deps, context, resource, namespace, options));
}

async function listPage(
  deps: GatedReaderDependencies,
  context: RequestContext,
  resource: Resource,
  namespace: string,
  options: ListOptions,
): Promise<ListPage> {
  const { source, limit, start, isLaterPage } = planList(resource, options);
  deps.gate.requireReady();
  const { selection } = options;
  const scope = listKeysOf(resource, namespace, selection, start);
  const { read, reportCounts } = await openState(deps, context, resource, source);
  refuseUnreadable(deps, resource, scope, limit);
  const snapshot = await read({ start: scope.start, end: scope.end, limit });
  const search: Search = { read, scope, selection, isSelective: hasSelector(selection), limit };
  const { page, counts } = await selectEntries(deps, context, resource, snapshot, search);
  reportCounts(counts);
  // A later page needs no pin: the first page has pinned the same state, or it is read from the store again.
  if (!isLaterPage && page.continue !== undefined) deps.cache.pin(resource.stored, snapshot);
  return page;
}

async function selectEntries(
  deps: GatedReaderDependencies,
  context: RequestContext,
  resource: Resource,
  snapshot: Snapshot,
  search: Search,
): Promise<CountedPage> {
  const { scope, selection, isSelective, limit } = search;
  if (resource.row.custom?.webhook !== undefined) return collectConvertedPage(deps, context, resource.row, snapshot, search);
  if (scope.singleKey !== undefined) {
    const entry = snapshot.get(scope.singleKey);
    const entries = entry !== undefined && selection.matches(entry) ? [entry] : [];
    return { page: { revision: snapshot.revision, entries }, counts: { fetched: 1, returned: entries.length } };
  }
  // When every entry matches, the response writer iterates over the range itself, and yields.
  if (limit === Infinity && !isSelective) {
    const count = snapshot.count(scope.start, scope.end);
    const entries = snapshot.range(scope.start, scope.end);
    return { page: { revision: snapshot.revision, entries }, counts: { fetched: count, returned: count } };
  }
  return collectPage(snapshot, search, new TimeSlice(deps.clock, { slot: context }));
}

/**
 * Upstream rejects unlimited lists when its cache cannot decode an object of the kind, and pages only when they contain
 * one. Here a page is rejected when the rest of the listed range contains one: where the page ends is not known yet.
 */
function refuseUnreadable({ cache, gate }: GatedReaderDependencies, resource: Resource, { start, end }: ListKeys, limit: number): void {
  if (limit === Infinity) gate.requireComplete(resource);
  const unreadable = cache.firstUnreadableKey(resource.stored, start, end);
  if (unreadable !== undefined) throw internalError(`unable to transform key "${unreadable.storeKey}": ${unreadable.reason}`);
}

function hasSelector(selection: Selection): boolean {
  return selection.hasFilters || selection.name !== undefined || selection.namespace !== undefined;
}
