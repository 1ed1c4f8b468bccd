/**
 * Objects of every served kind with one string, list, map, number or depth made very long: the steps of a creation take
 * time in proportion to the length. Cases are generated from a seed; `HOSTILE_CASES=10000` sets their number. Only a
 * slow case is measured again and compared with a sixteenth of its length: quadratic time would be 256 times as long,
 * and the limit is far from both 16 and 256.
 */
import { STRATEGIES } from '../../../apiserver/kinds';
import { createResourceInfoLookup, toHub, type ResourceInfo } from '../../../apiserver/registry/object/resource-info';
import { encodeObject } from '../../../apiserver/registry/object/stored-object';
import { buildResources } from '../../../apiserver/registry/resources';
import type { StrategyContext } from '../../../apiserver/registry/strategy';
import { validateCreation } from '../../../apiserver/registry/write/steps/run-stages';
import { recordManagedFields } from '../../../apiserver/registry/write/managed-fields';
import { groupResourceText } from '../../../shared/api/identity/identity';
import { StatusError } from '../../../shared/api/errors/status';
import { DecodeError } from '../../../shared/api/types';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { featureGates } from '../../../shared/cli/feature-gates';
import { parseJsonInSteps } from '../../../shared/serialization';
import { runStepsSync } from '../../../shared/scheduling/steps';
import { cloneJson, isObject, stringifyJson, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { createSeededRandom } from '../../replay/seeded-random';
import { fullObjectOf } from '../../support/objects/full-object';
import { leastCpuMs } from '../../support/work-cost';

const CASES = Number(process.env['HOSTILE_CASES'] ?? 160);
const SEED = 20_240_813;
/** Cases that take less at full length are not measured again. */
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

/** The path of a value in an object, and the value. */
interface ObjectLocation {
  readonly path: readonly (string | number)[];
  readonly value: JsonValue;
}

function locationsIn(value: JsonValue, path: readonly (string | number)[], locations: ObjectLocation[]): ObjectLocation[] {
  if (path.length > 0) locations.push({ path, value });
  if (Array.isArray(value)) value.slice(0, 1).forEach((item, index) => locationsIn(item, [...path, index], locations));
  else if (isObject(value)) for (const [member, item] of Object.entries(value)) locationsIn(item, [...path, member], locations);
  return locations;
}

const nested = (levels: number): JsonValue => {
  let value: JsonValue = 'x';
  for (let level = 0; level < levels; level += 1) value = { a: [value] };
  return value;
};

const numbered = (item: JsonValue, n: number): JsonValue => {
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
  (value, length) => Array.from({ length }, (_, n) => numbered(Array.isArray(value) ? (value[0] ?? null) : null, n)),
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

function lengthenersOf(value: JsonValue): readonly Lengthen[] {
  if (Array.isArray(value)) return LISTS;
  if (isObject(value)) return MAPS;
  return typeof value === 'string' || typeof value === 'boolean' ? TEXTS : NUMBERS;
}

function withValue(object: JsonValue, [step, ...rest]: readonly (string | number)[], value: JsonValue): JsonValue {
  if (step === undefined) return value;
  if (Array.isArray(object)) return object.map((item, index) => (index === step ? withValue(item, rest, value) : item));
  if (!isObject(object)) return object;
  return { ...object, [step]: withValue(object[step] ?? null, rest, value) };
}

/** Runs the steps of a creation with a body. Rejections are expected and ignored. */
function createObject(info: ResourceInfo, body: Buffer): void {
  try {
    const { value, literals } = runStepsSync(parseJsonInSteps(body));
    if (!isObject(value)) return;
    const { object } = info.codec.decode(value, literals);
    info.codec.applyDefaults(object);
    const hub = toHub(info, object);
    info.strategy.canonicalize?.(hub);
    recordManagedFields(info, { subresource: undefined, manager: 'hostile', ms: context.now }, hub, undefined);
    info.strategy.prepareForAllocation?.(hub, undefined, context);
    info.strategy.prepareForCreate?.(hub, context);
    encodeObject(info, hub, context.names);
    validateCreation(info, hub, context);
  } catch (error) {
    if (!(error instanceof StatusError) && !(error instanceof DecodeError) && !(error instanceof Error && error.name === 'SyntaxFault'))
      throw error;
  }
}

it('creating an object takes time in proportion to its length', () => {
  const random = createSeededRandom(SEED);
  const slowCases: string[] = [];
  for (let n = 0; n < CASES; n += 1) {
    const info = INFOS[n % INFOS.length];
    if (info === undefined) throw new Error('no kinds');
    const object: JsonObject = { ...fullObjectOf(info.row.type), metadata: { ...fullObjectOf('meta.v1.ObjectMeta'), name: 'a' } };
    const locations = locationsIn(object, [], []);
    const location = locations[random.integerBelow(locations.length)];
    if (location === undefined) continue;
    const lengtheners = lengthenersOf(location.value);
    const choice = random.integerBelow(lengtheners.length);
    const lengthen = lengtheners[choice] ?? (() => null);
    const bodyOf = (length: number): Buffer =>
      Buffer.from(stringifyJson(withValue(object, location.path, lengthen(location.value, length))));
    const [shortBody, longBody] = [bodyOf(SHORT), bodyOf(LONG)];
    if (leastCpuMs(() => createObject(info, longBody), 1) < UNSUSPICIOUS_MS) continue;
    const longMs = leastCpuMs(() => createObject(info, longBody), 3);
    if (longMs < UNSUSPICIOUS_MS) continue;
    const growth = longMs / leastCpuMs(() => createObject(info, shortBody), 3);
    if (growth > MOST_GROWTH)
      slowCases.push(
        `${info.row.kind} ${location.path.join('.')} (${choice}): ${longMs.toFixed(0)} ms, ${growth.toFixed(0)} times a sixteenth of it`,
      );
  }
  expect(slowCases).toEqual([]);
}, 600_000);
