/** OpenAPI documents from the parts of the build: equal to rendered ones, and ignored when they are outdated. */
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
/** In a folder that does not exist. */
const missingParts = new PrebuiltParts(`${folder}-not`);
/** A description of every type and member. */
const describeByName = (type: string, member = ''): string => `${type}.${member}`;

beforeAll(() => {
  jest.spyOn(PartThreads.prototype, 'build');
  jest.spyOn(PartThreads.prototype, 'digests');
  buildPrebuiltParts(SERVED_KINDS, describeByName, prebuiltParts);
});
afterAll(() => removeFolder(folder));
beforeEach(() => jest.clearAllMocks());

type Naming = 'platform' | 'kubernetes';

/** The documents of the kinds, with the prebuilt parts of `from`. */
function documentsOf(rows: readonly KindRow[], naming: Naming, from: PrebuiltParts): OpenApiDocuments {
  return createOpenApi({
    builtIn: rows,
    rows: () => rows,
    naming,
    servesOpenId: true,
    clock: new ManualClock(),
    onFailure: () => undefined,
    prebuiltParts: from,
  });
}

async function get(documents: OpenApiDocuments, path: string, media = 'json'): Promise<OpenApiResponse> {
  const version = path.startsWith('/openapi/v2') ? 'v2' : 'v3';
  const accept = media === 'json' ? undefined : `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`;
  const response = await documents.handle({ path, query: '', accept, ifNoneMatch: undefined });
  if (response === undefined) throw new Error(`${path} is not served`);
  return response;
}

/** The names of the documents in the index. */
async function namesIn(documents: OpenApiDocuments): Promise<readonly string[]> {
  const index: JsonValue = JSON.parse((await get(documents, '/openapi/v3')).body.toString());
  return isObject(index) ? Object.keys(objectAt(index, 'paths') ?? {}) : [];
}

/** Numbers of parts and of sets of digests that were built on demand since the start of the test. */
const countBuilds = (): number => jest.mocked(PartThreads.prototype.build).mock.calls.length;
const countDigestJobs = (): number => jest.mocked(PartThreads.prototype.digests).mock.calls.length;

test.each<Naming>(['platform', 'kubernetes'])(
  'all documents are served from prebuilt parts on a server with names as in %s',
  async (naming) => {
    const documents = documentsOf(SERVED_KINDS, naming, prebuiltParts);
    const names = await namesIn(documents);
    // More documents than there are groups.
    expect(names.length).toBeGreaterThan(40);
    for (const path of ['/openapi/v2', ...names.map((name) => `/openapi/v3/${name}`)]) {
      for (const media of ['json', 'protobuf']) expect((await get(documents, path, media)).status).toBe(200);
    }
    expect(countBuilds()).toBe(0);
    expect(countDigestJobs()).toBe(0);
  },
);

test('documents from prebuilt parts equal documents rendered on demand', async () => {
  // Without descriptions, as documents have when they are rendered from sources.
  const folderWithoutDescriptions = temporaryFolder('ready');
  buildPrebuiltParts(SERVED_KINDS, () => undefined, new PrebuiltParts(folderWithoutDescriptions));
  const prebuilt = documentsOf(SERVED_KINDS, 'platform', new PrebuiltParts(folderWithoutDescriptions));
  const rendered = documentsOf(SERVED_KINDS, 'platform', missingParts);
  const names = await namesIn(prebuilt);
  expect(await namesIn(rendered)).toEqual(names);
  for (const path of ['/openapi/v2', ...names.map((name) => `/openapi/v3/${name}`)]) {
    for (const media of ['json', 'protobuf']) {
      const prebuiltResponse = await get(prebuilt, path, media);
      const renderedResponse = await get(rendered, path, media);
      expect(prebuiltResponse.body.equals(renderedResponse.body)).toBe(true);
      expect(prebuiltResponse.headers['etag']).toBe(renderedResponse.headers['etag']);
    }
  }
  expect(countDigestJobs()).toBe(1);
  removeFolder(folderWithoutDescriptions);
});

test('prebuilt parts are ignored when they were built from other kinds', async () => {
  const fewer = SERVED_KINDS.filter(({ resource }) => resource !== 'leases');
  const documents = documentsOf(fewer, 'platform', prebuiltParts);
  expect((await get(documents, '/openapi/v2')).body.toString()).not.toContain('/leases');
  expect(await namesIn(documents)).not.toContain('apis/coordination.platform.io/v1');
  expect(countBuilds()).toBe(1);
  expect(countDigestJobs()).toBe(1);
});

test('a missing prebuilt part is rendered on demand', async () => {
  const partial = temporaryFolder('ready');
  const partsWithoutFiles = new PrebuiltParts(partial);
  // The digest of the v2 document, which has no name.
  partsWithoutFiles.write(SERVED_KINDS, new Map([['platform ', 'digest']]), []);
  expect((await get(documentsOf(SERVED_KINDS, 'platform', partsWithoutFiles), '/openapi/v2')).status).toBe(200);
  expect(countBuilds()).toBe(1);
  removeFolder(partial);
});
