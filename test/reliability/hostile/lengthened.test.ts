/**
 * Objects of every served kind of which one text, list, map, number or depth is made longer, at random and from a seed. Sixteen times the length takes
 * sixteen times the work and some more for memory; in the square it would take 256 times, and the bound lies between. LENGTHENED_CASES says how many are tried (10,000 take some minutes); LENGTHENED_SEED which.
 */
import { SERVED_KINDS, storedRowOf, type KindRow } from '../../../shared/api/kinds';
import { schemaOf, type FieldType } from '../../../shared/api/types';
import { StatusError } from '../../../shared/api/errors/status';
import type { JsonObject, JsonValue } from '../../../shared/values/json';
import { writeFixture } from '../../support/write-fixture';

const CASES = Number(process.env['LENGTHENED_CASES'] ?? 120);
const SEED = Number(process.env['LENGTHENED_SEED'] ?? 20_261_123);

/** So long are the short ones. */
const LENGTH = 1500;
const TIMES = 16;
/** Faster than this nobody is held up, whatever the curve. */
const HARMLESS_MS = 250;
const WORST_GROWTH = 100;

/** A generator of numbers in [0, 1) (mulberry32), so that a seed means the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Grow = (length: number) => JsonValue;

interface Lengthened {
  /** Where, and what was made longer. */
  readonly title: string;
  readonly grow: Grow;
}

const CHARACTERS = [
  'a',
  '1',
  '-',
  '.',
  '/',
  ',',
  '=',
  ' ',
  '%',
  '"',
  '\\',
  '{',
  '(',
  '0.',
  'a-',
  'é',
  '-----BEGIN ',
  '1.1.1.1,',
  '..',
  '\n',
];

class Lengthener {
  constructor(private readonly random: () => number) {}

  one<T>(choices: readonly T[]): T {
    const choice = choices[Math.floor(this.random() * choices.length)];
    if (choice === undefined) throw new Error('nothing to choose from');
    return choice;
  }

  /** Something long in an object of the type. */
  inType(type: string, depth: number): Lengthened {
    const fields = schemaOf(type).fields.filter(({ name }) => name !== 'apiVersion' && name !== 'kind' && name !== 'managedFields');
    if (fields.length === 0 || depth > 12) return { title: ' (unknown members)', grow: (length) => this.members(length, (index) => index) };
    const field = this.one(fields);
    const { title, grow } = this.inValue(field.type, depth);
    return { title: `.${field.name}${title}`, grow: (length) => ({ [field.name]: grow(length) }) };
  }

  private inValue(type: FieldType, depth: number): Lengthened {
    switch (type.kind) {
      case 'object':
        return this.inType(type.type, depth + 1);
      case 'either':
        return this.inType(type.object, depth + 1);
      case 'list':
        return this.inItems(type.of, depth);
      case 'map':
        return this.inMap(type.of, depth);
      case 'scalar':
        return this.inScalar(type.scalar);
    }
  }

  private inItems(of: FieldType, depth: number): Lengthened {
    const way = this.random();
    const item = this.short(of);
    if (way < 0.25) return { title: '[equal]', grow: (length) => Array.from({ length }, () => item(0)) };
    if (way < 0.5) return { title: '[different]', grow: (length) => Array.from({ length }, (_, index) => item(index)) };
    const { title, grow } = this.inValue(of, depth + 1);
    return { title: `[0]${title}`, grow: (length) => [grow(length)] };
  }

  private inMap(of: FieldType, depth: number): Lengthened {
    const item = this.short(of);
    if (this.random() < 0.6) return { title: '{}', grow: (length) => this.members(length, item) };
    const { title, grow } = this.inValue(of, depth + 1);
    return { title: `{key}${title}`, grow: (length) => ({ key: grow(length) }) };
  }

  private inScalar(scalar: string): Lengthened {
    if ((scalar === 'json' || scalar === 'raw' || scalar === 'fields') && this.random() < 0.5) return { title: ' (depth)', grow: nested };
    const character = this.one(CHARACTERS);
    return { title: ` of ${JSON.stringify(character)}`, grow: (length) => character.repeat(length * 8) };
  }

  private members(length: number, item: Grow): JsonObject {
    return Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, item(index)]));
  }

  /** A short value of the type, another one for every number. */
  private short(type: FieldType): Grow {
    switch (type.kind) {
      case 'object': {
        const named = schemaOf(type.type).fields.find(({ type: { kind } }) => kind === 'scalar');
        return named === undefined ? () => ({}) : (index) => ({ [named.name]: this.short(named.type)(index) });
      }
      case 'either':
        return () => ({});
      case 'list':
        return (index) => [this.short(type.of)(index)];
      case 'map':
        return (index) => ({ key: this.short(type.of)(index) });
      case 'scalar':
        return type.scalar === 'bool' ? () => true : type.scalar.includes('int') ? (index) => index : (index) => `v${index}`;
    }
  }
}

/** At most as deep as a body may be. */
function nested(length: number): JsonValue {
  let value: JsonValue = {};
  for (let depth = Math.min(length * 2, 9000); depth > 0; depth -= 1) value = { a: value };
  return value;
}

const rows: readonly KindRow[] = SERVED_KINDS.filter((row) => row.storedAs === undefined && row.virtual !== true);

it('takes time in proportion, whatever is made longer', async () => {
  const lengthener = new Lengthener(randomFrom(SEED));
  const fixture = await writeFixture();
  /** Milliseconds of CPU for storing or refusing. */
  const time = async (resource: string, body: JsonObject): Promise<number> => {
    const before = process.cpuUsage();
    try {
      await fixture.create(resource, body, { dryRun: true });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const suspects: string[] = [];
  for (let index = 0; index < CASES; index += 1) {
    const row = lengthener.one(rows);
    const resource = `${row.group}/${row.version}/${row.resource}`;
    const { title, grow } = lengthener.inType(storedRowOf(row).type, 0);
    const bodyOf = (length: number): JsonObject => {
      const { metadata, ...rest } = Object(grow(length)) as JsonObject;
      return { ...rest, metadata: { ...Object(metadata), name: 'a' } };
    };
    const [short, long] = [bodyOf(LENGTH), bodyOf(LENGTH * TIMES)];
    if ((await time(resource, long)) < HARMLESS_MS) continue;
    // Once more, because others use this machine too.
    const least = async (body: JsonObject): Promise<number> =>
      Math.min(await time(resource, body), await time(resource, body), await time(resource, body));
    const [before, after] = [await least(short), await least(long)];
    if (after >= HARMLESS_MS && after / before > WORST_GROWTH)
      suspects.push(`${resource}${title}: ${before.toFixed(1)} ms, and ${after.toFixed(1)} ms for ${TIMES} times the length`);
  }
  expect(suspects).toEqual([]);
}, 1_800_000);
