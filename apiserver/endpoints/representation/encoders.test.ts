import { STORED_KINDS } from '../../../shared/api/kinds';
import type { Dialect } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import type { Entry } from '../../cache/cache';
import { tableConvertor } from '../../printers/table';
import type { Representation } from '../request/negotiation';
import { parseJson } from '../../../shared/serialization';
import { composeYaml } from '../../../shared/serialization/yaml/yaml-document';
import { ByteSink, ChunkPool } from './byte-sink';
import { Encoders } from './encoders';
import type { IncludeObject } from './table-encoder';

const LONGEST = 1_000;
const short = (part: string): string => `{"metadata":{"name":"a"${part}},"spec":{"text":"${'x'.repeat(LONGEST)}"}}`;
const entry = (text: string, dialectSensitive = false): Entry => ({
  key: 'a',
  revision: 1,
  bytes: Buffer.from(text),
  labels: {},
  fields: {},
  isDialectSensitive: dialectSensitive,
});

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
  const row = STORED_KINDS.find((candidate) => candidate.kind === kind);
  if (row === undefined) throw new Error(`no kind ${kind}`);
  const offload = {
    limits: { bytes: LONGEST },
    needsOffload: (bytes: Uint8Array) => bytes.length > LONGEST,
    encode: () => Promise.resolve({ body: Buffer.of() }),
  };
  const encoders = new Encoders({ table: tableConvertor, clock: systemClock, naming: 'platform', offload });
  const wanted = { media: 'json', transform, metaVersion: 'v1', dialect: undefined, pretty: false } as const;
  return encoders.prepareItem({ row, wanted, names: { dialect, alias: undefined }, include }, shown) !== undefined;
}

it.each<[string, boolean]>([
  ['CustomResourceDefinition', false],
  ['Pod', true],
])('Encoders offload the Table row of a long object only when more than its metadata is read: %s, %p', (kind, expected) => {
  expect(isOffloaded(kind, entry(short('')))).toBe(expected);
});

it.each<[string, EncodeOptions, boolean]>([
  ['its row from the metadata', {}, false],
  ['its metadata', { transform: 'partialList' }, false],
  ['all of it', { transform: 'none' }, false],
  ['its row with the whole object', { include: 'Object' }, true],
])('Encoders decide by the part that is read in another dialect: %s', (_title, options, expected) => {
  const inMetadata = entry(short(',"ownerReferences":[{"apiVersion":"apps.platform.io/v1"}]'), true);
  expect(isOffloaded('CustomResourceDefinition', inMetadata, { dialect: 'kubernetes', ...options })).toBe(expected);
});

it('Encoders offload a long object with names after the metadata that are spelled differently in the dialect', () => {
  const text = short('').replace(
    '"spec":{',
    '"spec":{"conversion":{"webhook":{"clientConfig":{"service":{"namespace":"platform-system"}}}},',
  );
  expect(isOffloaded('CustomResourceDefinition', entry(text, true), { dialect: 'kubernetes', transform: 'none' })).toBe(true);
  expect(isOffloaded('CustomResourceDefinition', entry(text, true), { dialect: 'kubernetes' })).toBe(false);
  expect(isOffloaded('CustomResourceDefinition', entry(text), { dialect: 'kubernetes', transform: 'none' })).toBe(false);
});

it('Encoders offload a Table row that includes the object, or has long metadata', () => {
  expect(isOffloaded('CustomResourceDefinition', entry(short('')), { include: 'Object' })).toBe(true);
  const long = short(`,"annotations":{"a":"${'x'.repeat(LONGEST)}"}`);
  expect(isOffloaded('CustomResourceDefinition', entry(long))).toBe(true);
});

it('ProtobufEncoder writes the items of a long list one by one, so that the event loop can be yielded between them', () => {
  const row = STORED_KINDS.find((candidate) => candidate.kind === 'ConfigMap');
  if (row === undefined) throw new Error('no such kind');
  const encoders = new Encoders({ table: tableConvertor, clock: systemClock, naming: 'platform' });
  const wanted = { media: 'protobuf', transform: 'none', metaVersion: 'v1', dialect: undefined, pretty: false } as const;
  const entries = Array.from({ length: 1_200 }, (_, index) => ({
    ...entry(`{"metadata":{"name":"a${index}"},"data":{"a":"b"}}`),
    key: `a${index}`,
  }));
  const page = { revision: 7, entries };
  const list = encoders.encoderFor({ row, wanted, names: { dialect: 'platform', alias: undefined }, include: 'None' }).list(page);
  const sink = new ByteSink(new ChunkPool(), (_bytes, _last, done) => done(true));
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

describe('a list as YAML has the same content as JSON', () => {
  const encoders = new Encoders({ table: tableConvertor, clock: new ManualClock(), naming: 'platform' });
  const written = (kind: string, wanted: Representation, entries: readonly Entry[]): Buffer => {
    const row = STORED_KINDS.find((candidate) => candidate.kind === kind);
    if (row === undefined) throw new Error(`no kind ${kind}`);
    const parts: Buffer[] = [];
    const sink = new ByteSink(new ChunkPool(), (bytes, _last, done) => {
      parts.push(Buffer.from(bytes));
      done(true);
    });
    const form = { row, wanted, names: { dialect: 'platform', alias: undefined }, include: 'Metadata' } as const;
    const list = encoders.encoderFor(form).list({ revision: 7, entries });
    list.start(sink);
    for (const item of entries) list.item(sink, item);
    list.end(sink);
    sink.end();
    return Buffer.concat(parts);
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
  )('%s, %s, %d items', (kind, transform, count) => {
    const wanted = { transform, metaVersion: 'v1', dialect: undefined, pretty: false } as const;
    const entries = objects.slice(0, count);
    const yaml = written(kind, { ...wanted, media: 'yaml' }, entries);
    expect(composeYaml(yaml.toString()).value).toEqual(parseJson(written(kind, { ...wanted, media: 'json' }, entries)).value);
  });
});
