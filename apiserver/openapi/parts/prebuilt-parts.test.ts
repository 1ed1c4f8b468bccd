import { SERVED_KINDS, type KindRow } from '../../../shared/api/kinds';
import { isObject, objectAt, type JsonValue } from '../../../shared/values/json';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { removeFolder, temporaryFolder } from '../../../test/support/programs';
import { buildPrebuiltParts } from '../generate/prebuild';
import { createOpenApi } from '../openapi';
import type { OpenApiResponse, OpenApiDocuments } from '../openapi-document';
import { PartThreads } from './part-threads';
import { PrebuiltParts } from './prebuilt-parts';

const folder = temporaryFolder('ready');
const prebuiltParts = new PrebuiltParts(folder);
const nothing = new PrebuiltParts(`${folder}-not`);
const texts = (type: string, member = ''): string => `${type}.${member}`;

beforeAll(() => {
  jest.spyOn(PartThreads.prototype, 'build');
  jest.spyOn(PartThreads.prototype, 'digests');
  buildPrebuiltParts(SERVED_KINDS, texts, prebuiltParts);
});
afterAll(() => removeFolder(folder));
beforeEach(() => jest.clearAllMocks());

type Naming = 'platform' | 'kubernetes';

function documentsOf(rows: readonly KindRow[], naming: Naming, from: PrebuiltParts): OpenApiDocuments {
  return createOpenApi({
    builtIn: rows,
    rows: () => rows,
    naming,
    openId: true,
    clock: new ManualClock(),
    failed: () => undefined,
    prebuiltParts: from,
  });
}

async function get(documents: OpenApiDocuments, path: string, media = 'json'): Promise<OpenApiResponse> {
  const accept = media === 'json' ? undefined : `application/com.github.proto-openapi.spec.${path.slice(9, 11)}.v1.0+protobuf`;
  const answer = await documents.handle({ path, query: '', accept, ifNoneMatch: undefined });
  if (answer === undefined) throw new Error(`${path} is not served`);
  return answer;
}

async function namesIn(documents: OpenApiDocuments): Promise<readonly string[]> {
  const index: JsonValue = JSON.parse((await get(documents, '/openapi/v3')).body.toString());
  return isObject(index) ? Object.keys(objectAt(index, 'paths') ?? {}) : [];
}

const countBuilds = (): number => jest.mocked(PartThreads.prototype.build).mock.calls.length;
const countDigestJobs = (): number => jest.mocked(PartThreads.prototype.digests).mock.calls.length;

test.each<Naming>(['platform', 'kubernetes'])(
  'documents are served from prebuilt parts without rendering any kind, named as in %s',
  async (naming) => {
    const documents = documentsOf(SERVED_KINDS, naming, prebuiltParts);
    const names = await namesIn(documents);
    expect(names.length).toBeGreaterThan(40);
    for (const path of ['/openapi/v2', ...names.map((name) => `/openapi/v3/${name}`)]) {
      for (const media of ['json', 'protobuf']) expect((await get(documents, path, media)).status).toBe(200);
    }
    expect([countBuilds(), countDigestJobs()]).toEqual([0, 0]);
  },
);

test('documents from prebuilt parts equal documents rendered on demand', async () => {
  const bare = temporaryFolder('ready');
  buildPrebuiltParts(SERVED_KINDS, () => undefined, new PrebuiltParts(bare));
  const from = documentsOf(SERVED_KINDS, 'platform', new PrebuiltParts(bare));
  const without = documentsOf(SERVED_KINDS, 'platform', nothing);
  const names = await namesIn(from);
  expect(await namesIn(without)).toEqual(names);
  for (const path of ['/openapi/v2', ...names.map((name) => `/openapi/v3/${name}`)]) {
    for (const media of ['json', 'protobuf']) {
      const answer = await get(from, path, media);
      const other = await get(without, path, media);
      expect(answer.body.equals(other.body)).toBe(true);
      expect(answer.headers['etag']).toBe(other.headers['etag']);
    }
  }
  expect(countDigestJobs()).toBe(1);
  removeFolder(bare);
});

test('prebuilt parts are ignored when they were built from other kinds', async () => {
  const fewer = SERVED_KINDS.filter(({ resource }) => resource !== 'leases');
  const documents = documentsOf(fewer, 'platform', prebuiltParts);
  expect((await get(documents, '/openapi/v2')).body.toString()).not.toContain('/leases');
  expect(await namesIn(documents)).not.toContain('apis/coordination.platform.io/v1');
  expect([countBuilds(), countDigestJobs()]).toEqual([1, 1]);
});

test('a missing prebuilt part is rendered on demand', async () => {
  const partial = temporaryFolder('ready');
  const few = new PrebuiltParts(partial);
  few.write(SERVED_KINDS, new Map([['platform ', 'digest']]), []);
  expect((await get(documentsOf(SERVED_KINDS, 'platform', few), '/openapi/v2')).status).toBe(200);
  expect(countBuilds()).toBe(1);
  removeFolder(partial);
});
