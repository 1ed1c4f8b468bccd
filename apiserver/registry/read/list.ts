/**
 * Lists: which state a list shows (upstream's table "resource versions in get, list and watch" in its API concepts, with resourceVersion,
 * resourceVersionMatch, limit and continue), which part of it, and where the next page begins. Parameter combinations that are refused as invalid
 * never come here (endpoints/request/parameters.ts).
 */
import { compareBytes } from '../../../shared/values/json';
import { badRequest, expired, internalError, requestTooLarge, type StatusError } from '../../../shared/api/errors/status';
import type { Clock } from '../../../shared/runtime/clock';
import type { Cache, Entry, Snapshot } from '../../cache/cache';
import { TimeSlice } from '../../../shared/scheduling/yielding';
import { StoreError, type Revision } from '../../storage/store';
import type { ListOptions, ListPage, RequestContext, Resource, Selection } from '../verbs';
import { formatContinue, NEWEST, parseContinue, startAfter, type ContinueToken } from './continue-token';
import type { Conversions } from '../conversions';
import { ConversionLine } from './conversion-pipeline';
import { conversionsOf, type ListCounts, type ListMeter, type ReaderParts } from './reader-parts';
import { readFailure, type ResourceVersionGate } from './resource-version-gate';

export interface ListParts extends Pick<ReaderParts, 'conversions'> {
  readonly cache: Cache;
  readonly clock: Clock;
  readonly gate: ResourceVersionGate;
  readonly meter?: ListMeter;
}

/** Where a list finds its state. */
type ListSource =
  | { readonly type: 'newest' }
  | { readonly type: 'cached'; readonly notOlderThan: Revision }
  | { readonly type: 'exact'; readonly revision: Revision; readonly tooOld: () => StatusError };

interface ListRead {
  readonly source: ListSource;
  /** Infinity = everything. */
  readonly limit: number;
  /** Where to begin, relative to the listed prefix. */
  readonly start: string;
  /** A continuation at its first page's revision. */
  readonly laterPage: boolean;
}

/** The part of a state that one read is about. */
interface Part {
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly limit: number;
}

/** What is known about a revision that is asked for exactly. */
interface Exactly {
  /** The store has it, whatever the cache has seen. */
  readonly stored?: true;
  /** What to say when it was compacted. */
  readonly tooOld?: () => StatusError;
}

/** A way to read parts of one state: states in memory give everything at once, those read from the store what was asked for. */
interface Read {
  (part: Part): Promise<Snapshot>;
}

/** How the state was found, and what is told of the list. */
interface Found {
  readonly read: Read;
  readonly tell: (counts: ListCounts) => void;
}

export function list(
  parts: ListParts,
  context: RequestContext,
  resource: Resource,
  namespace: string,
  options: ListOptions,
): Promise<ListPage> {
  const { trace } = context;
  if (trace === undefined) return listed(parts, context, resource, namespace, options);
  return trace.runInChildSpan('cacher list', { type: resource.stored.name }, () => listed(parts, context, resource, namespace, options));
}

async function listed(
  parts: ListParts,
  context: RequestContext,
  resource: Resource,
  namespace: string,
  options: ListOptions,
): Promise<ListPage> {
  const { source, limit, start, laterPage } = plan(resource, options);
  parts.gate.requireReady();
  const { selection } = options;
  const scope = scopeOf(resource, namespace, selection, start);
  const { read, tell } = await readerOf(parts, context, resource, source);
  refuseUnreadable(parts, resource, scope, limit);
  const snapshot = await read({ start: scope.start, end: scope.end, limit });
  if (resource.row.custom?.webhook !== undefined) {
    const search = { snapshot, read, scope, selection, selective: selects(selection), limit };
    const page = await converted({ row: resource.row, conversions: conversionsOf(parts), context }, search);
    tell({ fetched: page.entries.length, returned: page.entries.length });
    if (!laterPage && page.continue !== undefined) parts.cache.pin(resource.stored, snapshot);
    return page;
  }
  if (scope.single !== undefined) {
    const entries = single(snapshot, scope.single, selection);
    tell({ fetched: 1, returned: entries.length });
    return { revision: snapshot.revision, entries };
  }
  const selective = selects(selection);
  // Where all entries match there is no search: the response's writer walks them, and yields.
  if (limit === Infinity && !selective) {
    const count = snapshot.count(scope.start, scope.end);
    tell({ fetched: count, returned: count });
    return { revision: snapshot.revision, entries: snapshot.range(scope.start, scope.end) };
  }
  const slice = new TimeSlice(parts.clock, { slot: context });
  const looked = { count: 0 };
  const page = await firstMatches(snapshot, { read, scope, selection, selective, limit, slice, looked });
  tell({ fetched: looked.count, returned: page.entries.length });
  // Later pages are asked of this same state; a later page found it pinned, or had to read it from the store.
  if (!laterPage && page.continue !== undefined) parts.cache.pin(resource.stored, snapshot);
  return page;
}

/** As upstream, whose unlimited lists come from a cache that never gets ready, and whose pages come from the store. */
function refuseUnreadable({ cache, gate }: ListParts, resource: Resource, { start, end }: Scope, limit: number): void {
  if (limit === Infinity) gate.requireComplete(resource);
  const refusal = cache.firstUnreadableKey(resource.stored, start, end);
  if (refusal !== undefined) throw internalError(`unable to transform key "${refusal.storeKey}": ${refusal.reason}`);
}

/** The cell of the table that the parameters point at. */
function plan(resource: Resource, options: ListOptions): ListRead {
  const { resourceVersion, resourceVersionMatch } = options;
  const limit = options.limit !== undefined && options.limit > 0 ? options.limit : Infinity;
  const firstPage = (source: ListSource, most: number): ListRead => ({ source, limit: most, start: '', laterPage: false });
  if (options.continue !== undefined && options.continue !== '') return continuation(options.continue, resourceVersion, limit);
  if (resourceVersion === undefined) return firstPage({ type: 'newest' }, limit);
  if (resourceVersion === 0 && resourceVersionMatch !== 'Exact') {
    // Upstream ignores the limit here, but for kinds that it keeps no cache for.
    return firstPage({ type: 'cached', notOlderThan: 0 }, resource.row.expires === true ? limit : Infinity);
  }
  if (resourceVersionMatch === 'Exact' || (resourceVersionMatch === undefined && limit !== Infinity)) {
    const tooOld = (): StatusError => expired('The resourceVersion for the provided list is too old.');
    return firstPage({ type: 'exact', revision: resourceVersion, tooOld }, limit);
  }
  return firstPage({ type: 'cached', notOlderThan: resourceVersion }, limit);
}

function continuation(text: string, resourceVersion: Revision | undefined, limit: number): ListRead {
  if (resourceVersion !== undefined && resourceVersion !== 0)
    throw badRequest('specifying resource version is not allowed when using continue');
  const token = parseContinue(text);
  if (token.revision < 0) return { source: { type: 'newest' }, limit, start: token.start, laterPage: false };
  const tooOld = (): StatusError => expiredContinuation(token);
  return { source: { type: 'exact', revision: token.revision, tooOld }, limit, start: token.start, laterPage: true };
}

function expiredContinuation(token: ContinueToken): StatusError {
  return expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue ' +
      'parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token ' +
      'results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and ' +
      'now may show up in the list.',
    formatContinue({ revision: NEWEST, start: token.start }),
  );
}

/** Waits until the state that is wanted exists, and says how to read it. */
async function readerOf(parts: ListParts, context: RequestContext, resource: Resource, source: ListSource): Promise<Found> {
  const { cache, gate, clock, meter } = parts;
  const type = resource.stored;
  const present = (waitedMs?: number): Found => ({
    read: () => Promise.resolve(cache.snapshot(type)),
    tell: (counts) => meter?.fromCache(type, counts, waitedMs),
  });
  const at = (revision: Revision, how: Exactly): Found => ({
    read: (part) => snapshotAt(cache, context, resource, revision, part, how),
    tell: (counts) => meter?.fromStore(type, counts, how.stored === true),
  });
  switch (source.type) {
    case 'newest': {
      const startedAt = clock.monotonic();
      if ((await gate.mostRecent(context)) === 'current') return present(clock.monotonic() - startedAt);
      // The cache does not keep up with the store: the list comes from the store.
      return at(await gate.storeRevision(context), { stored: true });
    }
    case 'cached':
      await gate.notOlderThan(context, source.notOlderThan);
      return present();
    case 'exact':
      // A revision ahead of the cache may be real, another replica's first page, so it is waited for.
      await gate.notOlderThan(context, source.revision);
      return cache.snapshot(type).revision === source.revision ? present() : at(source.revision, { tooOld: source.tooOld });
  }
}

async function snapshotAt(
  cache: Cache,
  context: RequestContext,
  resource: Resource,
  revision: Revision,
  { start, end, limit }: Part,
  { stored, tooOld }: Exactly,
): Promise<Snapshot> {
  try {
    return await cache.snapshotAt(resource.stored, revision, {
      deadline: context.deadline,
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end }),
      ...(limit === Infinity ? {} : { limit }),
      ...(stored === undefined ? {} : { isInStore: stored }),
    });
  } catch (error) {
    throw tooOld !== undefined && error instanceof StoreError && error.failure === 'compacted' ? tooOld() : readFailure(error);
  }
}

/** The keys that a list looks at: those in [start, end), or just one. Continue tokens are relative to `prefix`. */
interface Scope {
  readonly prefix: string;
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly single?: string;
}

function scopeOf(resource: Resource, namespace: string, selection: Selection, start: string): Scope {
  const { namespaced } = resource.stored;
  const prefix = namespaced && namespace !== '' ? `${namespace}/` : '';
  const within = namespaced ? (namespace === '' ? selection.namespace : namespace) : undefined;
  if (selection.name !== undefined && (!namespaced || within !== undefined)) {
    const key = namespaced ? `${within}/${selection.name}` : selection.name;
    return { prefix, start: key, end: `${key}\0`, single: key };
  }
  const first = within === undefined ? '' : `${within}/`;
  // `0` follows `/`, so this bound lies right after the namespace's keys.
  const end = within === undefined ? undefined : `${within}0`;
  const from = prefix + start;
  const begin = compareBytes(from, first) > 0 ? from : first;
  return { prefix, start: begin === '' ? undefined : begin, end };
}

function single(snapshot: Snapshot, key: string, selection: Selection): readonly Entry[] {
  const entry = snapshot.get(key);
  return entry !== undefined && selection.matches(entry) ? [entry] : [];
}

function selects(selection: Selection): boolean {
  return selection.filters || selection.name !== undefined || selection.namespace !== undefined;
}

/** The most entries that are read from the store at a time while a selector looks for matches. */
const MAX_READ = 10_000;

interface Search {
  readonly read: Read;
  readonly scope: Scope;
  readonly selection: Selection;
  /** Whether the selection takes anything away. */
  readonly selective: boolean;
  readonly limit: number;
  /** Counts every entry looked at, so that a search which finds no match yields as well. */
  readonly slice: TimeSlice;
  /** How many were looked at. */
  readonly looked: { count: number };
}

/** Whose entries have been collected. */
interface FullPage extends ListPage {
  readonly entries: readonly Entry[];
}

/** At most `limit` entries. The answer begins with the token of the next page, so a page is collected before it is written. */
async function firstMatches(snapshot: Snapshot, { read, scope, selection, selective, limit, slice, looked }: Search): Promise<FullPage> {
  const entries: Entry[] = [];
  let part: Part = { start: scope.start, end: scope.end, limit };
  for (let known = snapshot; ; known = await read(part)) {
    for (const entry of known.range(part.start, part.end)) {
      if (entries.length === limit) return cutShort(snapshot, scope, entries, selective);
      looked.count += 1;
      if (!selective || selection.matches(entry)) entries.push(entry);
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    if (known.unknownFrom === undefined) return { revision: snapshot.revision, entries };
    if (entries.length === limit) return cutShort(snapshot, scope, entries, selective);
    part = { start: known.unknownFrom, end: scope.end, limit: Math.min(part.limit * 2, MAX_READ) };
  }
}

/** On whose behalf objects are put into which version. */
interface Conversion {
  readonly row: Resource['row'];
  readonly conversions: Conversions;
  readonly context: RequestContext;
}

/** So many are converted before anyone looks which of them are wanted; where all are, half of them while the other half is being taken. */
const MOST_TOGETHER = 2_000;
/** Of objects that are not stored as they are shown: they are all there before the first of them is sent, so that a list fails as a whole. */
const MOST_CONVERTED_BYTES = 128 * 1024 * 1024;

/** As `firstMatches`, where a webhook has to say first how objects look: selectors are about that. */
async function converted(
  conversion: Conversion,
  search: Omit<Search, 'slice' | 'looked'> & { readonly snapshot: Snapshot },
): Promise<FullPage> {
  const { row, conversions, context } = conversion;
  const { snapshot, read, scope, selection, selective, limit } = search;
  const entries: Entry[] = [];
  let bytes = 0;
  const take = (stored: readonly Entry[], shown: readonly Entry[]): boolean => {
    for (const [at, entry] of shown.entries()) {
      if (entries.length === limit) return false;
      if (selective && !selection.matches(entry)) continue;
      entries.push(entry);
      bytes += entry === stored[at] ? 0 : entry.bytes.length;
    }
    if (bytes > MOST_CONVERTED_BYTES)
      throw requestTooLarge('there is too much to be converted in one list: ask for it in pages, with limit');
    return true;
  };
  const page = (): FullPage => cutShort(snapshot, scope, entries, selective);
  const isWhole = limit === Infinity;
  const line = new ConversionLine((stored) => conversions.entries(row, stored, context), take, isWhole);
  const most = isWhole ? MOST_TOGETHER / 2 : MOST_TOGETHER;
  let part: Part = { start: scope.start, end: scope.end, limit };
  for (let known = snapshot; ; known = await read(part)) {
    let together: Entry[] = [];
    for (const entry of known.range(part.start, part.end)) {
      if (!selective && entries.length + together.length === limit) {
        await line.add(together);
        return page();
      }
      together.push(entry);
      if (together.length < most) continue;
      if (!(await line.add(together))) return page();
      together = [];
    }
    if (!(await line.add(together)) || !(await line.end())) return page();
    if (known.unknownFrom === undefined) return { revision: snapshot.revision, entries };
    if (entries.length === limit) return page();
    part = { start: known.unknownFrom, end: scope.end, limit: Math.min(part.limit * 2, MAX_READ) };
  }
}

/** A full page before the end of its range: whether a later key matches is not looked into. */
function cutShort(snapshot: Snapshot, scope: Scope, entries: readonly Entry[], selective: boolean): FullPage {
  const last = entries[entries.length - 1];
  const next = startAfter(last === undefined ? '' : last.key);
  return {
    revision: snapshot.revision,
    entries,
    continue: formatContinue({ revision: snapshot.revision, start: next.slice(scope.prefix.length) }),
    ...(selective ? {} : { remainingItemCount: snapshot.count(next, scope.end) }),
  };
}
