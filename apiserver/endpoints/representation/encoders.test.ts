import { KINDS } from '../../../shared/api/kinds';
import type { Dialect } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { ManualClock } from '../../../test/support/manual-clock';
import type { Entry } from '../../cache/cache';
import { tables } from '../../printers/table';
import type { Representation } from '../request/negotiation';
import { parseJson } from '../../../shared/serialization';
import { composeYaml } from '../../../shared/serialization/yaml-document';
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
  dialectSensitive,
});

interface Asked {
  readonly include?: IncludeObject;
  readonly dialect?: Dialect;
  readonly transform?: Representation['transform'];
}

/** Whether a thread is asked to show an object of the kind, which is long, in a list: in a Table unless said otherwise. */
function isShownElsewhere(
  kind: string,
  shown: Entry,
  { include = 'Metadata', dialect = 'platform', transform = 'table' }: Asked = {},
): boolean {
  const row = KINDS.find((one) => one.kind === kind);
  if (row === undefined) throw new Error(`no kind ${kind}`);
  const showing = {
    limits: { bytes: LONGEST },
    isHeavy: (bytes: Uint8Array) => bytes.length > LONGEST,
    show: () => Promise.resolve({ body: Buffer.of() }),
  };
  const encoders = new Encoders({ table: tables, clock: systemClock, naming: 'platform', showing });
  const wanted = { media: 'json', transform, metaVersion: 'v1', dialect: undefined, pretty: false } as const;
  return encoders.prepared({ row, wanted, names: { dialect, alias: undefined }, include }, shown) !== undefined;
}

it.each<[string, boolean]>([
  ['CustomResourceDefinition', false],
  ['Pod', true],
])('asks a thread for the row of a long object only where more than its metadata is read: %s, %p', (kind, expected) => {
  expect(isShownElsewhere(kind, entry(short('')))).toBe(expected);
});

it.each<[string, Asked, boolean]>([
  ['the row of its metadata', {}, false],
  ['its metadata', { transform: 'partialList' }, false],
  ['all of it', { transform: 'none' }, false],
  ['the row of all of it', { include: 'Object' }, true],
])('where names are spelled otherwise, what is read of a long object is %s', (_what, asked, expected) => {
  const inMetadata = entry(short(',"ownerReferences":[{"apiVersion":"apps.platform.io/v1"}]'), true);
  expect(isShownElsewhere('CustomResourceDefinition', inMetadata, { dialect: 'kubernetes', ...asked })).toBe(expected);
});

it('asks a thread where names behind the metadata are spelled otherwise', () => {
  const text = short('').replace(
    '"spec":{',
    '"spec":{"conversion":{"webhook":{"clientConfig":{"service":{"namespace":"platform-system"}}}},',
  );
  expect(isShownElsewhere('CustomResourceDefinition', entry(text, true), { dialect: 'kubernetes', transform: 'none' })).toBe(true);
  expect(isShownElsewhere('CustomResourceDefinition', entry(text, true), { dialect: 'kubernetes' })).toBe(false);
  expect(isShownElsewhere('CustomResourceDefinition', entry(text), { dialect: 'kubernetes', transform: 'none' })).toBe(false);
});

it('asks a thread where the object is shown, or where the metadata are long themselves', () => {
  expect(isShownElsewhere('CustomResourceDefinition', entry(short('')), { include: 'Object' })).toBe(true);
  const long = short(`,"annotations":{"a":"${'x'.repeat(LONGEST)}"}`);
  expect(isShownElsewhere('CustomResourceDefinition', entry(long))).toBe(true);
});

it('writes the items of a long binary list one by one, so that others have their turns between them', () => {
  const row = KINDS.find((one) => one.kind === 'ConfigMap');
  if (row === undefined) throw new Error('no such kind');
  const encoders = new Encoders({ table: tables, clock: systemClock, naming: 'platform' });
  const wanted = { media: 'protobuf', transform: 'none', metaVersion: 'v1', dialect: undefined, pretty: false } as const;
  const entries = Array.from({ length: 1_200 }, (_, index) => ({
    ...entry(`{"metadata":{"name":"a${index}"},"data":{"a":"b"}}`),
    key: `a${index}`,
  }));
  const page = { revision: 7, entries };
  const list = encoders.of({ row, wanted, names: { dialect: 'platform', alias: undefined }, include: 'None' }).list(page);
  const sink = new ByteSink(new ChunkPool(), (_bytes, _last, done) => done(true));
  const added = (write: () => void): number => {
    const before = sink.length;
    write();
    return sink.length - before;
  };

  for (const one of entries) list.measure?.(one);
  const start = added(() => list.start(sink));
  const items = entries.map((one) => added(() => list.item(sink, one)));
  const end = added(() => list.end(sink));

  expect(Math.min(...items)).toBeGreaterThan('a0ab'.length);
  expect(Math.max(start, end)).toBeLessThan(100);
});

describe('a list as YAML says what it says as JSON', () => {
  const encoders = new Encoders({ table: tables, clock: new ManualClock(), naming: 'platform' });
  const written = (kind: string, wanted: Representation, entries: readonly Entry[]): Buffer => {
    const row = KINDS.find((one) => one.kind === kind);
    if (row === undefined) throw new Error(`no kind ${kind}`);
    const parts: Buffer[] = [];
    const sink = new ByteSink(new ChunkPool(), (bytes, _last, done) => {
      parts.push(Buffer.from(bytes));
      done(true);
    });
    const asked = { row, wanted, names: { dialect: 'platform', alias: undefined }, include: 'Metadata' } as const;
    const list = encoders.of(asked).list({ revision: 7, entries });
    list.start(sink);
    for (const one of entries) list.item(sink, one);
    list.end(sink);
    sink.end();
    return Buffer.concat(parts);
  };
  const object = (name: string, matchingPrecedence: number): Entry => ({
    ...entry(`{"metadata":{"name":"${name}"},"spec":{"matchingPrecedence":${matchingPrecedence}}}`),
    key: name,
  });
  const kept = [object('a', 300), object('b', 100), object('c', 200)];

  it.each(
    ['ConfigMap', 'FlowSchema'].flatMap((kind) =>
      (['none', 'partialList', 'table'] as const).flatMap((transform) => [0, 1, 3].map((count) => [kind, transform, count] as const)),
    ),
  )('%s, %s, %d items', (kind, transform, count) => {
    const wanted = { transform, metaVersion: 'v1', dialect: undefined, pretty: false } as const;
    const entries = kept.slice(0, count);
    const yaml = written(kind, { ...wanted, media: 'yaml' }, entries);
    expect(composeYaml(yaml.toString()).value).toEqual(parseJson(written(kind, { ...wanted, media: 'json' }, entries)).value);
  });
});
