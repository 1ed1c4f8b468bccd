/**
 * Encoders of all representations: what is offloaded to threads, and that YAML and protobuf have the contents of JSON.
 */
import { STORED_KINDS, type KindRow } from '../../../shared/api/kinds';
import type { Dialect } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import type { Entry } from '../../cache/cache';
import { tableConvertor } from '../../printers/table';
import type { Representation } from '../request/negotiation';
import { parseJson } from '../../../shared/serialization';
import { composeYaml } from '../../../shared/serialization/yaml/yaml-document';
import { ChunkPool, createMemorySink } from './byte-sink';
import { Encoders } from './encoders';
import type { IncludeObject } from './encoding-offload';

/** The length of bytes that are parsed at once; longer ones are offloaded. */
const LONGEST = 1_000;

/** The Table row of an object of this kind needs only its metadata. */
const KIND_WITH_METADATA_ROW = 'CustomResourceDefinition';
/** The Table row of an object of this kind needs members outside its metadata. */
const KIND_WITH_OBJECT_ROW = 'Pod';

/** A body longer than LONGEST, with short metadata. */
const longBody = (metadataMembers: string): string =>
  `{"metadata":{"name":"a"${metadataMembers}},"spec":{"text":"${'x'.repeat(LONGEST)}"}}`;

/** Members of metadata with a group name. */
const OWNER_REFERENCE = ',"ownerReferences":[{"apiVersion":"apps.platform.io/v1"}]';

/** A long body with a name after the metadata that is spelled differently in the dialects. */
const WEBHOOK_BODY = longBody('').replace(
  '"spec":{',
  '"spec":{"conversion":{"webhook":{"clientConfig":{"service":{"namespace":"platform-system"}}}},',
);

const entry = (text: string): Entry => ({
  key: 'a',
  revision: 1,
  bytes: Buffer.from(text),
  labels: {},
  fields: {},
  isDialectSensitive: false,
});

const dialectSensitive = (text: string): Entry => ({ ...entry(text), isDialectSensitive: true });

function rowOf(kind: string): KindRow {
  const row = STORED_KINDS.find((candidate) => candidate.kind === kind);
  if (row === undefined) throw new Error(`no kind ${kind}`);
  return row;
}

interface EncodeOptions {
  readonly include?: IncludeObject;
  readonly dialect?: Dialect;
  readonly transform?: Representation['transform'];
}

/** Whether the encoding of a long object as a list item is offloaded, by default in a Table. */
function isOffloaded(
  kind: string,
  object: Entry,
  { include = 'Metadata', dialect = 'platform', transform = 'table' }: EncodeOptions = {},
): boolean {
  const row = rowOf(kind);
  const offload = {
    limits: { bytes: LONGEST },
    needsOffload: (bytes: Uint8Array) => bytes.length > LONGEST,
    encode: () => Promise.resolve({ body: Buffer.of() }),
  };
  const encoders = new Encoders({ table: tableConvertor, clock: systemClock, naming: 'platform', offload });
  const wanted = { media: 'json', transform, metaVersion: 'v1', dialect: undefined, pretty: false } as const;
  return encoders.prepareItem({ row, wanted, names: { dialect, alias: undefined }, include }, object) !== undefined;
}

describe('the offloading of long objects', () => {
  test('leaves out the Table row when only the metadata is read', () => {
    expect(isOffloaded(KIND_WITH_METADATA_ROW, entry(longBody('')))).toBe(false);
  });

  test('includes the Table row when more than the metadata is read', () => {
    expect(isOffloaded(KIND_WITH_OBJECT_ROW, entry(longBody('')))).toBe(true);
  });

  test('includes the Table row of long metadata', () => {
    const text = longBody(`,"annotations":{"a":"${'x'.repeat(LONGEST)}"}`);
    expect(isOffloaded(KIND_WITH_METADATA_ROW, entry(text))).toBe(true);
  });

  // Only the bytes that the encoder parses count: the metadata in each case. Even the transform `none` copies the rest,
  // because the spec has no names to convert.
  test.each<[string, EncodeOptions]>([
    ['Table row without the object', {}],
    ['metadata', { transform: 'partialList' }],
    ['JSON', { transform: 'none' }],
  ])('leaves out the conversion of group names in short metadata for the %s', (_title, options) => {
    const owned = dialectSensitive(longBody(OWNER_REFERENCE));
    expect(isOffloaded(KIND_WITH_METADATA_ROW, owned, { dialect: 'kubernetes', ...options })).toBe(false);
  });

  test.each([
    ['includes', 'a conversion of names after the metadata', dialectSensitive(WEBHOOK_BODY), 'none', true],
    ['leaves out', 'a Table row of metadata, whose names are all in the metadata', dialectSensitive(WEBHOOK_BODY), 'table', false],
    ['leaves out', 'an object whose names are spelled alike in both dialects', entry(WEBHOOK_BODY), 'none', false],
  ] as const)('%s %s', (_verb, _title, object, transform, expected) => {
    expect(isOffloaded(KIND_WITH_METADATA_ROW, object, { dialect: 'kubernetes', transform })).toBe(expected);
  });

  test.each([
    ['group names in another dialect', 'kubernetes', dialectSensitive(longBody(OWNER_REFERENCE))],
    ['no names to convert', 'platform', entry(longBody(''))],
  ] as const)('includes the Table row that contains an object with %s', (_title, dialect, object) => {
    expect(isOffloaded(KIND_WITH_METADATA_ROW, object, { dialect, include: 'Object' })).toBe(true);
  });
});

test('an object that is encoded with the policy uncached stays out of the cache', async () => {
  const encoders = new Encoders({ table: tableConvertor, clock: systemClock, naming: 'platform' });
  const wanted = { media: 'json', transform: 'none', metaVersion: 'v1', dialect: undefined, pretty: false } as const;
  const form = { row: rowOf('Lease'), wanted, names: { dialect: 'kubernetes', alias: undefined }, include: 'Metadata' } as const;
  const lease = dialectSensitive('{"metadata":{"name":"a"},"spec":{}}');
  await encoders.object(form, lease, 'uncached');
  expect(encoders.cache.bytes).toBe(0);
  await encoders.object(form, lease, 'cached');
  expect(encoders.cache.bytes).toBeGreaterThan(0);
});

test('ProtobufEncoder writes the items of a long list one by one, so that the event loop can be yielded between them', () => {
  // The texts of the shortest item: its name, and the key and value of its data.
  const MIN_ITEM_BYTES = 'a0'.length + 'a'.length + 'b'.length;
  const row = rowOf('ConfigMap');
  const encoders = new Encoders({ table: tableConvertor, clock: systemClock, naming: 'platform' });
  const wanted = { media: 'protobuf', transform: 'none', metaVersion: 'v1', dialect: undefined, pretty: false } as const;
  const entries = Array.from({ length: 1_200 }, (_, index) => ({
    ...entry(`{"metadata":{"name":"a${index}"},"data":{"a":"b"}}`),
    key: `a${index}`,
  }));
  const encoder = encoders.encoderFor({ row, wanted, names: { dialect: 'platform', alias: undefined }, include: 'None' });
  const list = encoder.list({ revision: 7, entries });
  const { sink } = createMemorySink(new ChunkPool());
  const added = (write: () => void): number => {
    const before = sink.length;
    write();
    return sink.length - before;
  };

  for (const item of entries) list.measure?.(item);
  const start = added(() => list.start(sink));
  const items = entries.map((item) => added(() => list.item(sink, item)));
  const end = added(() => list.end(sink));

  expect(Math.min(...items)).toBeGreaterThan(MIN_ITEM_BYTES);
  expect(Math.max(start, end)).toBeLessThan(100);
});

describe('YamlEncoder', () => {
  const encoders = new Encoders({ table: tableConvertor, clock: new ManualClock(), naming: 'platform' });
  const encodeList = (kind: string, wanted: Representation, entries: readonly Entry[]): Buffer => {
    const row = rowOf(kind);
    const { sink, finish } = createMemorySink(new ChunkPool());
    const form = { row, wanted, names: { dialect: 'platform', alias: undefined }, include: 'Metadata' } as const;
    const list = encoders.encoderFor(form).list({ revision: 7, entries });
    list.start(sink);
    for (const item of entries) list.item(sink, item);
    list.end(sink);
    return finish();
  };
  const object = (name: string, matchingPrecedence: number): Entry => ({
    ...entry(`{"metadata":{"name":"${name}"},"spec":{"matchingPrecedence":${matchingPrecedence}}}`),
    key: name,
  });
  const objects = [object('a', 300), object('b', 100), object('c', 200)];

  test.each(
    ['ConfigMap', 'FlowSchema'].flatMap((kind) =>
      (['none', 'partialList', 'table'] as const).flatMap((transform) => [0, 1, 3].map((count) => [kind, transform, count] as const)),
    ),
  )('encodes a list of the kind %s (transform %s, %d items) with the same content as JSON', (kind, transform, count) => {
    const wanted = { transform, metaVersion: 'v1', dialect: undefined, pretty: false } as const;
    const entries = objects.slice(0, count);
    const yaml = encodeList(kind, { ...wanted, media: 'yaml' }, entries).toString();
    const json = encodeList(kind, { ...wanted, media: 'json' }, entries);
    expect(composeYaml(yaml).value).toEqual(parseJson(json).value);
  });
});
