/**
 * OpenAPI documents over HTTP: the index, content negotiation, hashes and caching. The contents of the documents are
 * compared in openapi-contents.test.ts, those of single schemas in documents/.
 */
import { SERVED_KINDS, type KindRow } from '../../shared/api/kinds';
import { groupInDialect } from '../../shared/names/dialect';
import { isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { CORE_DOCUMENT, createDocuments, getDocument, OPENID_DOCUMENTS, readDocument } from '../../test/support/openapi/document-requests';

const clock = new ManualClock();
const openApi = createDocuments({ clock });

describe('/openapi/v3', () => {
  /** The entries of the index by document name. */
  const readIndex = async (): Promise<JsonObject> => objectAt(await readDocument(openApi, '/openapi/v3'), 'paths') ?? {};

  test('is plain text, as upstream sends it', async () => {
    expect((await getDocument(openApi, '/openapi/v3')).headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  test('lists the documents of every group and group version in both spellings', async () => {
    const namesOf = ({ group, version }: KindRow): readonly string[] => {
      if (group === '') return ['api', `api/${version}`];
      const spellings = [group, groupInDialect('kubernetes', group)];
      return spellings.flatMap((name) => [`apis/${name}`, `apis/${name}/${version}`]);
    };
    const names = new Set([...SERVED_KINDS.flatMap(namesOf), 'apis', 'version', ...OPENID_DOCUMENTS]);
    expect(Object.keys(await readIndex())).toEqual([...names].sort());
  });

  test('lists hashed URLs of immutable documents', async () => {
    const entries = await readIndex();
    for (const [name, entry] of Object.entries(entries)) {
      const url = (isObject(entry) ? stringAt(entry, 'serverRelativeURL') : undefined) ?? '';
      const [path = '', query = ''] = url.split('?');
      expect([path, query]).toEqual([`/openapi/v3/${name}`, expect.stringMatching(/^hash=[0-9A-F]{128}$/)]);
      const response = await getDocument(openApi, path, { query });
      expect(response.status).toBe(200);
      expect(response.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'public, immutable', vary: 'Accept' });
      expect(response.headers['etag']).toBe(`"${query.slice('hash='.length)}"`);
      expect(response.headers['expires']).toBe(new Date(clock.now() + 365 * 86_400_000).toUTCString());
    }
  });

  test('forbids caching of a document that is requested without a hash', async () => {
    expect((await getDocument(openApi, CORE_DOCUMENT)).headers['cache-control']).toBe('no-cache, private');
  });

  test('redirects an old hash to the current document', async () => {
    const current = await getDocument(openApi, CORE_DOCUMENT);
    const moved = await getDocument(openApi, CORE_DOCUMENT, { query: 'hash=x&timeout=32s' });
    expect(moved.status).toBe(301);
    expect(moved.body).toHaveLength(0);
    expect(moved.headers['location']).toBe(`${CORE_DOCUMENT}?hash=${String(current.headers['etag']).replaceAll('"', '')}`);
  });

  test('returns 304 for a matching If-None-Match', async () => {
    const etag = String((await getDocument(openApi, CORE_DOCUMENT)).headers['etag']);
    expect(await getDocument(openApi, CORE_DOCUMENT, { ifNoneMatch: etag })).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    expect((await getDocument(openApi, CORE_DOCUMENT, { ifNoneMatch: '"x"' })).status).toBe(200);
  });

  test.each(['/openapi/v3/', '/openapi/v3/nope', '/openapi/v3/apis/coordination.platform.io/v9', '/openapi/v3/api/v1/'])(
    'returns an empty 404 for %s',
    async (path) => {
      expect(await getDocument(openApi, path)).toMatchObject({ status: 404, body: Buffer.alloc(0) });
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
      for (const path of ['/openapi/v2', CORE_DOCUMENT]) {
        expect((await getDocument(openApi, path, { accept })).headers['content-type']).toBe('application/json');
      }
    },
  );

  test.each(['v2', 'v3'])(
    'accepts two names of the protobuf form of %s and responds with the one that is a valid media type',
    async (version) => {
      const path = version === 'v2' ? '/openapi/v2' : CORE_DOCUMENT;
      const name = `application/com.github.proto-openapi.spec.${version}`;
      for (const accept of [`${name}@v1.0+protobuf`, `${name}.v1.0+protobuf, application/json`]) {
        const { status, headers, body } = await getDocument(openApi, path, { accept });
        expect(status).toBe(200);
        expect(headers['content-type']).toBe(`${name}.v1.0+protobuf`);
        expect(headers['etag']).toBe((await getDocument(openApi, path)).headers['etag']);
        // The first field is the version of OpenAPI, behind a tag and a length of one byte each.
        const release = version === 'v2' ? '2.0' : '3.0.0';
        expect(body.subarray(2, 2 + release.length).toString()).toBe(release);
      }
    },
  );

  test.each(['application/xml', 'application/yaml', 'garbage'])('returns an empty 406 for the Accept header %p', async (accept) => {
    for (const path of ['/openapi/v2', CORE_DOCUMENT]) {
      expect(await getDocument(openApi, path, { accept })).toMatchObject({ status: 406, body: Buffer.alloc(0) });
    }
  });

  test('returns 304 for a matching If-None-Match for /openapi/v2', async () => {
    const first = await getDocument(openApi, '/openapi/v2');
    expect(first.headers['etag']).toMatch(/^"[0-9A-F]{128}"$/);
    expect(first.headers['vary']).toEqual(['Accept-Encoding', 'Accept']);
    const second = await getDocument(openApi, '/openapi/v2', { ifNoneMatch: String(first.headers['etag']) });
    expect(second).toMatchObject({ status: 304, body: Buffer.alloc(0) });
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
  const documents = createDocuments({ builtIn: rows, rows: () => rows, clock });
  const countVerbReads = async (): Promise<number> => {
    const before = verbReads;
    await getDocument(documents, CORE_DOCUMENT);
    return verbReads - before;
  };
  expect(await countVerbReads()).toBeGreaterThan(0);
  // Each request extends the time.
  clock.advance(299_000);
  expect(await countVerbReads()).toBe(0);
  clock.advance(299_000);
  expect(await countVerbReads()).toBe(0);
  clock.advance(300_000);
  expect(await countVerbReads()).toBeGreaterThan(0);
});
