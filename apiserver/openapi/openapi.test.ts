/**
 * The OpenAPI documents over HTTP: their contents for all served kinds, content negotiation, hashes and caching.
 * Contents of single schemas are compared with recordings in other tests of this folder.
 */
import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { SERVED_KINDS, type KindRow } from '../../shared/api/kinds';
import { groupInDialect } from '../../shared/names/dialect';
import { memoizeBySource } from '../../shared/runtime/memoize-by-source';
import { ManualClock } from '../../test/support/clock/manual-clock';
import type { OpenApiResponse, OpenApiDocuments, OpenApiRequest } from './openapi-document';
import { gunzipSync } from 'node:zlib';
import { parseDefinition } from '../../test/support/objects/parse-definition';
import { createOpenApi } from './openapi';
import type { PartFailure } from './parts/parts';

const clock = new ManualClock();
const openApi = createOpenApi({
  builtIn: SERVED_KINDS,
  rows: () => SERVED_KINDS,
  naming: 'platform',
  servesOpenId: true,
  clock,
  onFailure: () => undefined,
});

async function get(path: string, more: Partial<OpenApiRequest> = {}, from: OpenApiDocuments = openApi): Promise<OpenApiResponse> {
  const response = await from.handle({ path, query: '', accept: undefined, ifNoneMatch: undefined, ...more });
  if (response === undefined) throw new Error(`${path} is not served`);
  return response;
}

async function json(path: string, from: OpenApiDocuments = openApi): Promise<JsonObject> {
  const value: JsonValue = JSON.parse((await get(path, {}, from)).body.toString());
  if (!isObject(value)) throw new Error('not an object');
  return value;
}

/** Every `$ref` in a document. */
function references(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([member, item]) => (member === '$ref' && typeof item === 'string' ? [item] : references(item)));
}

function operations(document: JsonObject): JsonObject[] {
  const paths = Object.values(objectAt(document, 'paths') ?? {}).filter((item) => isObject(item));
  return paths.flatMap((item) => ['get', 'put', 'post', 'delete', 'patch'].map((method) => item[method])).filter((item) => isObject(item));
}

const OPENID = ['.well-known/openid-configuration', 'openid/v1/jwks'];
const CORE = '/openapi/v3/api/v1';
const LEASES = '/openapi/v3/apis/coordination.platform.io/v1';

describe('OpenAPI documents', () => {
  test.each(['/openapi/v2', CORE, LEASES])('refer in %s only to its own definitions, and have unique operation ids', async (path) => {
    const document = await json(path);
    const definitions = objectAt(document, 'definitions') ?? objectAt(objectAt(document, 'components'), 'schemas') ?? {};
    const referredNames = new Set(references(document).map((reference) => reference.slice(reference.lastIndexOf('/') + 1)));
    expect([...referredNames].filter((name) => !Object.hasOwn(definitions, name))).toEqual([]);
    const ids = operations(document).map((operation) => stringAt(operation, 'operationId') ?? '');
    // v2 contains paths in both spellings; the operations of both have the same ids.
    const spellings = path === '/openapi/v2' ? 2 : 1;
    expect(ids.length).toBeGreaterThan(5);
    for (const id of new Set(ids)) expect(ids.filter((other) => other === id).length).toBeLessThanOrEqual(spellings);
  });

  test('have an operation for every served verb of every kind', async () => {
    const actions = new Map<string, Set<string>>();
    const documentNames = new Set(SERVED_KINDS.map(({ group, version }) => (group === '' ? `api/${version}` : `apis/${group}/${version}`)));
    const documents = await Promise.all([...documentNames].map((name) => json(`/openapi/v3/${name}`)));
    for (const operation of documents.flatMap(operations)) {
      const kind = stringAt(objectAt(operation, 'x-kubernetes-group-version-kind'), 'kind') ?? '';
      actions.set(kind, (actions.get(kind) ?? new Set()).add(stringAt(operation, 'x-kubernetes-action') ?? ''));
    }
    // The verbs with actions of other names.
    const actionsOfVerb: Readonly<Record<string, readonly string[]>> = { create: ['post'], update: ['put'], watch: ['watch', 'watchlist'] };
    for (const { kind, verbs } of SERVED_KINDS) {
      const expected = verbs.flatMap((verb) => actionsOfVerb[verb] ?? [verb]);
      expect({ kind, actions: [...(actions.get(kind) ?? [])].sort() }).toEqual({ kind, actions: expected.sort() });
    }
  });

  /** kubectl checks for this parameter before it relies on server-side field validation. */
  test('list the parameter fieldValidation for patches', async () => {
    const paths = objectAt(await json(CORE), 'paths');
    const patch = objectAt(objectAt(paths, '/api/v1/namespaces/{namespace}/configmaps/{name}'), 'patch');
    expect(patch?.['parameters']).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'fieldValidation', in: 'query' })]));
    expect(patch?.['x-kubernetes-group-version-kind']).toEqual({ group: '', version: 'v1', kind: 'ConfigMap' });
    expect(Object.keys(objectAt(objectAt(patch, 'requestBody'), 'content') ?? {})).toEqual([
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
    ]);
  });

  /** Upstream's kubectl tests recognize lists and watches in v2 by these words. */
  test.each(['list of returned', 'Watch for changes to the described resources'])(
    'contain the words "%s" in the descriptions of parameters',
    async (words) => {
      expect((await get('/openapi/v2')).body.includes(words)).toBe(true);
    },
  );

  test('have the operation ids of upstream', async () => {
    const ids = operations(await json(CORE)).map((operation) => operation['operationId']);
    for (const id of [
      'listCoreV1NamespacedPod',
      'listCoreV1PodForAllNamespaces',
      'createCoreV1NamespacedPod',
      'deleteCoreV1CollectionNamespacedPod',
      'readCoreV1NamespacedPod',
      'replaceCoreV1NamespacedPodStatus',
      'patchCoreV1Node',
      'replaceCoreV1NamespaceFinalize',
    ]) {
      expect(ids).toContain(id);
    }
  });

  test('spell names in the dialect of their path', async () => {
    const names = async (path: string): Promise<string[]> =>
      Object.keys(objectAt(objectAt(await json(path), 'components'), 'schemas') ?? {});
    expect(await names(LEASES)).toContain('io.platform.api.coordination.v1.Lease');
    expect(await names('/openapi/v3/apis/coordination.k8s.io/v1')).toContain('io.k8s.api.coordination.v1.Lease');
    expect(Object.keys(objectAt(await json('/openapi/v3/apis/coordination.k8s.io/v1'), 'paths') ?? {})).toContain(
      '/apis/coordination.k8s.io/v1/leases',
    );
  });

  test('contain kinds and paths in both spellings in v2', async () => {
    const document = await json('/openapi/v2');
    expect(Object.keys(objectAt(document, 'paths') ?? {})).toEqual(
      expect.arrayContaining(['/api/v1/pods', '/apis/coordination.k8s.io/v1/leases', '/apis/coordination.platform.io/v1/leases']),
    );
    expect(
      objectAt(objectAt(document, 'definitions'), 'io.platform.api.coordination.v1.Lease')?.['x-kubernetes-group-version-kind'],
    ).toEqual([
      { group: 'coordination.platform.io', kind: 'Lease', version: 'v1' },
      { group: 'coordination.k8s.io', kind: 'Lease', version: 'v1' },
    ]);
  });

  test('list DeleteOptions as a kind of every group version', async () => {
    const schemas = objectAt(objectAt(await json(LEASES), 'components'), 'schemas');
    expect(objectAt(schemas, 'io.platform.apimachinery.pkg.apis.meta.v1.DeleteOptions')?.['x-kubernetes-group-version-kind']).toEqual(
      expect.arrayContaining([
        { group: '', kind: 'DeleteOptions', version: 'v1' },
        { group: 'apps', kind: 'DeleteOptions', version: 'v1' },
        { group: 'coordination.platform.io', kind: 'DeleteOptions', version: 'v1' },
      ]),
    );
  });
});

describe('/openapi/v3', () => {
  test('is an index of hashed URLs of immutable documents', async () => {
    const { headers, body } = await get('/openapi/v3');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    const paths: JsonValue = JSON.parse(body.toString());
    if (!isObject(paths)) throw new Error('not an object');
    const entries = objectAt(paths, 'paths') ?? {};
    expect(Object.keys(entries)).toEqual(expect.arrayContaining(['api/v1', 'apis/apps/v1', 'apis/coordination.k8s.io/v1']));
    const spellings = SERVED_KINDS.flatMap(({ group, version }) =>
      group === ''
        ? ['api', `api/${version}`]
        : [group, groupInDialect('kubernetes', group)].flatMap((name) => [`apis/${name}`, `apis/${name}/${version}`]),
    );
    expect(Object.keys(entries)).toEqual([...new Set([...spellings, 'apis', 'version', ...OPENID])].sort());
    for (const [name, entry] of Object.entries(entries)) {
      const url = (isObject(entry) ? stringAt(entry, 'serverRelativeURL') : undefined) ?? '';
      const [path = '', query = ''] = url.split('?');
      expect([path, query]).toEqual([`/openapi/v3/${name}`, expect.stringMatching(/^hash=[0-9A-F]{128}$/)]);
      const response = await get(path, { query });
      expect(response.status).toBe(200);
      expect(response.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'public, immutable', vary: 'Accept' });
      expect(response.headers['etag']).toBe(`"${query.slice('hash='.length)}"`);
      expect(response.headers['expires']).toBe(new Date(clock.now() + 365 * 86_400_000).toUTCString());
    }
  });

  test('redirects an old hash to the current document, and forbids caching without a hash', async () => {
    const plain = await get(CORE);
    expect(plain.headers['cache-control']).toBe('no-cache, private');
    const moved = await get(CORE, { query: 'hash=x&timeout=32s' });
    expect(moved.status).toBe(301);
    expect(moved.body).toHaveLength(0);
    expect(moved.headers['location']).toBe(`${CORE}?hash=${String(plain.headers['etag']).replaceAll('"', '')}`);
  });

  test('returns 304 for a matching If-None-Match', async () => {
    const etag = String((await get(CORE)).headers['etag']);
    expect(await get(CORE, { ifNoneMatch: etag })).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    expect((await get(CORE, { ifNoneMatch: '"x"' })).status).toBe(200);
  });

  test.each(['/openapi/v3/', '/openapi/v3/nope', '/openapi/v3/apis/coordination.platform.io/v9', '/openapi/v3/api/v1/'])(
    'returns an empty 404 for %s',
    async (path) => {
      expect(await get(path)).toMatchObject({ status: 404, body: Buffer.alloc(0) });
    },
  );

  test('leaves other paths to the router', () => {
    for (const path of ['/openapi', '/openapi/v2/', '/openapi/v4']) {
      expect(openApi.handle({ path, query: '', accept: undefined, ifNoneMatch: undefined })).toBeUndefined();
    }
  });
});

describe('content negotiation of OpenAPI documents', () => {
  test.each([undefined, '', '*/*', 'application/json', 'text/html, application/json;q=0.5', 'application/*'])(
    'returns JSON for the Accept header %p',
    async (accept) => {
      for (const path of ['/openapi/v2', CORE]) expect((await get(path, { accept })).headers['content-type']).toBe('application/json');
    },
  );

  test.each(['v2', 'v3'])(
    'accepts two names of the protobuf form of %s and responds with the one that is a valid media type',
    async (version) => {
      const path = version === 'v2' ? '/openapi/v2' : CORE;
      const name = `application/com.github.proto-openapi.spec.${version}`;
      for (const accept of [`${name}@v1.0+protobuf`, `${name}.v1.0+protobuf, application/json`]) {
        const { status, headers, body } = await get(path, { accept });
        expect(status).toBe(200);
        expect(headers['content-type']).toBe(`${name}.v1.0+protobuf`);
        expect(headers['etag']).toBe((await get(path)).headers['etag']);
        // The first field is the version of OpenAPI, behind a tag and a length of one byte each.
        const release = version === 'v2' ? '2.0' : '3.0.0';
        expect(body.subarray(2, 2 + release.length).toString()).toBe(release);
      }
    },
  );

  test.each(['application/xml', 'application/yaml', 'garbage'])('returns an empty 406 for the Accept header %p', async (accept) => {
    for (const path of ['/openapi/v2', CORE]) expect(await get(path, { accept })).toMatchObject({ status: 406, body: Buffer.alloc(0) });
  });

  test('returns 304 for a matching If-None-Match for /openapi/v2', async () => {
    const first = await get('/openapi/v2');
    expect(first.headers['etag']).toMatch(/^"[0-9A-F]{128}"$/);
    expect(first.headers['vary']).toEqual(['Accept-Encoding', 'Accept']);
    expect(await get('/openapi/v2', { ifNoneMatch: String(first.headers['etag']) })).toMatchObject({ status: 304, body: Buffer.alloc(0) });
  });
});

describe('OpenAPI documents of custom resources', () => {
  const rowOf = (plural: string, schema: JsonObject, labels: Readonly<Record<string, JsonValue>> = {}): KindRow => {
    const names = { plural, singular: plural, kind: `K${plural}`, listKind: `K${plural}List` };
    const { rows } = parseDefinition({
      metadata: { name: `${plural}.example.com` },
      spec: {
        group: 'example.com',
        names,
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...labels }],
      },
      status: { acceptedNames: names, conditions: [{ type: 'Established', status: 'True' }] },
    });
    const [row] = rows;
    if (row === undefined) throw new Error('no row');
    return row;
  };
  const withText = (row: KindRow, schemaText: () => Buffer): KindRow => {
    if (row.custom === undefined) throw new Error('no custom kind');
    return { ...row, custom: { ...row.custom, schemaText } };
  };
  /** The documents of the built-in kinds and of the custom ones that `custom` returns. */
  const documents = (custom: () => readonly KindRow[], onFailure: (failure: PartFailure) => void = () => undefined): OpenApiDocuments => {
    const rows = memoizeBySource(custom, (customRows) => [...SERVED_KINDS, ...customRows]);
    return createOpenApi({ builtIn: SERVED_KINDS, rows, naming: 'platform', servesOpenId: true, clock, onFailure });
  };
  const NUMBERS = {
    type: 'object',
    properties: {
      n: {
        type: 'integer',
        maximum: 9223372036854775000n,
        enum: [9007199254740993n, -9223372036854775808n],
        default: 9007199254740993n,
        'x-kubernetes-validations': [],
      },
    },
  };
  const V3_CUSTOM = '/openapi/v3/apis/example.com/v1';

  test.each(['/openapi/v2', V3_CUSTOM])('print integers beyond 2^53 exactly: %s', async (path) => {
    const from = documents(() => [rowOf('numbers', NUMBERS)]);
    const text = (await get(path, {}, from)).body.toString();
    expect(text).toContain('"maximum":9223372036854775000,');
    expect(text).toContain('"enum":[9007199254740993,-9223372036854775808]');
    if (path === V3_CUSTOM) expect(text).toContain('"default":9007199254740993');
    const protobuf = `application/com.github.proto-openapi.spec.${path === V3_CUSTOM ? 'v3' : 'v2'}@v1.0+protobuf`;
    expect((await get(path, { accept: protobuf }, from)).body.toString('latin1')).toContain('-9223372036854775808');
  });

  test('leave out and report a CustomResourceDefinition that cannot be published, and keep the others', async () => {
    const failures: PartFailure[] = [];
    const bad = rowOf('bads', { type: 'object' });
    const broken = withText(bad, () => Buffer.from('{'));
    const from = documents(
      () => [broken, rowOf('goods', { type: 'object' })],
      (failure) => failures.push(failure),
    );
    for (const path of ['/openapi/v2', V3_CUSTOM]) {
      const document = await json(path, from);
      const names = Object.keys(objectAt(document, 'paths') ?? {}).filter((name) => name.includes('example.com'));
      expect(names.some((name) => name.includes('goods'))).toBe(true);
      expect(names.filter((name) => name.includes('bads'))).toEqual([]);
    }
    // Once for each document.
    const failure = expect.objectContaining({ definition: 'bads.example.com', version: 'v1' });
    expect(failures).toEqual([failure, failure]);
  });

  test('rebuild only the changed part, and change only the hashes of its group version and of v2', async () => {
    let reads = 0;
    const counted = (row: KindRow): KindRow => withText(row, () => ((reads += 1), Buffer.from('{}')));
    const others = Array.from({ length: 20 }, (_, index) => counted(rowOf(`others${index}`, { type: 'object' })));
    let custom = [...others, counted(rowOf('changing', { type: 'object' }))];
    const from = documents(() => custom);
    const hashes = async (): Promise<JsonObject> => objectAt(await json('/openapi/v3', from), 'paths') ?? {};
    const before = await hashes();
    const etag = (await get('/openapi/v2', {}, from)).headers['etag'];
    expect(reads).toBe(21);
    custom = [counted(rowOf('changing', { type: 'object', description: 'new' })), ...others];
    const after = await hashes();
    expect(Object.keys(after).filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]))).toEqual([
      'apis/example.com/v1',
    ]);
    expect(reads).toBe(21);
    expect((await get('/openapi/v2', {}, from)).headers['etag']).not.toBe(etag);
    expect(reads).toBe(22);
    // Regardless of the order of the definitions.
    custom = [...custom].reverse();
    expect(await hashes()).toEqual(after);
  });

  test('have equal contents with and without gzip', async () => {
    const from = documents(() => [rowOf('numbers', NUMBERS), rowOf('goods', { type: 'object' })]);
    const plain = await get('/openapi/v2', {}, from);
    const gzipped = await get('/openapi/v2', { acceptsGzip: true }, from);
    expect(gzipped.headers).toMatchObject({ 'content-encoding': 'gzip', etag: plain.headers['etag'] });
    expect(gunzipSync(gzipped.body).equals(plain.body)).toBe(true);
  });
});

test('an OpenAPI document is cached while it is requested, and evicted after five minutes', async () => {
  let verbReads = 0;
  const [first] = SERVED_KINDS;
  if (first === undefined) throw new Error('no kinds');
  const counting = new Proxy(first, {
    get(row: KindRow, member) {
      // A document is built from the verbs of its kinds.
      if (member === 'verbs') verbReads += 1;
      return Reflect.get(row, member);
    },
  });
  const rows = [counting];
  const documents = createOpenApi({
    builtIn: rows,
    rows: () => rows,
    naming: 'platform',
    servesOpenId: true,
    clock,
    onFailure: () => undefined,
  });
  const countVerbReads = async (): Promise<number> => {
    const before = verbReads;
    await get(CORE, {}, documents);
    return verbReads - before;
  };
  expect(await countVerbReads()).toBeGreaterThan(0);
  clock.advance(299_000);
  expect(await countVerbReads()).toBe(0);
  clock.advance(299_000);
  expect(await countVerbReads()).toBe(0);
  clock.advance(300_000);
  expect(await countVerbReads()).toBeGreaterThan(0);
});

describe('OpenAPI paths of the OpenID discovery documents', () => {
  test.each(OPENID)('contain %s in v2 and v3 when it is served', async (name) => {
    const path = `/${name}/`;
    expect(Object.keys(objectAt(await json(`/openapi/v3/${name}`), 'paths') ?? {})).toEqual([path]);
    expect(objectAt(objectAt(await json('/openapi/v2'), 'paths'), path)).toHaveProperty('get.responses.200.schema', { type: 'string' });
    for (const version of ['v2', `v3/${name}`]) {
      const accept = `application/com.github.proto-openapi.spec.${version.slice(0, 2)}@v1.0+protobuf`;
      expect((await get(`/openapi/${version}`, { accept })).body.includes(path)).toBe(true);
    }
  });

  test('are absent when the documents are not served', async () => {
    const without = createOpenApi({
      builtIn: SERVED_KINDS,
      rows: () => SERVED_KINDS,
      naming: 'platform',
      servesOpenId: false,
      clock,
      onFailure: () => undefined,
    });
    expect(Object.keys(objectAt(await json('/openapi/v3', without), 'paths') ?? {})).not.toEqual(expect.arrayContaining(OPENID));
    expect((await get('/openapi/v3/openid/v1/jwks', {}, without)).status).toBe(404);
    const paths = Object.keys(objectAt(await json('/openapi/v2', without), 'paths') ?? {});
    expect(paths.filter((path) => path.includes('openid'))).toEqual([]);
    expect((await get('/openapi/v2', {}, without)).headers['etag']).not.toBe((await get('/openapi/v2')).headers['etag']);
  });
});
