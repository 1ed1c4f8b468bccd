/**
 * Watches of a collection, or of one object by name, over HTTP or a WebSocket. Checks the options and connects a watch
 * of the reader with the stream of the response; selecting events is left to the cache.
 */
import { badRequest } from '../../../shared/api/errors/status';
import { codecOf } from '../../../shared/api/codec/codec';
import { currentSchemaFields } from '../../registry/object/hidden-fields';
import { INITIAL_EVENTS_END } from '../../../shared/names/dialect';
import type { BookmarkType, Entry } from '../../cache/cache';
import type { Resource, Selection } from '../../registry/verbs';
import type { ApiDependencies } from './api-dependencies';
import type { Exchange } from '../request/exchange';
import { UpgradableResponse } from '../request/upgradable-response';
import { watchOptions } from '../request/parameters';
import type { ResourceRequest } from '../request/request-info';
import { WatchStream } from '../response/watch-stream';
import { negotiateResponse } from './negotiated-response';

/** Resolves when the watch has started; the exchange ends when the watch does. */
export async function watchObjects(deps: ApiDependencies, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const { row } = resource;
  const isOverWebSocket = exchange.header('upgrade')?.toLowerCase() === 'websocket';
  if (isOverWebSocket && !(exchange.output instanceof UpgradableResponse)) {
    throw badRequest('watching over a WebSocket needs TLS and HTTP/1.1; watch without the Upgrade header');
  }
  const { wanted, encoder } = negotiateResponse(deps, exchange, info, { row, offer: 'watch' });
  const isWatchListEnabled = deps.gates.isEnabled('WatchList');
  const { options, timeoutSeconds } = watchOptions(row, exchange.query, deps.select, { isWatchListEnabled });
  const selection = info.name === '' ? options.selection : selectByName(options.selection, info.name);
  const startedAt = deps.clock.monotonic();
  const observeInitialEvents = (): void => deps.watchListMeter(row, info).observe((deps.clock.monotonic() - startedAt) / 1000);
  const stream = new WatchStream(exchange, {
    clock: deps.clock,
    encoder,
    // The client requested the form of a list, which no event has. As in upstream, the watch fails at its first event.
    endsAtFirstEvent: wanted.transform === 'partialList',
    meter: deps.watchMeter(row.group, row.version, row.kind, resource.stored.name),
    isOverWebSocket,
    watches: deps.watches,
    outbox: deps.outbox,
    bookmarkEntry: (revision, type) => bookmarkEntry(exchange, resource, revision, type),
    onInitialEventsEnd: observeInitialEvents,
  });
  const watch = await deps.reader.watch(exchange, resource, info.namespace, { ...options, selection }, stream);
  // Whole seconds, because Node keeps a list of timers for each duration: the watches of all clients share few lists.
  const seconds = timeoutSeconds ?? Math.round(deps.minRequestTimeoutSeconds * (1 + deps.random.float()));
  stream.start(watch, seconds * 1000);
}

/** For `/watch/…/<name>` and `…/<name>?watch`: the name is an additional term of the field selector. */
function selectByName(selection: Selection, name: string): Selection {
  if (selection.name !== undefined && selection.name !== name) throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return { ...selection, name, matches: (entry) => nameOf(entry) === name && selection.matches(entry) };
}

/** The part of the key after the namespace. */
function nameOf(entry: Entry): string {
  return entry.key.slice(entry.key.indexOf('/') + 1);
}

/** An empty object of the kind with only the revision, and the annotation that marks the end of the initial events. */
function bookmarkEntry(exchange: Exchange, { row, hub }: Resource, revision: number, type: BookmarkType): Entry {
  const annotations = type === 'end-of-initial-events' ? { annotations: { [INITIAL_EVENTS_END[exchange.dialect]]: 'true' } } : {};
  const body = codecOf(hub).encodeBody({ metadata: { resourceVersion: String(revision), ...annotations } });
  return {
    key: '',
    revision,
    bytes: Buffer.from(body),
    labels: {},
    fields: currentSchemaFields(row),
    isDialectSensitive: false,
  };
}
