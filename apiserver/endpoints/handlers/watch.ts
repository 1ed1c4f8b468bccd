/** Watches: of a collection, or of one object by its name. */
import { badRequest } from '../../../shared/api/errors/status';
import { codecOf } from '../../../shared/api/codec/codec';
import { freshFields } from '../../registry/object/hidden-fields';
import { INITIAL_EVENTS_END } from '../../../shared/names/dialect';
import type { Entry } from '../../cache/cache';
import type { Resource, Selection } from '../../registry/verbs';
import type { ApiParts } from './api-dependencies';
import type { Exchange } from '../request/exchange';
import { UpgradableReply } from '../request/upgradable-response';
import { watchOptions } from '../request/parameters';
import type { ResourceRequest } from '../request/request-info';
import { WatchStream } from '../response/watch-stream';
import { negotiated } from './negotiated-response';

export async function watch(parts: ApiParts, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const { row } = resource;
  const overWebSocket = exchange.header('upgrade')?.toLowerCase() === 'websocket';
  if (overWebSocket && !(exchange.output instanceof UpgradableReply))
    throw badRequest('watching over a WebSocket is served over TLS and HTTP/1.1; watch without the header Upgrade');
  const { wanted, encoder } = negotiated(parts, exchange, resource, info, 'watch');
  const { options, timeoutSeconds } = watchOptions(row, exchange.query, parts.select, parts.gates.enabled('WatchList'));
  const selection = info.name === '' ? options.selection : onlyNamed(options.selection, info.name);
  const startedAt = parts.clock.monotonic();
  const toldWhole = (): void => parts.watchListMeter(row, info).observe((parts.clock.monotonic() - startedAt) / 1000);
  const stream = new WatchStream(exchange, {
    clock: parts.clock,
    encoder,
    // An event carries an object, never a list: upstream finds that out when there is one.
    showsNothing: wanted.transform === 'partialList',
    meter: parts.watchMeter(row.group, row.version, row.kind, resource.stored.name),
    overWebSocket,
    watches: parts.watches,
    outbox: parts.outbox,
    bookmarkEntry: (revision, end) => bookmarkEntry(exchange, resource, revision, end),
    whole: toldWhole,
  });
  const started = await parts.reader.watch(exchange, resource, info.namespace, { ...options, selection }, stream);
  const seconds = timeoutSeconds ?? parts.minRequestTimeoutSeconds * (1 + parts.random.float());
  stream.begin(started, seconds * 1000);
}

/** On `/watch/…/<name>` and `…/<name>?watch`: the name is one more term of the field selector. */
function onlyNamed(selection: Selection, name: string): Selection {
  if (selection.name !== undefined && selection.name !== name) throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return { ...selection, name, matches: (entry) => nameOf(entry) === name && selection.matches(entry) };
}

function nameOf(entry: Entry): string {
  return entry.key.slice(entry.key.indexOf('/') + 1);
}

/** An empty object of the kind that carries nothing but the revision (and the mark that the initial state is complete). */
function bookmarkEntry(exchange: Exchange, { row, hub }: Resource, revision: number, endOfInitialEvents: boolean): Entry {
  const annotations = endOfInitialEvents ? { annotations: { [INITIAL_EVENTS_END[exchange.dialect]]: 'true' } } : {};
  const body = codecOf(hub).encodeBody({ metadata: { resourceVersion: String(revision), ...annotations } });
  return {
    key: '',
    revision,
    bytes: Buffer.from(body),
    labels: {},
    fields: freshFields(row),
    dialectSensitive: false,
  };
}
