/**
 * An API server in memory behind the client's transport: create, read, write, delete, list in pages and watch, with one counter of
 * versions. It knows no kinds, checks no fields and is only as exact as clients rely on; what a test wants to go wrong, the test makes
 * go wrong.
 */
import { FENCE_HEADER, isFenceInForce, parseFence } from '../../shared/api/identity/fencing';
import { INITIAL_EVENTS_END } from '../../shared/names/dialect';
import { cloneJson, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from '../../shared/client/transport/transport';

interface Change {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly collection: string;
  readonly object: JsonObject;
}

interface Address {
  /** `/api/v1/configmaps`: without the namespace. */
  readonly collection: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly query: URLSearchParams;
}

interface Stream {
  readonly address: Address;
  readonly lines: (Buffer | Error | undefined)[];
  wake(): void;
}

export type Interception = TransportResponse | Error | undefined | Promise<TransportResponse | Error | undefined>;

export class FakeApi implements Transport {
  /** Everything that was asked, in order: `GET /api/v1/configmaps`. */
  readonly requests: string[] = [];
  /** Answers or breaks a request in the server's place. */
  intercept: (request: TransportRequest) => Interception = () => undefined;
  version = 100;
  /** Whether a list can be had as a stream. */
  streamsLists = false;

  private readonly objects = new Map<string, JsonObject>();
  private readonly changes: Change[] = [];
  private readonly streams = new Set<Stream>();
  private readonly snapshots = new Map<string, readonly JsonObject[]>();
  private readonly held = new Set<string>();
  private forgottenUntil = 0;
  private uids = 0;

  async send(request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    this.requests.push(`${request.method} ${request.path}`);
    const intercepted = await this.intercept(request);
    if (intercepted instanceof Error) throw intercepted;
    if (intercepted !== undefined) return intercepted;
    const refusal = request.method === 'GET' ? undefined : this.fenced(request);
    return refusal ?? this.answer(request);
  }

  close(): void {
    this.cutWatches();
  }

  // What tests do behind the clients' back.

  /** Creates or replaces. `collection` is `/api/v1/configmaps`. */
  put(collection: string, object: JsonObject): JsonObject {
    const metadata = objectAt(object, 'metadata') ?? {};
    const key = `${collection}|${stringAt(metadata, 'namespace') ?? ''}|${stringAt(metadata, 'name') ?? ''}`;
    const known = this.objects.get(key);
    return this.store(key, collection, object, known);
  }

  drop(collection: string, namespace: string, name: string): void {
    const key = `${collection}|${namespace}|${name}`;
    const known = this.objects.get(key);
    if (known !== undefined) this.erase(key, collection, known);
  }

  get(collection: string, namespace: string, name: string): JsonObject | undefined {
    return this.objects.get(`${collection}|${namespace}|${name}`);
  }

  all(collection: string, namespace = ''): readonly JsonObject[] {
    return [...this.objects]
      .filter(([key]) => key.startsWith(`${collection}|${namespace}${namespace === '' ? '' : '|'}`))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => object);
  }

  /** Watches of the collection tell nothing until it is released. */
  hold(collection: string): void {
    this.held.add(collection);
  }

  release(collection: string): void {
    this.held.delete(collection);
    for (const stream of this.streams) if (stream.address.collection === collection) stream.wake();
  }

  /** Breaks all watches in the middle. */
  cutWatches(): void {
    for (const stream of this.streams) this.push(stream, new ConnectionError('cut', true));
  }

  /** Ends all watches in order. */
  endWatches(): void {
    for (const stream of this.streams) this.push(stream, undefined);
  }

  /** Forgets the history: older versions are answered with 410, on running watches with an ERROR event. */
  compact(): void {
    this.forgottenUntil = this.version;
    this.snapshots.clear();
  }

  bookmark(): void {
    this.version += 1;
    const object = { metadata: { resourceVersion: String(this.version) } };
    for (const stream of this.streams) this.push(stream, line('BOOKMARK', object));
  }

  get watchCount(): number {
    return this.streams.size;
  }

  private answer(request: TransportRequest): TransportResponse {
    const address = addressOf(request.path);
    const key = `${address.collection}|${address.namespace}|${address.name}`;
    const body: JsonObject = request.body === undefined ? {} : JSON.parse(request.body.toString('utf8'));
    switch (request.method) {
      case 'GET':
        if (address.query.get('watch') === '1') return this.watch(address, request.signal);
        return address.name === '' ? this.list(address) : found(this.objects.get(key));
      case 'POST': {
        const metadata = objectAt(body, 'metadata') ?? {};
        const name = stringAt(metadata, 'name') ?? `${stringAt(metadata, 'generateName') ?? ''}${this.uids + 1}`;
        body['metadata'] = { ...metadata, name };
        if (this.objects.has(key + name)) return status(409, 'AlreadyExists');
        return reply(201, this.store(key + name, address.collection, body, undefined));
      }
      case 'PUT':
      case 'PATCH': {
        const known = this.objects.get(key);
        if (known === undefined) return status(404, 'NotFound');
        const next = request.method === 'PUT' ? body : merge(known, body);
        const version = stringAt(objectAt(body, 'metadata'), 'resourceVersion');
        if (version !== undefined && version !== stringAt(objectAt(known, 'metadata'), 'resourceVersion')) return status(409, 'Conflict');
        return reply(200, this.settle(key, address, this.store(key, address.collection, next, known)));
      }
      case 'DELETE':
        if (address.name !== '') return this.remove(key, address.collection);
        for (const object of this.select(address)) {
          const metadata = objectAt(object, 'metadata') ?? {};
          this.remove(
            `${address.collection}|${stringAt(metadata, 'namespace') ?? ''}|${stringAt(metadata, 'name') ?? ''}`,
            address.collection,
          );
        }
        return reply(200, { kind: 'List', items: [] });
    }
  }

  private fenced(request: TransportRequest): TransportResponse | undefined {
    const text = request.headers[FENCE_HEADER];
    if (typeof text !== 'string') return undefined;
    const fence = parseFence(text);
    if (fence === undefined) return status(400, 'BadRequest');
    const lease = [...this.objects].find(([key]) => key.endsWith(`/leases|${fence.namespace}|${fence.name}`))?.[1];
    return isFenceInForce(fence, lease) ? undefined : status(409, 'Conflict');
  }

  private select({ collection, namespace, query }: Address): readonly JsonObject[] {
    const wanted = /^metadata\.name=(.*)$/.exec(query.get('fieldSelector') ?? '')?.[1];
    return this.all(collection, namespace).filter(
      (object) => wanted === undefined || stringAt(objectAt(object, 'metadata'), 'name') === wanted,
    );
  }

  private list(address: Address): TransportResponse {
    const limit = Number(address.query.get('limit') ?? 0);
    const token = address.query.get('continue');
    const [version, offset] = token === null ? [String(this.version), 0] : [token.split('/')[0] ?? '', Number(token.split('/')[1])];
    if (Number(version) < this.forgottenUntil) return status(410, 'Expired');
    const id = `${version}/${address.collection}/${address.namespace}`;
    const all = this.snapshots.get(id) ?? this.select(address);
    this.snapshots.set(id, all);
    const end = limit > 0 ? offset + limit : all.length;
    const metadata = { resourceVersion: version, ...(end < all.length ? { continue: `${version}/${end}` } : {}) };
    return reply(200, { kind: 'List', metadata, items: [...all.slice(offset, end)] });
  }

  private watch(address: Address, signal: AbortSignal | undefined): TransportResponse {
    const isList = address.query.get('sendInitialEvents') === 'true';
    if (isList && !this.streamsLists) return status(422, 'Invalid');
    const from = isList ? this.version : Number(address.query.get('resourceVersion'));
    if (from < this.forgottenUntil) return status(410, 'Expired');
    let wake: () => void = () => undefined;
    const stream: Stream = { address, lines: [], wake: () => wake() };
    this.streams.add(stream);
    if (isList) {
      for (const object of this.select(address)) this.push(stream, line('ADDED', object));
      const annotations = { [INITIAL_EVENTS_END.platform]: 'true' };
      this.push(stream, line('BOOKMARK', { metadata: { resourceVersion: String(this.version), annotations } }));
    }
    for (const change of this.changes) if (change.version > from) this.offer(stream, change);
    const { streams, held } = this;
    const isHeld = (): boolean => held.has(address.collection) && !stream.lines.some((item) => item === undefined || item instanceof Error);
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

  private offer(stream: Stream, { type, collection, object }: Change): void {
    const { address } = stream;
    const metadata = objectAt(object, 'metadata') ?? {};
    const wanted = /^metadata\.name=(.*)$/.exec(address.query.get('fieldSelector') ?? '')?.[1];
    if (collection !== address.collection) return;
    if (address.namespace !== '' && stringAt(metadata, 'namespace') !== address.namespace) return;
    if (wanted !== undefined && stringAt(metadata, 'name') !== wanted) return;
    this.push(stream, line(type, object));
  }

  private push(stream: Stream, item: Buffer | Error | undefined): void {
    stream.lines.push(item);
    stream.wake();
  }

  private store(key: string, collection: string, given: JsonObject, known: JsonObject | undefined): JsonObject {
    this.version += 1;
    const before = objectAt(known, 'metadata');
    const object = cloneJson(given);
    object['metadata'] = {
      ...objectAt(object, 'metadata'),
      uid: stringAt(before, 'uid') ?? stringAt(objectAt(object, 'metadata'), 'uid') ?? `uid-${++this.uids}`,
      resourceVersion: String(this.version),
    };
    this.objects.set(key, object);
    this.changed({ version: this.version, type: known === undefined ? 'ADDED' : 'MODIFIED', collection, object });
    return object;
  }

  /** Removes what was only kept by a finalizer. */
  private settle(key: string, { collection, subresource }: Address, object: JsonObject): JsonObject {
    const metadata = objectAt(object, 'metadata') ?? {};
    const finalizers = metadata['finalizers'];
    const kept = Array.isArray(finalizers) && finalizers.length > 0;
    const specKept = objectAt(object, 'spec')?.['finalizers'];
    const isNamespace = collection === '/api/v1/namespaces';
    if (stringAt(metadata, 'deletionTimestamp') === undefined || kept) return object;
    if (isNamespace && (subresource !== 'finalize' || (Array.isArray(specKept) && specKept.length > 0))) return object;
    this.erase(key, collection, object);
    return object;
  }

  private remove(key: string, collection: string): TransportResponse {
    const known = this.objects.get(key);
    if (known === undefined) return status(404, 'NotFound');
    const metadata = objectAt(known, 'metadata') ?? {};
    const finalizers = metadata['finalizers'];
    if (collection !== '/api/v1/namespaces' && !(Array.isArray(finalizers) && finalizers.length > 0)) {
      this.erase(key, collection, known);
      return reply(200, { kind: 'Status', status: 'Success' });
    }
    const marked = { ...known, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    return reply(200, stringAt(metadata, 'deletionTimestamp') === undefined ? this.store(key, collection, marked, known) : known);
  }

  private erase(key: string, collection: string, known: JsonObject): void {
    this.version += 1;
    this.objects.delete(key);
    const metadata = { ...objectAt(known, 'metadata'), resourceVersion: String(this.version) };
    this.changed({ version: this.version, type: 'DELETED', collection, object: { ...known, metadata } });
  }

  private changed(change: Change): void {
    this.changes.push(change);
    for (const stream of this.streams) this.offer(stream, change);
  }
}

function addressOf(path: string): Address {
  const url = new URL(path, 'http://fake');
  const parts = url.pathname.split('/').slice(1).map(decodeURIComponent);
  const root = `/${parts.splice(0, parts[0] === 'api' ? 2 : 3).join('/')}`;
  const isScoped = parts[0] === 'namespaces' && parts.length > 2 && !['finalize', 'status'].includes(parts[2] ?? '');
  const namespace = isScoped ? (parts[1] ?? '') : '';
  const [resource = '', name = '', subresource = ''] = isScoped ? parts.slice(2) : parts;
  return { collection: `${root}/${resource}`, namespace, name, subresource, query: url.searchParams };
}

/** RFC 7386. */
function merge(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = { ...target };
  for (const [member, value] of Object.entries(patch)) {
    const known = merged[member];
    if (value === null) delete merged[member];
    else merged[member] = isObject(value) ? merge(isObject(known) ? known : {}, value) : value;
  }
  return merged;
}

function line(type: string, object: JsonObject): Buffer {
  return Buffer.from(`${JSON.stringify({ type, object })}\n`);
}

function found(object: JsonObject | undefined): TransportResponse {
  return object === undefined ? status(404, 'NotFound') : reply(200, object);
}

export function status(code: number, reason: string, headers: Readonly<Record<string, string>> = {}): TransportResponse {
  return reply(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message: `fake ${reason}`, code }, headers);
}

export function reply(code: number, body: JsonObject, headers: Readonly<Record<string, string>> = {}): TransportResponse {
  async function* chunks(): AsyncGenerator<Buffer> {
    yield Buffer.from(JSON.stringify(body));
  }
  return { status: code, header: (name) => headers[name], body: chunks() };
}
