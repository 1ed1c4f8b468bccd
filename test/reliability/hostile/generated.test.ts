/**
 * Objects of every served kind with one text, list, map, number or depth made very long: what is done with them at a creation takes time in proportion to
 * their length. A seed makes the cases; `HOSTILE_CASES=10000` tries that many. Only a case that takes long at all is measured again,
 * beside one of a sixteenth of the length: in the square it would take 256 times as long, and the bound lies far from both curves.
 */
import { STRATEGIES } from '../../../apiserver/kinds';
import { createResourceInfoLookup, toHub, type ResourceInfo } from '../../../apiserver/registry/object/resource-info';
import { encodeObject } from '../../../apiserver/registry/object/stored-object';
import { buildResources } from '../../../apiserver/registry/resources';
import type { StrategyContext } from '../../../apiserver/registry/strategy';
import { validateCreation } from '../../../apiserver/registry/write/validation';
import { recordManagedFields } from '../../../apiserver/registry/write/managed-fields';
import { groupResourceText } from '../../../shared/api/identity/identity';
import { StatusError } from '../../../shared/api/errors/status';
import { DecodeError } from '../../../shared/api/types';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { featureGates } from '../../../shared/cli/feature-gates';
import { parseJsonInSteps } from '../../../shared/serialization';
import { runStepsSync } from '../../../shared/scheduling/steps';
import { cloneJson, isObject, stringifyJson, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { everythingOf } from '../../support/everything';

const CASES = Number(process.env['HOSTILE_CASES'] ?? 160);
const SEED = 20_240_813;
/** What takes less at full length is not looked at again. */
const UNSUSPICIOUS_MS = 300;
const [SHORT, LONG] = [128, 2048];
const MOST_GROWTH = 100;

const context: StrategyContext = {
  names: GENERATED_NAMES.platform,
  user: { name: 'hostile', groups: [] },
  now: Date.UTC(2026, 0, 2),
  serviceFamilies: ['IPv4'],
  warn: () => undefined,
  gates: featureGates(),
};

const infoOf = createResourceInfoLookup('/registry', 'platform', (row) => STRATEGIES.get(groupResourceText(row)) ?? {});
const INFOS: readonly ResourceInfo[] = buildResources().builtInResources.flatMap((resource) =>
  resource.stored === undefined ? [] : [infoOf(resource)],
);

/** A place in an object, and what can be put there. */
interface Place {
  readonly path: readonly (string | number)[];
  readonly value: JsonValue;
}

function placesIn(value: JsonValue, path: readonly (string | number)[], found: Place[]): Place[] {
  if (path.length > 0) found.push({ path, value });
  if (Array.isArray(value)) value.slice(0, 1).forEach((item, index) => placesIn(item, [...path, index], found));
  else if (isObject(value)) for (const [member, item] of Object.entries(value)) placesIn(item, [...path, member], found);
  return found;
}

const nested = (levels: number): JsonValue => {
  let value: JsonValue = 'x';
  for (let level = 0; level < levels; level += 1) value = { a: [value] };
  return value;
};

const unlike = (item: JsonValue, n: number): JsonValue => {
  if (typeof item === 'string') return `${item}${n}`;
  if (!isObject(item)) return item;
  return Object.fromEntries(
    Object.entries(item).map(([member, value]) => [member, typeof value === 'string' ? `${value}${n}` : cloneJson(value)]),
  );
};

type Lengthen = (value: JsonValue, length: number) => JsonValue;

const TEXT_CHARACTERS = 100;
const TEXTS: readonly Lengthen[] = ['x', '1', '-', 'a.', '/', '=,', ' ', '\\"', '(', '$(A)', '%', '::', 'é', '\n'].map(
  (text) => (_, length) => text.repeat(length * TEXT_CHARACTERS),
);
const LISTS: readonly Lengthen[] = [
  (value, length) => Array.from({ length }, (_, n) => unlike(Array.isArray(value) ? (value[0] ?? null) : null, n)),
  (value, length) => Array.from({ length }, () => (Array.isArray(value) ? (value[0] ?? null) : null)),
  (_, length) => Array.from({ length }, () => ({})),
];
const MAPS: readonly Lengthen[] = [
  (value, length) => {
    const item = isObject(value) ? (Object.values(value)[0] ?? 'x') : 'x';
    return Object.fromEntries(Array.from({ length }, (_, n) => [`k${n}`, item]));
  },
  // Two levels each; the stack of a process under test ends at a depth that depends on what was compiled by then.
  (_, length) => nested(length / 4),
];
const NUMBERS: readonly Lengthen[] = [(_, length) => BigInt('9'.repeat(length)), (_, length) => -length];

function lengtheningsOf(value: JsonValue): readonly Lengthen[] {
  if (Array.isArray(value)) return LISTS;
  if (isObject(value)) return MAPS;
  return typeof value === 'string' ? TEXTS : typeof value === 'boolean' ? TEXTS : NUMBERS;
}

function withValue(object: JsonValue, [step, ...rest]: readonly (string | number)[], value: JsonValue): JsonValue {
  if (step === undefined) return value;
  if (Array.isArray(object)) return object.map((item, index) => (index === step ? withValue(item, rest, value) : item));
  if (!isObject(object)) return object;
  return { ...object, [step]: withValue(object[step] ?? null, rest, value) };
}

/** What a creation does with a body; refusals are as good as anything. */
function handle(info: ResourceInfo, body: Buffer): void {
  try {
    const { value, literals } = runStepsSync(parseJsonInSteps(body));
    if (!isObject(value)) return;
    const { object } = info.codec.decode(value, literals);
    info.codec.applyDefaults(object);
    const hub = toHub(info, object);
    info.strategy.canonicalize?.(hub);
    recordManagedFields(info, undefined, 'hostile', hub, undefined, context.now);
    info.strategy.prepareForAllocation?.(hub, undefined, context);
    info.strategy.prepareForCreate?.(hub, context);
    encodeObject(info, hub, false);
    validateCreation(info, hub, context);
  } catch (error) {
    if (!(error instanceof StatusError) && !(error instanceof DecodeError) && !(error instanceof Error && error.name === 'SyntaxFault'))
      throw error;
  }
}

function cpuMs(run: () => void, tries: number): number {
  let least = Infinity;
  for (let n = 0; n < tries; n += 1) {
    const begin = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(begin);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** The same numbers for the same seed (a linear congruence of 32 bits). */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

it('creating an object takes time in proportion to its length', () => {
  const below = chance(SEED);
  const tooSlow: string[] = [];
  for (let n = 0; n < CASES; n += 1) {
    const info = INFOS[n % INFOS.length];
    if (info === undefined) throw new Error('no kinds');
    const object: JsonObject = { ...everythingOf(info.row.type), metadata: { ...everythingOf('meta.v1.ObjectMeta'), name: 'a' } };
    const places = placesIn(object, [], []);
    const place = places[below(places.length)];
    if (place === undefined) continue;
    const ways = lengtheningsOf(place.value);
    const way = below(ways.length);
    const lengthen = ways[way] ?? (() => null);
    const bodyOf = (length: number): Buffer => Buffer.from(stringifyJson(withValue(object, place.path, lengthen(place.value, length))));
    const [short, whole] = [bodyOf(SHORT), bodyOf(LONG)];
    if (cpuMs(() => handle(info, whole), 1) < UNSUSPICIOUS_MS) continue;
    const long = cpuMs(() => handle(info, whole), 3);
    if (long < UNSUSPICIOUS_MS) continue;
    const growth = long / cpuMs(() => handle(info, short), 3);
    if (growth > MOST_GROWTH)
      tooSlow.push(
        `${info.row.kind} ${place.path.join('.')} (${way}): ${long.toFixed(0)} ms, ${growth.toFixed(0)} times a sixteenth of it`,
      );
  }
  expect(tooSlow).toEqual([]);
}, 600_000);
