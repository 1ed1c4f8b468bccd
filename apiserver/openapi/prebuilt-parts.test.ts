import { SERVED_KINDS, type KindRow } from '../../shared/api/kinds';
import { isObject, objectAt, type JsonValue } from '../../shared/values/json';
import { ManualClock } from '../../test/support/manual-clock';
import { removeFolder, temporaryFolder } from '../../test/support/programs';
import { makeReady } from './generate/prebuild';
import { createOpenApi } from './openapi';
import type { OpenApiAnswer, OpenApiDocuments } from './openapi-document';
import { PartThreads } from './part-threads';
import { ReadyParts } from './prebuilt-parts';

const folder = temporaryFolder('ready');
const ready = new ReadyParts(folder);
const nothing = new ReadyParts(`${folder}-not`);
const texts = (type: string, member = ''): string => `${type}.${member}`;

beforeAll(() => {
  jest.spyOn(PartThreads.prototype, 'make');
  jest.spyOn(PartThreads.prototype, 'digests');
  makeReady(SERVED_KINDS, texts, ready);
});
afterAll(() => removeFolder(folder));
beforeEach(() => jest.clearAllMocks());

type Naming = 'platform' | 'kubernetes';

function documentsOf(rows: readonly KindRow[], naming: Naming, from: ReadyParts): OpenApiDocuments {
  return createOpenApi({
    builtIn: rows,
    rows: () => rows,
    naming,
    openId: true,
    clock: new ManualClock(),
    failed: () => undefined,
    ready: from,
  });
}

async function get(documents: OpenApiDocuments, path: string, media = 'json'): Promise<OpenApiAnswer> {
  const accept = media === 'json' ? undefined : `application/com.github.proto-openapi.spec.${path.slice(9, 11)}.v1.0+protobuf`;
  const answer = await documents.handle({ path, query: '', accept, ifNoneMatch: undefined });
  if (answer === undefined) throw new Error(`${path} is not served`);
  return answer;
}

async function namesIn(documents: OpenApiDocuments): Promise<readonly string[]> {
  const index: JsonValue = JSON.parse((await get(documents, '/openapi/v3')).body.toString());
  return isObject(index) ? Object.keys(objectAt(index, 'paths') ?? {}) : [];
}

const made = (): number => jest.mocked(PartThreads.prototype.make).mock.calls.length;
const digested = (): number => jest.mocked(PartThreads.prototype.digests).mock.calls.length;

test.each<Naming>(['platform', 'kubernetes'])(
  'documents are served from ready parts without rendering any kind, named as in %s',
  async (naming) => {
    const documents = documentsOf(SERVED_KINDS, naming, ready);
    const names = await namesIn(documents);
    expect(names.length).toBeGreaterThan(40);
    for (const path of ['/openapi/v2', ...names.map((name) => `/openapi/v3/${name}`)]) {
      for (const media of ['json', 'protobuf']) expect((await get(documents, path, media)).status).toBe(200);
    }
    expect([made(), digested()]).toEqual([0, 0]);
  },
);

test('documents from ready parts equal rendered ones', async () => {
  const bare = temporaryFolder('ready');
  makeReady(SERVED_KINDS, () => undefined, new ReadyParts(bare));
  const [from, without] = [documentsOf(SERVED_KINDS, 'platform', new ReadyParts(bare)), documentsOf(SERVED_KINDS, 'platform', nothing)];
  const names = await namesIn(from);
  expect(await namesIn(without)).toEqual(names);
  for (const path of ['/openapi/v2', ...names.map((name) => `/openapi/v3/${name}`)]) {
    for (const media of ['json', 'protobuf']) {
      const [answer, other] = [await get(from, path, media), await get(without, path, media)];
      expect(answer.body.equals(other.body)).toBe(true);
      expect(answer.headers['etag']).toBe(other.headers['etag']);
    }
  }
  expect(digested()).toBe(1);
  removeFolder(bare);
});

test('ready parts are ignored when they were made of other kinds', async () => {
  const fewer = SERVED_KINDS.filter(({ resource }) => resource !== 'leases');
  const documents = documentsOf(fewer, 'platform', ready);
  expect((await get(documents, '/openapi/v2')).body.toString()).not.toContain('/leases');
  expect(await namesIn(documents)).not.toContain('apis/coordination.platform.io/v1');
  expect([made(), digested()]).toEqual([1, 1]);
});

test('a missing ready part is rendered', async () => {
  const partial = temporaryFolder('ready');
  const few = new ReadyParts(partial);
  few.write(SERVED_KINDS, new Map([['platform ', 'digest']]), []);
  expect((await get(documentsOf(SERVED_KINDS, 'platform', few), '/openapi/v2')).status).toBe(200);
  expect(made()).toBe(1);
  removeFolder(partial);
});
