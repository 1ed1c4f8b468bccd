import { KINDS } from '../../../shared/api/kinds';
import type { Dialect } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import type { Entry } from '../../cache/cache';
import { tables } from '../../printers/table';
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

/** Whether a thread is asked to make the row of an object of the kind, which is long. */
function isShownElsewhere(kind: string, shown: Entry, include: IncludeObject = 'Metadata', dialect: Dialect = 'platform'): boolean {
  const row = KINDS.find((one) => one.kind === kind);
  if (row === undefined) throw new Error(`no kind ${kind}`);
  const showing = { isHeavy: (bytes: Uint8Array) => bytes.length > LONGEST, show: () => Promise.resolve({ body: Buffer.of() }) };
  const encoders = new Encoders({ table: tables, clock: systemClock, naming: 'platform', showing });
  const wanted = { media: 'json', transform: 'table', metaVersion: 'v1', dialect: undefined, pretty: false } as const;
  return encoders.prepared({ row, wanted, names: { dialect, alias: undefined }, include }, shown) !== undefined;
}

it.each<[string, boolean]>([
  ['CustomResourceDefinition', false],
  ['Pod', true],
])('asks a thread for the row of a long object only where more than its metadata is read: %s, %p', (kind, expected) => {
  expect(isShownElsewhere(kind, entry(short('')))).toBe(expected);
});

it('asks a thread where the object is shown, where names are respelled, or where the metadata are long themselves', () => {
  expect(isShownElsewhere('CustomResourceDefinition', entry(short('')), 'Object')).toBe(true);
  expect(isShownElsewhere('CustomResourceDefinition', entry(short(''), true), 'Metadata', 'kubernetes')).toBe(true);
  const long = short(`,"annotations":{"a":"${'x'.repeat(LONGEST)}"}`);
  expect(isShownElsewhere('CustomResourceDefinition', entry(long))).toBe(true);
});
