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
import type { IncludeObject } from './table-encoder';

const LONGEST = 1_000;

/** A body longer than LONGEST, with short metadata. */
const longBody = (metadataMembers: string): string =>
  `{"metadata":{"name":"a"${metadataMembers}},"spec":{"text":"${'x'.repeat(LONGEST)}"}}`;

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
  shown: Entry,
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
  return encoders.prepareItem({ row, wanted, names: { dialect, alias: undefined }, include }, shown) !== undefined;
}

it('Encoders encode the Table row of a long object at once when only its metadata is read', () => {
  expect(isOffloaded('CustomResourceDefinition', entry(longBody('')))).toBe(false);
});

it('Encoders offload the Table row of a long object when more than its metadata is read', () => {
  expect(isOffloaded('Pod', entry(longBody('')))).toBe(true);
});

it.each<[string, EncodeOptions, boolean]>([
  ['do not offload a Table row of its metadata', {}, false],
  ['do not offload its metadata', { transform: 'partialList' }, false],
  ['do not offload the whole object', { transform: 'none' }, false],
  ['offload a Table row with the whole object', { include: 'Object' }, true],
])('Encoders of an object with group names in its short metadata, in another dialect, %s', (_title, options, expected) => {
  const shown = dialectSensitive(longBody(',"ownerReferences":[{"apiVersion":"apps.platform.io/v1"}]'));
  expect(isOffloaded('CustomResourceDefinition', shown, { dialect: 'kubernetes', ...options })).toBe(expected);
});

it('Encoders offload a long object with names after the metadata that are spelled differently in the dialect', () => {
  const text = longBody('').replace(
    '"spec":{',
    '"spec":{"conversion":{"webhook":{"clientConfig":{"service":{"namespace":"platform-system"}}}},',
  );
  expect(isOffloaded('CustomResourceDefinition', dialectSensitive(text), { dialect: 'kubernetes', transform: 'none' })).toBe(true);
  expect(isOffloaded('CustomResourceDefinition', dialectSensitive(text), { dialect: 'kubernetes' })).toBe(false);
  expect(isOffloaded('CustomResourceDefinition', entry(text), { dialect: 'kubernetes', transform: 'none' })).toBe(false);
});

it('Encoders offload a Table row that includes the object, or has long metadata', () => {
  expect(isOffloaded('CustomResourceDefinition', entry(longBody('')), { include: 'Object' })).toBe(true);
  const long = longBody(`,"annotations":{"a":"${'x'.repeat(LONGEST)}"}`);
  expect(isOffloaded('CustomResourceDefinition', entry(long))).toBe(true);
});

it('ProtobufEncoder writes the items of a long list one by one, so that the event loop can be yielded between them', () => {
  const row = rowOf('ConfigMap');
  const encoders = new Encoders({ table: tableConvertor, clock: systemClock, naming: 'platform' });
  const wanted = { media: 'protobuf', transform: 'none', metaVersion: 'v1', dialect: undefined, pretty: false } as const;
  const entries = Array.from({ length: 1_200 }, (_, index) => ({
    ...entry(`{"metadata":{"name":"a${index}"},"data":{"a":"b"}}`),
    key: `a${index}`,
  }));
  const page = { revision: 7, entries };
  const list = encoders.encoderFor({ row, wanted, names: { dialect: 'platform', alias: undefined }, include: 'None' }).list(page);
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

  expect(Math.min(...items)).toBeGreaterThan('a0ab'.length);
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

  it.each(
    ['ConfigMap', 'FlowSchema'].flatMap((kind) =>
      (['none', 'partialList', 'table'] as const).flatMap((transform) => [0, 1, 3].map((count) => [kind, transform, count] as const)),
    ),
  )('encodes a list of the kind %s (transform %s, %d items) with the same content as JSON', (kind, transform, count) => {
    const wanted = { transform, metaVersion: 'v1', dialect: undefined, pretty: false } as const;
    const entries = objects.slice(0, count);
    const yaml = encodeList(kind, { ...wanted, media: 'yaml' }, entries);
    expect(composeYaml(yaml.toString()).value).toEqual(parseJson(encodeList(kind, { ...wanted, media: 'json' }, entries)).value);
  });
});
