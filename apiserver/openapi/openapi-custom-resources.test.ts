/**
 * The OpenAPI documents of custom resources: exact numbers, failures of single definitions, and which parts and hashes a
 * change affects.
 */
import { gunzipSync } from 'node:zlib';
import { SERVED_KINDS, type KindRow } from '../../shared/api/kinds';
import { memoizeBySource } from '../../shared/runtime/memoize-by-source';
import { objectAt, type JsonObject } from '../../shared/values/json';
import { parseDefinition } from '../../test/support/objects/parse-definition';
import { createDocuments, getDocument, readDocument } from '../../test/support/openapi/document-requests';
import type { OpenApiDocuments } from './openapi-document';
import type { PartFailure } from './parts/parts';

/** The row of a custom kind with this schema. */
const rowOf = (plural: string, schema: JsonObject): KindRow => {
  const names = { plural, singular: plural, kind: `K${plural}`, listKind: `K${plural}List` };
  const { rows } = parseDefinition({
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      names,
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
    status: { acceptedNames: names, conditions: [{ type: 'Established', status: 'True' }] },
  });
  const [row] = rows;
  if (row === undefined) throw new Error('no row');
  return row;
};

/** The row with another text of its schema. */
const withText = (row: KindRow, schemaText: () => Buffer): KindRow => {
  if (row.custom === undefined) throw new Error('no custom kind');
  return { ...row, custom: { ...row.custom, schemaText } };
};

/** The documents of the built-in kinds and of the custom ones that `custom` returns. */
const documentsWith = (custom: () => readonly KindRow[], onFailure: (failure: PartFailure) => void = () => undefined): OpenApiDocuments => {
  const rows = memoizeBySource(custom, (customRows) => [...SERVED_KINDS, ...customRows]);
  return createDocuments({ rows, onFailure });
};

/** A schema with integers that a double cannot represent. */
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

/** The v3 document of the custom kinds. */
const V3_CUSTOM = '/openapi/v3/apis/example.com/v1';

describe('OpenAPI documents of custom resources', () => {
  test.each(['/openapi/v2', V3_CUSTOM])('print integers beyond 2^53 exactly: %s', async (path) => {
    const documents = documentsWith(() => [rowOf('numbers', NUMBERS)]);
    const text = (await getDocument(documents, path)).body.toString();
    expect(text).toContain('"maximum":9223372036854775000,');
    expect(text).toContain('"enum":[9007199254740993,-9223372036854775808]');
    if (path === V3_CUSTOM) expect(text).toContain('"default":9007199254740993');
    const accept = `application/com.github.proto-openapi.spec.${path === V3_CUSTOM ? 'v3' : 'v2'}@v1.0+protobuf`;
    const protobuf = (await getDocument(documents, path, { accept })).body.toString('latin1');
    expect(protobuf).toContain('-9223372036854775808');
  });

  test('omit and report a CustomResourceDefinition that cannot be published, and contain the others', async () => {
    const failures: PartFailure[] = [];
    const broken = withText(rowOf('bads', { type: 'object' }), () => Buffer.from('{'));
    const documents = documentsWith(
      () => [broken, rowOf('goods', { type: 'object' })],
      (failure) => failures.push(failure),
    );
    for (const path of ['/openapi/v2', V3_CUSTOM]) {
      const document = await readDocument(documents, path);
      const names = Object.keys(objectAt(document, 'paths') ?? {}).filter((name) => name.includes('example.com'));
      expect(names.some((name) => name.includes('goods'))).toBe(true);
      expect(names.filter((name) => name.includes('bads'))).toEqual([]);
    }
    // Once for each document.
    const failure = expect.objectContaining({ definition: 'bads.example.com', version: 'v1' });
    expect(failures).toEqual([failure, failure]);
  });

  test('rebuild only the changed part, and change only the hashes of its group version and of v2', async () => {
    /** Number of schemas that were read to build their parts. */
    let reads = 0;
    const counted = (row: KindRow): KindRow =>
      withText(row, () => {
        reads += 1;
        return Buffer.from('{}');
      });
    const others = Array.from({ length: 20 }, (_, index) => counted(rowOf(`others${index}`, { type: 'object' })));
    let custom = [...others, counted(rowOf('changing', { type: 'object' }))];
    const documents = documentsWith(() => custom);
    const hashes = async (): Promise<JsonObject> => objectAt(await readDocument(documents, '/openapi/v3'), 'paths') ?? {};
    const before = await hashes();
    const etag = (await getDocument(documents, '/openapi/v2')).headers['etag'];
    expect(reads).toBe(21);
    custom = [counted(rowOf('changing', { type: 'object', description: 'new' })), ...others];
    const after = await hashes();
    const changed = Object.keys(after).filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]));
    expect(changed).toEqual(['apis/example.com/v1']);
    expect(reads).toBe(21);
    expect((await getDocument(documents, '/openapi/v2')).headers['etag']).not.toBe(etag);
    expect(reads).toBe(22);
  });

  test('have the same hashes for any order of the definitions', async () => {
    let custom = [rowOf('firsts', { type: 'object' }), rowOf('seconds', { type: 'object' })];
    const documents = documentsWith(() => custom);
    const index = await readDocument(documents, '/openapi/v3');
    custom = [...custom].reverse();
    expect(await readDocument(documents, '/openapi/v3')).toEqual(index);
  });

  test('have equal contents with and without gzip', async () => {
    const documents = documentsWith(() => [rowOf('numbers', NUMBERS), rowOf('goods', { type: 'object' })]);
    const plain = await getDocument(documents, '/openapi/v2');
    const gzipped = await getDocument(documents, '/openapi/v2', { acceptsGzip: true });
    expect(gzipped.headers).toMatchObject({ 'content-encoding': 'gzip', etag: plain.headers['etag'] });
    expect(gunzipSync(gzipped.body).equals(plain.body)).toBe(true);
  });
});
