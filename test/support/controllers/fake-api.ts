/**
 * An in-memory API server behind the client's transport: create, read, write, delete, paged lists and watches, with one
 * counter of resource versions. It knows no kinds, validates nothing, and is only as exact as clients require; tests
 * inject the failures.
 */
import { FENCE_HEADER, isFenceInForce, parseFence } from '../../../shared/api/identity/fencing';
import { INITIAL_EVENTS_END } from '../../../shared/names/dialect';
import { mergeObject } from '../../../shared/patch/merge-patch';
import { arrayAt, cloneJson, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from '../../../shared/client/transport/transport';

const NAMESPACES = '/api/v1/namespaces';

interface Change {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly collection: string;
  readonly object: JsonObject;
}

/** What the path of a request names. */
interface Address {
  /** `/api/v1/configmaps`, without the namespace. */
  readonly collection: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly query: URLSearchParams;
}

interface Stream {
  readonly address: Address;
  /** What the stream sends next, in order: `undefined` ends the stream, an Error breaks it. */
  readonly lines: (Buffer | Error | undefined)[];
  /** Makes the reader check `lines` again. */
  wake(): void;
}

/** A response, a failure of the connection, or `undefined` when the server shall respond. */
export type Interception = TransportResponse | Error | undefined | Promise<TransportResponse | Error | undefined>;

export class FakeApi implements Transport {
  /** All requests in order, with their queries: `GET /api/v1/configmaps?limit=500`. */
  readonly requests: string[] = [];
  /** Called for each request; see {@link Interception}. */
  intercept: (request: TransportRequest) => Interception = () => undefined;
  /** The newest resource version. Starts above 0, so that a test can compact earlier ones. */
  version = 100;
  /** Whether `sendInitialEvents` is supported. */
  supportsStreamingLists = false;

  /** By `collection|namespace|name`. */
  private readonly objects = new Map<string, JsonObject>();
  private readonly changes: Change[] = [];
  private readonly streams = new Set<Stream>();
  /** The objects of lists, from which further pages are read; by `version/collection/namespace`. */
  private readonly snapshots = new Map<string, readonly JsonObject[]>();
  private readonly heldCollections = new Set<string>();
  private compactedVersion = 0;
  /** The number of uids assigned so far. */
  private uids = 0;

  async send(request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    this.requests.push(`${request.method} ${request.path}`);
    const intercepted = await this.intercept(request);
    if (intercepted instanceof Error) throw intercepted;
    if (intercepted !== undefined) return intercepted;
    const refusal = request.method === 'GET' ? undefined : this.checkFence(request);
    return refusal ?? this.respond(request);
  }

  close(): void {
    this.cutWatches();
  }

  // Changes by the test, without a request.

  /** Creates or replaces. `collection` is `/api/v1/configmaps`. */
  put(collection: string, object: JsonObject): JsonObject {
    const key = keyOf(collection, object);
    return this.storeObject(key, collection, object, this.objects.get(key));
  }

  remove(collection: string, namespace: string, name: string): void {
    const key = `${collection}|${namespace}|${name}`;
    const existing = this.objects.get(key);
    if (existing !== undefined) this.deleteObject(key, collection, existing);
  }

  get(collection: string, namespace: string, name: string): JsonObject | undefined {
    return this.objects.get(`${collection}|${namespace}|${name}`);
  }

  /** The objects of a collection in the order of their keys; of all namespaces by default. */
  objectsIn(collection: string, namespace = ''): readonly JsonObject[] {
    const prefix = namespace === '' ? `${collection}|` : `${collection}|${namespace}|`;
    return [...this.objects]
      .filter(([key]) => key.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => object);
  }

  /** Watches of the collection deliver nothing until they are released, cut or ended. */
  holdWatches(collection: string): void {
    this.heldCollections.add(collection);
  }

  releaseWatches(collection: string): void {
    this.heldCollections.delete(collection);
    for (const stream of this.streams) if (stream.address.collection === collection) stream.wake();
  }

  /** Breaks all watches with a connection error. */
  cutWatches(): void {
    for (const stream of this.streams) this.push(stream, new ConnectionError('cut', { wasSent: true }));
  }

  /** Ends all watches regularly. */
  endWatches(): void {
    for (const stream of this.streams) this.push(stream, undefined);
  }

  /** Drops the history: lists and watches that begin at an older version get 410. Open watches continue. */
  compact(): void {
    this.compactedVersion = this.version;
    this.snapshots.clear();
  }

  /** Sends a bookmark with a new resource version to all watches. */
  bookmark(): void {
    this.version += 1;
    const object = { metadata: { resourceVersion: String(this.version) } };
    for (const stream of this.streams) this.push(stream, eventLine('BOOKMARK', object));
  }

  get watchCount(): number {
    return this.streams.size;
  }

  private respond(request: TransportRequest): TransportResponse {
    const address = addressOf(request.path);
    const key = `${address.collection}|${address.namespace}|${address.name}`;
    const body: JsonObject = request.body === undefined ? {} : JSON.parse(request.body.toString('utf8'));
    switch (request.method) {
      case 'GET':
        if (address.query.get('watch') === '1') return this.watch(address, request.signal);
        return address.name === '' ? this.list(address) : objectOrNotFound(this.objects.get(key));
      case 'POST': {
        const metadata = objectAt(body, 'metadata') ?? {};
        const name = stringAt(metadata, 'name') ?? `${stringAt(metadata, 'generateName') ?? ''}${this.uids + 1}`;
        body['metadata'] = { ...metadata, name };
        if (this.objects.has(key + name)) return statusResponse(409, 'AlreadyExists');
        return jsonResponse(201, this.storeObject(key + name, address.collection, body, undefined));
      }
      case 'PUT':
      case 'PATCH': {
        const existing = this.objects.get(key);
        if (existing === undefined) return statusResponse(404, 'NotFound');
        const next = request.method === 'PUT' ? body : mergeObject(existing, body);
        const version = stringAt(objectAt(body, 'metadata'), 'resourceVersion');
        if (version !== undefined && version !== stringAt(objectAt(existing, 'metadata'), 'resourceVersion'))
          return statusResponse(409, 'Conflict');
        return jsonResponse(200, this.deleteIfFinalized(key, address, this.storeObject(key, address.collection, next, existing)));
      }
      case 'DELETE':
        if (address.name !== '') return this.handleDelete(key, address.collection);
        for (const object of this.selectedObjects(address)) this.handleDelete(keyOf(address.collection, object), address.collection);
        return jsonResponse(200, { kind: 'List', items: [] });
    }
  }

  /** The rejection of a write with a fence that is no longer in force; `undefined` when the write is admitted. */
  private checkFence(request: TransportRequest): TransportResponse | undefined {
    const text = request.headers[FENCE_HEADER];
    if (typeof text !== 'string') return undefined;
    const fence = parseFence(text);
    if (fence === undefined) return statusResponse(400, 'BadRequest');
    const lease = [...this.objects].find(([key]) => key.endsWith(`/leases|${fence.namespace}|${fence.name}`))?.[1];
    return isFenceInForce(fence, lease) ? undefined : statusResponse(409, 'Conflict');
  }

  /** The objects that a list or a deletion of a collection concerns. */
  private selectedObjects(address: Address): readonly JsonObject[] {
    return this.objectsIn(address.collection, address.namespace).filter((object) => isSelected(address, object));
  }

  private list(address: Address): TransportResponse {
    const limit = Number(address.query.get('limit') ?? 0);
    const token = address.query.get('continue');
    // A token is `version/offset`.
    const [version = '', offset] = token === null ? [String(this.version), 0] : token.split('/');
    if (Number(version) < this.compactedVersion) return statusResponse(410, 'Expired');
    const id = `${version}/${address.collection}/${address.namespace}`;
    const objects = this.snapshots.get(id) ?? this.selectedObjects(address);
    this.snapshots.set(id, objects);
    const start = Number(offset);
    const end = limit > 0 ? start + limit : objects.length;
    const metadata = { resourceVersion: version, ...(end < objects.length ? { continue: `${version}/${end}` } : {}) };
    return jsonResponse(200, { kind: 'List', metadata, items: [...objects.slice(start, end)] });
  }

  private watch(address: Address, signal: AbortSignal | undefined): TransportResponse {
    const isList = address.query.get('sendInitialEvents') === 'true';
    if (isList && !this.supportsStreamingLists) return statusResponse(422, 'Invalid');
    const from = isList ? this.version : Number(address.query.get('resourceVersion'));
    if (from < this.compactedVersion) return statusResponse(410, 'Expired');
    let wake: () => void = () => undefined;
    const stream: Stream = { address, lines: [], wake: () => wake() };
    this.streams.add(stream);
    if (isList) {
      for (const object of this.selectedObjects(address)) this.push(stream, eventLine('ADDED', object));
      const annotations = { [INITIAL_EVENTS_END.platform]: 'true' };
      this.push(stream, eventLine('BOOKMARK', { metadata: { resourceVersion: String(this.version), annotations } }));
    }
    for (const change of this.changes) if (change.version > from) this.offerChange(stream, change);
    const { streams, heldCollections } = this;
    const isEnding = (): boolean => stream.lines.some((item) => item === undefined || item instanceof Error);
    const isHeld = (): boolean => heldCollections.has(address.collection) && !isEnding();
    signal?.addEventListener('abort', () => stream.wake(), { once: true });
    async function* body(): AsyncGenerator<Buffer> {
      try {
        for (;;) {
          signal?.throwIfAborted();
          if (stream.lines.length === 0 || isHeld()) await new Promise<void>((resolve) => (wake = resolve));
          if (stream.lines.length === 0 || isHeld()) continue;
          const next = stream.lines.shift();
          if (next === undefined) return;
          if (next instanceof Error) throw next;
          yield next;
        }
      } finally {
        streams.delete(stream);
      }
    }
    return { status: 200, header: () => undefined, body: body() };
  }

  /** Sends a change to a stream that watches the object. */
  private offerChange(stream: Stream, { type, collection, object }: Change): void {
    const { address } = stream;
    if (collection !== address.collection || !isSelected(address, object)) return;
    if (address.namespace !== '' && stringAt(objectAt(object, 'metadata'), 'namespace') !== address.namespace) return;
    this.push(stream, eventLine(type, object));
  }

  private push(stream: Stream, item: Buffer | Error | undefined): void {
    stream.lines.push(item);
    stream.wake();
  }

  private storeObject(key: string, collection: string, given: JsonObject, existing: JsonObject | undefined): JsonObject {
    this.version += 1;
    const before = objectAt(existing, 'metadata');
    const object = cloneJson(given);
    object['metadata'] = {
      ...objectAt(object, 'metadata'),
      uid: stringAt(before, 'uid') ?? stringAt(objectAt(object, 'metadata'), 'uid') ?? `uid-${++this.uids}`,
      resourceVersion: String(this.version),
    };
    this.objects.set(key, object);
    this.recordChange({ version: this.version, type: existing === undefined ? 'ADDED' : 'MODIFIED', collection, object });
    return object;
  }

  /** Deletes the object if it is being deleted and has no finalizers left; a namespace only after a write of `finalize`. */
  private deleteIfFinalized(key: string, { collection, subresource }: Address, object: JsonObject): JsonObject {
    const metadata = objectAt(object, 'metadata') ?? {};
    if (stringAt(metadata, 'deletionTimestamp') === undefined || hasFinalizers(metadata)) return object;
    if (collection === NAMESPACES && (subresource !== 'finalize' || hasFinalizers(objectAt(object, 'spec')))) return object;
    this.deleteObject(key, collection, object);
    return object;
  }

  /** Deletes an object, or marks it for deletion when it has finalizers or is a namespace. */
  private handleDelete(key: string, collection: string): TransportResponse {
    const existing = this.objects.get(key);
    if (existing === undefined) return statusResponse(404, 'NotFound');
    const metadata = objectAt(existing, 'metadata') ?? {};
    if (collection !== NAMESPACES && !hasFinalizers(metadata)) {
      this.deleteObject(key, collection, existing);
      return jsonResponse(200, { kind: 'Status', status: 'Success' });
    }
    const terminating = { ...existing, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    return jsonResponse(
      200,
      stringAt(metadata, 'deletionTimestamp') === undefined ? this.storeObject(key, collection, terminating, existing) : existing,
    );
  }

  private deleteObject(key: string, collection: string, existing: JsonObject): void {
    this.version += 1;
    this.objects.delete(key);
    const metadata = { ...objectAt(existing, 'metadata'), resourceVersion: String(this.version) };
    this.recordChange({ version: this.version, type: 'DELETED', collection, object: { ...existing, metadata } });
  }

  private recordChange(change: Change): void {
    this.changes.push(change);
    for (const stream of this.streams) this.offerChange(stream, change);
  }
}

/** Parses `/api/v1/namespaces/n/pods/a/status?query` and paths of groups; a namespace itself is an object without one. */
function addressOf(path: string): Address {
  const url = new URL(path, 'http://fake');
  const parts = url.pathname.split('/').slice(1).map(decodeURIComponent);
  const root = `/${parts.splice(0, parts[0] === 'api' ? 2 : 3).join('/')}`;
  const isScoped = parts[0] === 'namespaces' && parts.length > 2 && !['finalize', 'status'].includes(parts[2] ?? '');
  const namespace = isScoped ? (parts[1] ?? '') : '';
  const [resource = '', name = '', subresource = ''] = isScoped ? parts.slice(2) : parts;
  return { collection: `${root}/${resource}`, namespace, name, subresource, query: url.searchParams };
}

/** The key of an object in `objects`. */
function keyOf(collection: string, object: JsonObject): string {
  const metadata = objectAt(object, 'metadata');
  return `${collection}|${stringAt(metadata, 'namespace') ?? ''}|${stringAt(metadata, 'name') ?? ''}`;
}

/** Whether the field selector of the request selects the object. Only one for a name is supported, others select everything. */
function isSelected({ query }: Address, object: JsonObject): boolean {
  const selected = /^metadata\.name=(.*)$/.exec(query.get('fieldSelector') ?? '')?.[1];
  return selected === undefined || stringAt(objectAt(object, 'metadata'), 'name') === selected;
}

/** Whether `finalizers` of a namespace's spec or of metadata is not empty. */
const hasFinalizers = (holder: JsonObject | undefined): boolean => (arrayAt(holder, 'finalizers') ?? []).length > 0;

function eventLine(type: string, object: JsonObject): Buffer {
  return Buffer.from(`${JSON.stringify({ type, object })}\n`);
}

function objectOrNotFound(object: JsonObject | undefined): TransportResponse {
  return object === undefined ? statusResponse(404, 'NotFound') : jsonResponse(200, object);
}

/** The failure of a request, for interceptors that respond in place of the server. */
export function statusResponse(code: number, reason: string, headers: Readonly<Record<string, string>> = {}): TransportResponse {
  return jsonResponse(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message: `fake ${reason}`, code }, headers);
}

/** For interceptors that respond in place of the server. */
export function jsonResponse(code: number, body: JsonObject, headers: Readonly<Record<string, string>> = {}): TransportResponse {
  async function* chunks(): AsyncGenerator<Buffer> {
    yield Buffer.from(JSON.stringify(body));
  }
  return { status: code, header: (name) => headers[name], body: chunks() };
}
