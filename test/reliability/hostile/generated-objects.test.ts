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
import { createSeededRandom, type SeededRandom } from '../../replay/seeded-random';
import { fullObjectOf } from '../../support/objects/full-object';
import { leastCpuMs } from '../../support/work-cost';

const CASES = Number(process.env['HOSTILE_CASES'] ?? 160);
/** Any number; the cases follow from it. */
const SEED = 20_240_813;
/** Cases that take less at full length are not measured again. */
const UNSUSPICIOUS_MS = 300;
/** Lengths of the value that is made long: items, members or levels, and a hundred characters of a string for each. */
const SHORT = 128;
const LONG = 16 * SHORT;
/** Linear time would grow by 16, quadratic time by 256. */
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

type Path = readonly (string | number)[];

/** The path of a value in an object, and the value. */
interface ObjectLocation {
  readonly path: Path;
  readonly value: JsonValue;
}

/** Adds the locations in `value`, which is at `path`, to `locations` and returns these. Of a list only the first item counts. */
function locationsIn(value: JsonValue, path: Path, locations: ObjectLocation[]): readonly ObjectLocation[] {
  if (path.length > 0) locations.push({ path, value });
  if (Array.isArray(value)) value.slice(0, 1).forEach((item, index) => locationsIn(item, [...path, index], locations));
  else if (isObject(value)) for (const [member, item] of Object.entries(value)) locationsIn(item, [...path, member], locations);
  return locations;
}

/** A text inside of objects and lists by turns, `levels` of each. */
const nested = (levels: number): JsonValue => {
  let value: JsonValue = 'x';
  for (let level = 0; level < levels; level += 1) value = { a: [value] };
  return value;
};

/** The item with `n` at the end of its texts, so that items of a list differ. */
const numbered = (item: JsonValue, n: number): JsonValue => {
  if (typeof item === 'string') return `${item}${n}`;
  if (!isObject(item)) return item;
  return Object.fromEntries(
    Object.entries(item).map(([member, value]) => [member, typeof value === 'string' ? `${value}${n}` : cloneJson(value)]),
  );
};

/** Returns a value like the given one, of the given length. */
type Lengthen = (value: JsonValue, length: number) => JsonValue;

const TEXT_CHARACTERS = 100;
/** Repeated texts with a meaning in some format: digits, separators, escapes, references, characters of several bytes. */
const TEXTS: readonly Lengthen[] = ['x', '1', '-', 'a.', '/', '=,', ' ', '\\"', '(', '$(A)', '%', '::', 'é', '\n'].map(
  (text) => (_, length) => text.repeat(length * TEXT_CHARACTERS),
);
/** Lists of different items like the first one, of equal items, and of items without members. */
const LISTS: readonly Lengthen[] = [
  (value, length) => Array.from({ length }, (_, n) => numbered(Array.isArray(value) ? (value[0] ?? null) : null, n)),
  (value, length) => Array.from({ length }, () => (Array.isArray(value) ? (value[0] ?? null) : null)),
  (_, length) => Array.from({ length }, () => ({})),
];
/** Maps of many keys, and of many levels. */
const MAPS: readonly Lengthen[] = [
  (value, length) => {
    const item = isObject(value) ? (Object.values(value)[0] ?? 'x') : 'x';
    return Object.fromEntries(Array.from({ length }, (_, n) => [`k${n}`, item]));
  },
  // Fewer levels than `length`, because the stack of the process under test is limited.
  (_, length) => nested(length / 4),
];
/** Numbers of many digits, and negative ones. */
const NUMBERS: readonly Lengthen[] = [(_, length) => BigInt('9'.repeat(length)), (_, length) => -length];

function lengthenersOf(value: JsonValue): readonly Lengthen[] {
  if (Array.isArray(value)) return LISTS;
  if (isObject(value)) return MAPS;
  return typeof value === 'string' || typeof value === 'boolean' ? TEXTS : NUMBERS;
}

/** A copy of `object` with `value` at a path. */
function withValue(object: JsonValue, [step, ...rest]: Path, value: JsonValue): JsonValue {
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
    if (!isRejection(error)) throw error;
  }
}

function isRejection(error: unknown): boolean {
  const isSyntaxFault = error instanceof Error && error.name === 'SyntaxFault';
  return isSyntaxFault || error instanceof StatusError || error instanceof DecodeError;
}

/** A creation of an object with one value that can have any length. */
interface CreationCase {
  /** The kind, the path of the value and the index of the way in which it is made long. */
  readonly description: string;
  readonly info: ResourceInfo;
  readonly bodyOf: (length: number) => Buffer;
}

function generateCase(info: ResourceInfo, random: SeededRandom): CreationCase {
  const object: JsonObject = { ...fullObjectOf(info.row.type), metadata: { ...fullObjectOf('meta.v1.ObjectMeta'), name: 'a' } };
  const { path, value } = random.pick(locationsIn(object, [], []));
  const lengtheners = lengthenersOf(value);
  const lengthen = random.pick(lengtheners);
  return {
    description: `${info.row.kind} ${path.join('.')} (${lengtheners.indexOf(lengthen)})`,
    info,
    bodyOf: (length) => Buffer.from(stringifyJson(withValue(object, path, lengthen(value, length)))),
  };
}

/** A description of the case when it takes more than linear time, otherwise `undefined`. */
function findSlowness({ description, info, bodyOf }: CreationCase): string | undefined {
  const measure = (body: Buffer, times: number): number => leastCpuMs(() => createObject(info, body), times);
  const longBody = bodyOf(LONG);
  if (measure(longBody, 1) < UNSUSPICIOUS_MS) return undefined;
  const longMs = measure(longBody, 3);
  if (longMs < UNSUSPICIOUS_MS) return undefined;
  const growth = longMs / measure(bodyOf(SHORT), 3);
  if (growth <= MOST_GROWTH) return undefined;
  return `${description}: ${longMs.toFixed(0)} ms, ${growth.toFixed(0)} times a sixteenth of it`;
}

it('creating an object takes time in proportion to its length', () => {
  const random = createSeededRandom(SEED);
  const slowCases: string[] = [];
  for (let n = 0; n < CASES; n += 1) {
    // Each kind in turn.
    const info = INFOS[n % INFOS.length];
    if (info === undefined) throw new Error('no kinds');
    const slowness = findSlowness(generateCase(info, random));
    if (slowness !== undefined) slowCases.push(slowness);
  }
  expect(slowCases).toEqual([]);
}, 600_000);
