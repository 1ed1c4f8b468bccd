/**
 * Generates CustomResourceDefinitions of realistic size: hundreds of them, small and very large, in one to three
 * versions, with descriptions, nested objects, keyed lists, patterns, defaults and rules, and with integers that no
 * double holds. They are the same at every call. Produces JSON texts only, ready to be sent.
 */
import { createSeededRandom, type SeededRandom } from '../../replay/seeded-random';
import { capitalize } from '../../../shared/values/text/capitalize';
import { stringifyJson, type JsonObject } from '../../../shared/values/json';

export interface GeneratedDefinition {
  /** `<plural>.<group>` */
  readonly name: string;
  readonly group: string;
  readonly versions: readonly string[];
  readonly plural: string;
  readonly kind: string;
  /** The definition as JSON, on one line. */
  readonly text: string;
}

const SMALLEST = 5_000;
const LARGEST = 900_000;
/** More small ones than large ones: the sizes of 450 add up to about 65 MB. */
const SKEW = 1.18;
const PER_GROUP = 11;
const RULED_SHARE = 0.1;

/** Large and small ones in random order, each with its own kind, {@link PER_GROUP} in a group. */
export function generateDefinitions(count: number): readonly GeneratedDefinition[] {
  const chance = createSeededRandom(1);
  const order = shuffled(count, chance);
  return order.map((rank, index) => {
    const share = count === 1 ? 0 : rank / (count - 1);
    return generateDefinition(index, Math.round(SMALLEST * (LARGEST / SMALLEST) ** (share ** SKEW)), chance);
  });
}

/** A definition as small as definitions usually get. */
export function smallDefinition(name: string): GeneratedDefinition {
  const chance = createSeededRandom(1);
  return buildDefinition({ plural: `${name}s`, kind: capitalize(name), group: 'small.made-up.test' }, ['v1'], () =>
    rootSchema({ type: 'object', properties: membersFor({ bytes: 300, depth: 1, isBounded: false }, chance) }),
  );
}

function generateDefinition(index: number, bytes: number, chance: SeededRandom): GeneratedDefinition {
  const group = `g${Math.floor(index / PER_GROUP)}.made-up.test`;
  const versions = ['v1', 'v1beta1', 'v1alpha1'].slice(0, chance.pick([1, 1, 1, 2, 2, 3]));
  const hasRules = chance.withProbability(RULED_SHARE);
  const bytesPerVersion = bytes / versions.length;
  return buildDefinition({ plural: `things${index}`, kind: `Thing${index}`, group }, versions, () => {
    const spec: JsonObject = {
      type: 'object',
      properties: membersFor({ bytes: bytesPerVersion * 0.85, depth: 6, isBounded: hasRules }, chance),
    };
    if (hasRules) {
      spec['x-kubernetes-validations'] = [
        { rule: '!has(self.ruledText) || self.ruledText.size() < 40', message: 'the text is too long' },
        { rule: '!has(self.ruledList) || self.ruledList.all(item, item != "")', message: 'no empty items' },
      ];
      const members = spec['properties'];
      Object.assign(typeof members === 'object' && members !== null ? members : {}, {
        ruledText: { type: 'string', maxLength: 64 },
        ruledList: { type: 'array', maxItems: 16, items: { type: 'string', maxLength: 32 } },
      });
    }
    return rootSchema(spec);
  });
}

function buildDefinition(
  { plural, kind, group }: { readonly plural: string; readonly kind: string; readonly group: string },
  versions: readonly string[],
  schema: () => JsonObject,
): GeneratedDefinition {
  const name = `${plural}.${group}`;
  const text = stringifyJson({
    apiVersion: 'apiextensions.platform.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name, annotations: { 'made-up.test/generator': 'yes' } },
    spec: {
      group,
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List`, categories: ['made-up'] },
      scope: 'Namespaced',
      versions: versions.map((version, index) => ({
        name: version,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: schema() },
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
      })),
    },
  });
  return { name, group, versions, plural, kind, text };
}

const CONDITION: JsonObject = {
  type: 'object',
  required: ['type', 'status'],
  properties: {
    type: { type: 'string', maxLength: 316, pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?[A-Za-z0-9]+$' },
    status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
    lastTransitionTime: { type: 'string', format: 'date-time' },
    message: { type: 'string', maxLength: 32768 },
  },
};

function rootSchema(spec: JsonObject): JsonObject {
  return {
    description: 'A made-up kind, for measuring.',
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec,
      status: {
        type: 'object',
        properties: {
          conditions: { type: 'array', items: CONDITION, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
          observedGeneration: { type: 'integer', format: 'int64' },
        },
      },
    },
  };
}

interface SchemaSize {
  /** What the members take together, roughly. */
  readonly bytes: number;
  /** The most levels of members below these. */
  readonly depth: number;
  /** Limits the items of lists: a rule above a list without a limit would exceed the cost budget. */
  readonly isBounded: boolean;
}

const WORDS = 'max min pod host path name ref time limit secret volume node label policy weight'.split(' ');
const PHRASES: readonly string[] = [
  'Specifies how the part is chosen when several are there.',
  'If it is not given, the operator takes what it finds beside the object.',
  'More info: https://made-up.test/docs/concepts/overview#working-with-objects',
  'May not be changed once it is set; "none" and <empty> are the same.',
  'The default leaves it to whoever runs the cluster.',
];

function membersFor({ bytes, depth, isBounded }: SchemaSize, chance: SeededRandom): JsonObject {
  const members: JsonObject = {};
  let left = bytes;
  for (let index = 0; left > 0; index += 1) {
    const member =
      depth > 0 && left > 1_500 && chance.withProbability(0.4)
        ? nestedSchema({ bytes: left * chance.pick([0.2, 0.5, 0.9]), depth: depth - 1, isBounded }, chance)
        : leafSchema(chance);
    const name = `${chance.pick(WORDS)}${chance.pick(WORDS)}${index}`;
    members[name] = member;
    left -= stringifyJson(member).length + name.length + 4;
  }
  return members;
}

function nestedSchema(size: SchemaSize, chance: SeededRandom): JsonObject {
  const object: JsonObject = { description: sentence(chance), type: 'object', properties: membersFor(size, chance) };
  const itemLimit = size.isBounded ? { maxItems: 8 } : {};
  switch (chance.pick(['object', 'object', 'list', 'keyed', 'map'])) {
    case 'list':
      return { description: sentence(chance), type: 'array', items: object, ...itemLimit };
    case 'keyed': {
      const members = object['properties'];
      const properties: JsonObject = {
        ...(typeof members === 'object' && members !== null && !Array.isArray(members) ? members : {}),
        name: { type: 'string' },
      };
      const items: JsonObject = { ...object, properties, required: ['name'] };
      return { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], ...itemLimit };
    }
    case 'map':
      return { description: sentence(chance), type: 'object', additionalProperties: object };
    default:
      return object;
  }
}

/** Schemas as they occur in real definitions. */
const LEAVES: readonly JsonObject[] = [
  { type: 'string' },
  { type: 'string' },
  { type: 'string', minLength: 1, maxLength: 253, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$' },
  { type: 'string', enum: ['Always', 'IfNotPresent', 'Never'], default: 'Always' },
  { type: 'string', format: 'date-time' },
  { type: 'boolean', default: false },
  { type: 'boolean' },
  { type: 'integer', format: 'int32', minimum: 0, maximum: 65_535 },
  { type: 'integer', format: 'int64', minimum: 1 },
  { type: 'number', multipleOf: 0.5 },
  { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' },
  { type: 'object', additionalProperties: { type: 'string' } },
  {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))$',
  },
  { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
];

/** Rare, because most definitions have none. */
const INT64_SHARE = 0.0005;
const INT64_SCHEMAS: readonly JsonObject[] = [
  { type: 'integer', format: 'int64', maximum: 9_223_372_036_854_775_000n, default: 9_007_199_254_740_993n },
  { type: 'integer', format: 'int64', minimum: -9_223_372_036_854_775_808n, enum: [9_223_372_036_854_774_784n, 0] },
];

function leafSchema(chance: SeededRandom): JsonObject {
  return { description: sentence(chance), ...(chance.withProbability(INT64_SHARE) ? chance.pick(INT64_SCHEMAS) : chance.pick(LEAVES)) };
}

function sentence(chance: SeededRandom): string {
  return Array.from({ length: chance.pick([1, 2, 2, 3]) }, () => chance.pick(PHRASES)).join(' ');
}

/** The numbers below `count` in random order. */
function shuffled(count: number, chance: SeededRandom): readonly number[] {
  const numbers = Array.from({ length: count }, (_, index) => index);
  for (let left = count - 1; left > 0; left -= 1) {
    const other = chance.integerBelow(left + 1);
    [numbers[left], numbers[other]] = [numbers[other] ?? 0, numbers[left] ?? 0];
  }
  return numbers;
}
