/**
 * Lists. The state, range and next page of a list follow from resourceVersion, resourceVersionMatch, limit and
 * continue, as in the table "resource versions in get, list and watch" of upstream's API concepts. Invalid
 * combinations of parameters are rejected earlier (endpoints/request/parameters.ts).
 */
import { compareBytes } from '../../../shared/values/json';
import { badRequest, expired, internalError, requestTooLarge, type StatusError } from '../../../shared/api/errors/status';
import type { KindRow } from '../../../shared/api/kinds';
import type { Cache, Entry, Snapshot } from '../../cache/cache';
import { TimeSlice } from '../../../shared/scheduling/yielding';
import { StoreError, type Revision } from '../../storage/store';
import type { ListOptions, ListPage, RequestContext, Resource, Selection } from '../verbs';
import { formatContinueToken, NEWEST_REVISION, parseContinueToken, startAfterKey, type ContinueToken } from './continue-token';
import { ConversionPipeline } from './conversion-pipeline';
import type { ListCounts } from './reader-dependencies';
import { convertReadFailure, type GatedReaderDependencies } from './resource-version-gate';

/**
 * The state that a list returns:
 * - `newest`: the most recent one;
 * - `cached`: any that is at or after a revision;
 * - `exact`: the one at a revision. `tooOld` creates the error when that revision is compacted.
 */
type ListSource =
  | { readonly type: 'newest' }
  | { readonly type: 'cached'; readonly notOlderThan: Revision }
  | { readonly type: 'exact'; readonly revision: Revision; readonly tooOld: () => StatusError };

/** What the parameters of a list require. */
interface ListPlan {
  readonly source: ListSource;
  /** Infinity when unlimited. */
  readonly limit: number;
  /** First key, relative to the listed prefix. */
  readonly start: string;
  /**
   * The list continues at the revision of its first page. False for a first page, and for a continuation at the newest
   * revision.
   */
  readonly isLaterPage: boolean;
}

/** Keys in [start, end) to read, and at most how many. */
interface RangeRequest {
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly limit: number;
}

/** How to read the state of a given revision. */
interface ExactReadOptions {
  /** The revision is known to exist in the store, even if the cache has not reached it. */
  readonly isInStore?: true;
  /** The error when the revision is compacted. */
  readonly tooOld?: () => StatusError;
}

/**
 * Reads ranges of one state. A state in memory returns a snapshot of the whole type at once; a state in the store returns
 * at most `limit` entries of the range.
 */
type RangeReader = (part: RangeRequest) => Promise<Snapshot>;

/** How to read the state, and where to report the size of the list. */
interface ListState {
  readonly read: RangeReader;
  readonly reportCounts: (counts: ListCounts) => void;
}

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
  const scope = keysOf(resource, namespace, selection, start);
  const { read, reportCounts } = await openState(deps, context, resource, source);
  refuseUnreadable(deps, resource, scope, limit);
  const snapshot = await read({ start: scope.start, end: scope.end, limit });
  const isSelective = hasSelector(selection);
  const search: Search = { read, scope, selection, isSelective, limit };
  if (resource.row.custom?.webhook !== undefined) {
    const page = await listConverted(deps, context, resource.row, snapshot, search);
    reportCounts({ fetched: page.entries.length, returned: page.entries.length });
    if (!isLaterPage && page.continue !== undefined) deps.cache.pin(resource.stored, snapshot);
    return page;
  }
  if (scope.singleKey !== undefined) {
    const entry = snapshot.get(scope.singleKey);
    const entries = entry !== undefined && selection.matches(entry) ? [entry] : [];
    reportCounts({ fetched: 1, returned: entries.length });
    return { revision: snapshot.revision, entries };
  }
  // When every entry matches, the response writer iterates over the range itself, and yields.
  if (limit === Infinity && !isSelective) {
    const count = snapshot.count(scope.start, scope.end);
    reportCounts({ fetched: count, returned: count });
    return { revision: snapshot.revision, entries: snapshot.range(scope.start, scope.end) };
  }
  const visited = { count: 0 };
  const page = await firstMatches(snapshot, search, new TimeSlice(deps.clock, { slot: context }), visited);
  reportCounts({ fetched: visited.count, returned: page.entries.length });
  // A later page needs no pin: the first page has pinned the same state, or it is read from the store again.
  if (!isLaterPage && page.continue !== undefined) deps.cache.pin(resource.stored, snapshot);
  return page;
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

/** The row of upstream's table (see the header of this file) that the parameters select. Throws 400. */
function planList(resource: Resource, options: ListOptions): ListPlan {
  const { resourceVersion, resourceVersionMatch } = options;
  const limit = options.limit !== undefined && options.limit > 0 ? options.limit : Infinity;
  const firstPage = (source: ListSource, pageLimit: number): ListPlan => ({ source, limit: pageLimit, start: '', isLaterPage: false });
  if (options.continue !== undefined && options.continue !== '') return continuation(options.continue, resourceVersion, limit);
  if (resourceVersion === undefined) return firstPage({ type: 'newest' }, limit);
  if (resourceVersion === 0 && resourceVersionMatch !== 'Exact') {
    // Upstream ignores the limit here, except for kinds without a watch cache.
    return firstPage({ type: 'cached', notOlderThan: 0 }, resource.row.expires === true ? limit : Infinity);
  }
  if (resourceVersionMatch === 'Exact' || (resourceVersionMatch === undefined && limit !== Infinity)) {
    const tooOld = (): StatusError => expired('The resourceVersion for the provided list is too old.');
    return firstPage({ type: 'exact', revision: resourceVersion, tooOld }, limit);
  }
  return firstPage({ type: 'cached', notOlderThan: resourceVersion }, limit);
}

function continuation(text: string, resourceVersion: Revision | undefined, limit: number): ListPlan {
  if (resourceVersion !== undefined && resourceVersion !== 0)
    throw badRequest('specifying resource version is not allowed when using continue');
  const token = parseContinueToken(text);
  if (token.revision < 0) return { source: { type: 'newest' }, limit, start: token.start, isLaterPage: false };
  const tooOld = (): StatusError => expiredContinuation(token);
  return { source: { type: 'exact', revision: token.revision, tooOld }, limit, start: token.start, isLaterPage: true };
}

function expiredContinuation(token: ContinueToken): StatusError {
  return expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue ' +
      'parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token ' +
      'results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and ' +
      'now may show up in the list.',
    formatContinueToken({ revision: NEWEST_REVISION, start: token.start }),
  );
}

/** Waits until the state exists and returns its reader. */
async function openState(
  deps: GatedReaderDependencies,
  context: RequestContext,
  resource: Resource,
  source: ListSource,
): Promise<ListState> {
  const { cache, gate, clock, listMetrics } = deps;
  const type = resource.stored;
  const cachedState = (waitedMs?: number): ListState => ({
    read: () => Promise.resolve(cache.snapshot(type)),
    reportCounts: (counts) => listMetrics?.observeCacheList(type, counts, waitedMs),
  });
  const exactState = (revision: Revision, options: ExactReadOptions): ListState => ({
    read: (part) => snapshotAt(cache, context, resource, revision, part, options),
    reportCounts: (counts) => listMetrics?.observeStoreList(type, counts, { hasFallenBack: options.isInStore === true }),
  });
  switch (source.type) {
    case 'newest': {
      const startedAt = clock.monotonic();
      if ((await gate.catchUp(context)) === 'current') return cachedState(clock.monotonic() - startedAt);
      // The cache lags behind the store, so the list is read from the store.
      return exactState(await gate.storeRevision(context), { isInStore: true });
    }
    case 'cached':
      await gate.waitForRevision(context, source.notOlderThan);
      return cachedState();
    case 'exact':
      // A revision ahead of the cache may exist, for example on the first page of another replica, so the list waits
      // for it.
      await gate.waitForRevision(context, source.revision);
      return cache.snapshot(type).revision === source.revision ? cachedState() : exactState(source.revision, { tooOld: source.tooOld });
  }
}

async function snapshotAt(
  cache: Cache,
  context: RequestContext,
  resource: Resource,
  revision: Revision,
  { start, end, limit }: RangeRequest,
  { isInStore, tooOld }: ExactReadOptions,
): Promise<Snapshot> {
  try {
    return await cache.snapshotAt(resource.stored, revision, {
      deadline: context.deadline,
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end }),
      ...(limit === Infinity ? {} : { limit }),
      ...(isInStore === undefined ? {} : { isInStore }),
    });
  } catch (error) {
    throw tooOld !== undefined && error instanceof StoreError && error.failure === 'compacted' ? tooOld() : convertReadFailure(error);
  }
}

/** The keys of a list: [start, end), or a single key. Continue tokens are relative to `prefix`, such as `default/`. */
interface ListKeys {
  readonly prefix: string;
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly singleKey?: string;
}

/**
 * The keys of the namespace, or of all namespaces when it is empty, that the selection may match. `start` is the first
 * key according to the continue token, relative to the listed prefix; empty on the first page.
 */
function keysOf({ stored: { namespaced } }: Resource, namespace: string, selection: Selection, start: string): ListKeys {
  const prefix = namespaced && namespace !== '' ? `${namespace}/` : '';
  const requiredNamespace = namespace === '' ? selection.namespace : namespace;
  const keyNamespace = namespaced ? requiredNamespace : undefined;
  if (selection.name !== undefined && (!namespaced || keyNamespace !== undefined)) {
    const key = namespaced ? `${keyNamespace}/${selection.name}` : selection.name;
    return { prefix, start: key, end: `${key}\0`, singleKey: key };
  }
  const firstKey = keyNamespace === undefined ? '' : `${keyNamespace}/`;
  // `0` follows `/`, so this bound comes right after the keys of the namespace.
  const end = keyNamespace === undefined ? undefined : `${keyNamespace}0`;
  const pageStart = prefix + start;
  const lowerBound = compareBytes(pageStart, firstKey) > 0 ? pageStart : firstKey;
  return { prefix, start: lowerBound === '' ? undefined : lowerBound, end };
}

function hasSelector(selection: Selection): boolean {
  return selection.hasFilters || selection.name !== undefined || selection.namespace !== undefined;
}

/**
 * Maximum number of entries per read from the store while a selector searches for matches. The first read takes `limit`
 * entries, and each further read twice as many as the one before.
 */
const MAX_READ = 10_000;

/** How entries are selected from the state. */
interface Search {
  readonly read: RangeReader;
  readonly scope: ListKeys;
  readonly selection: Selection;
  /** Whether the selection may exclude objects. */
  readonly isSelective: boolean;
  readonly limit: number;
}

/** A page with its entries in memory. */
interface CollectedPage extends ListPage {
  readonly entries: readonly Entry[];
}

/**
 * Collects at most `limit` matching entries. The continue token comes first in the response, so a page is collected
 * before it is written. Adds the number of visited entries to `visited`. Yields by visited entries, not by matches, so that
 * a search without matches yields too.
 */
async function firstMatches(
  snapshot: Snapshot,
  { read, scope, selection, isSelective, limit }: Search,
  slice: TimeSlice,
  visited: { count: number },
): Promise<CollectedPage> {
  const entries: Entry[] = [];
  let part: RangeRequest = { start: scope.start, end: scope.end, limit };
  for (let chunk = snapshot; ; chunk = await read(part)) {
    for (const entry of candidates(chunk, selection, part)) {
      if (entries.length === limit) return partialPage(snapshot, scope, entries, isSelective);
      visited.count += 1;
      if (!isSelective || selection.matches(entry)) entries.push(entry);
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    if (chunk.unknownFrom === undefined) return { revision: snapshot.revision, entries };
    if (entries.length === limit) return partialPage(snapshot, scope, entries, isSelective);
    part = { start: chunk.unknownFrom, end: scope.end, limit: Math.min(part.limit * 2, MAX_READ) };
  }
}

function candidates(chunk: Snapshot, { indexed }: Selection, { start, end }: RangeRequest): Iterable<Entry> {
  return indexed === undefined ? chunk.range(start, end) : chunk.rangeWith(indexed, start, end);
}

/** Entries per conversion; half as many when chunks are pipelined, since two of them are in flight. */
const CONVERSION_BATCH = 2_000;
/**
 * Limit of converted bytes per list. All objects are converted before the first is sent, so that a list that fails
 * returns an error.
 */
const MAX_CONVERTED_BYTES = 128 * 1024 * 1024;

/** Like {@link firstMatches}, for kinds with a conversion webhook: selectors apply to the converted objects. */
async function listConverted(
  { conversions }: GatedReaderDependencies,
  context: RequestContext,
  row: KindRow,
  snapshot: Snapshot,
  { read, scope, selection, isSelective, limit }: Search,
): Promise<CollectedPage> {
  const entries: Entry[] = [];
  let bytes = 0;
  const consume = (stored: readonly Entry[], converted: readonly Entry[]): boolean => {
    for (const [index, entry] of converted.entries()) {
      if (entries.length === limit) return false;
      if (isSelective && !selection.matches(entry)) continue;
      entries.push(entry);
      bytes += entry === stored[index] ? 0 : entry.bytes.length;
    }
    if (bytes > MAX_CONVERTED_BYTES)
      throw requestTooLarge('the list is too large to be converted in one response: request it in pages, with limit');
    return true;
  };
  const currentPage = (): CollectedPage => partialPage(snapshot, scope, entries, isSelective);
  const isUnlimited = limit === Infinity;
  const convert = (stored: readonly Entry[]): Promise<readonly Entry[]> => conversions.convertEntries(row, stored, context);
  const pipeline = new ConversionPipeline(convert, consume, { isPipelined: isUnlimited });
  const batchSize = isUnlimited ? CONVERSION_BATCH / 2 : CONVERSION_BATCH;
  let part: RangeRequest = { start: scope.start, end: scope.end, limit };
  for (let chunk = snapshot; ; chunk = await read(part)) {
    let batch: Entry[] = [];
    for (const entry of chunk.range(part.start, part.end)) {
      if (!isSelective && entries.length + batch.length === limit) {
        await pipeline.add(batch);
        return currentPage();
      }
      batch.push(entry);
      if (batch.length < batchSize) continue;
      if (!(await pipeline.add(batch))) return currentPage();
      batch = [];
    }
    if (!(await pipeline.add(batch)) || !(await pipeline.flush())) return currentPage();
    if (chunk.unknownFrom === undefined) return { revision: snapshot.revision, entries };
    if (entries.length === limit) return currentPage();
    part = { start: chunk.unknownFrom, end: scope.end, limit: Math.min(part.limit * 2, MAX_READ) };
  }
}

/**
 * A page that ends before the range does, because it is full. Nothing searches for a match after it, so the next page may
 * be empty.
 */
function partialPage(snapshot: Snapshot, scope: ListKeys, entries: readonly Entry[], isSelective: boolean): CollectedPage {
  const last = entries[entries.length - 1];
  const next = startAfterKey(last === undefined ? '' : last.key);
  return {
    revision: snapshot.revision,
    entries,
    continue: formatContinueToken({ revision: snapshot.revision, start: next.slice(scope.prefix.length) }),
    ...(isSelective ? {} : { remainingItemCount: snapshot.count(next, scope.end) }),
  };
}
