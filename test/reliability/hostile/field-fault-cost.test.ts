/**
 * Duplicate and unknown fields of a body are found with work in proportion to its members, whatever their depth and
 * number. The tests count calls instead of time: the time that would delay other requests is too short to measure
 * reliably on a busy machine.
 */
import type { MergeShape } from '../../../shared/patch/apply/merge-shape';
import { removeUnknownFields } from '../../../shared/patch/apply/unknown-fields';
import { parseOperations } from '../../../shared/patch/json-patch';
import { fieldErrors, parseJson } from '../../../shared/serialization';
import { countCalls } from '../../support/work-cost';

/** Levels and members at which quadratic work would take seconds. */
const LEVELS = 2_000;
const MEMBERS = 3_000;
/** Calls for tokens, paths and lookups among sorted paths. At most 47 are needed; work in proportion to depth takes thousands. */
const MOST_CALLS_PER_MEMBER = 60;

/** The items of a JSON list or object, separated by commas. */
const list = (count: number, item: (n: number) => string): string => Array.from({ length: count }, (_, n) => item(n)).join();
/** `inner` inside of this many objects. */
const nested = (levels: number, inner: string): string => `${'{"a":'.repeat(levels)}${inner}${'}'.repeat(levels)}`;
const pathBelow = (levels: number, member: string): string => 'a.'.repeat(levels) + member;
/** Paths of unknown fields that are in no body; one decoding reports at most as many. */
const absentPaths = (levels: number): string[] => Array.from({ length: 100 }, (_, n) => pathBelow(levels, `x${n}`));

interface FaultyBody {
  readonly name: string;
  /** JSON. */
  readonly text: string;
  /** Paths of unknown fields that decoding has reported. */
  readonly unknownFields: readonly string[];
}

const BODIES: readonly FaultyBody[] = [
  {
    name: 'one member repeated below many levels',
    text: nested(LEVELS, `{${list(MEMBERS, () => '"b":1')}}`),
    unknownFields: [],
  },
  {
    name: 'many members repeated below many levels',
    text: nested(LEVELS, `{${list(MEMBERS, (n) => `"b${Math.floor(n / 2)}":1`)}}`),
    unknownFields: [],
  },
  {
    name: 'a member repeated on every level',
    text: `${'{"b":1,"b":2,"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`,
    unknownFields: [],
  },
  {
    name: 'members repeated in the items of a list',
    text: nested(LEVELS, `[${list(MEMBERS, () => '{"b":1,"b":2}')}]`),
    unknownFields: [],
  },
  {
    name: 'unknown members with long paths',
    text: nested(LEVELS, '{"b":1,"b":2}'),
    unknownFields: absentPaths(500),
  },
  {
    name: 'unknown members below many levels',
    text: nested(500, `{"b":1,"b":1,${list(MEMBERS, (n) => `"x${n}":1`)}}`),
    unknownFields: absentPaths(500),
  },
  {
    name: 'unknown members of the last items of a list',
    text: `{"a":[${list(MEMBERS, () => '{"b":1}')},${list(1_000, () => '{"x":1,"x":2}')}]}`,
    unknownFields: Array.from({ length: 1_000 }, (_, n) => `a[${MEMBERS + n}].x`),
  },
];

describe('the faults of a body', () => {
  it.each(BODIES)('are found with a bounded number of calls per member for $name', ({ text, unknownFields }) => {
    const members = text.match(/:/g)?.length ?? 0;
    let faults: readonly string[] = [];
    const calls = countCalls('shared/serialization', () => {
      faults = fieldErrors(parseJson(Buffer.from(text)), unknownFields, 'strict');
    });
    expect(faults.length).toBeGreaterThan(0);
    expect(calls / members).toBeLessThan(MOST_CALLS_PER_MEMBER);
  });
});

describe('the operations of a JSON patch', () => {
  it('report at most 100 unknown members', () => {
    const { unknown } = parseOperations(Array.from({ length: 200 }, () => ({ op: 'test', path: '/a', x: 1 })));
    expect(unknown).toHaveLength(100);
    expect(unknown.at(-1)).toBe('[99].x');
  });
});

describe('the path of an unknown field of an applied configuration', () => {
  it('is truncated after 1,024 characters', () => {
    const key = 'k'.repeat(100_000);
    const shape: MergeShape = {
      kind: 'map',
      atomic: false,
      element: { kind: 'struct', atomic: false, member: () => undefined, others: undefined },
    };
    const members = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`x${n}`, 1]));
    const { unknown } = removeUnknownFields(shape, { [key]: members });
    expect(unknown).toHaveLength(100);
    // An ellipsis follows.
    expect(Math.max(...unknown.map(({ length }) => length))).toBe(1_024 + 1);
  });
});
