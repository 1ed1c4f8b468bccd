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

/** Sizes in bytes, roughly. */
const SMALLEST_BYTES = 5_000;
const LARGEST_BYTES = 900_000;
/** Exponent of the distribution of sizes. Above 1 there are more small ones than large ones: the sizes of 450 add up to about 65 MB. */
const SKEW = 1.18;
const DEFINITIONS_PER_GROUP = 11;
/** The share of definitions with validation rules. */
const RULED_SHARE = 0.1;

/** Large and small ones in random order, each with its own kind, {@link DEFINITIONS_PER_GROUP} in a group. */
export function generateDefinitions(count: number): readonly GeneratedDefinition[] {
  const random = createSeededRandom(1);
  const order = shuffled(count, random);
  return order.map((rank, index) => {
    // From 0 for the smallest to 1 for the largest.
    const share = count === 1 ? 0 : rank / (count - 1);
    const bytes = Math.round(SMALLEST_BYTES * (LARGEST_BYTES / SMALLEST_BYTES) ** (share ** SKEW));
    return generateDefinition(index, bytes, random);
  });
}

/** A definition as small as definitions usually get. */
export function smallDefinition(name: string): GeneratedDefinition {
  const random = createSeededRandom(1);
  return buildDefinition({ plural: `${name}s`, kind: capitalize(name), group: 'small.made-up.test' }, ['v1'], () =>
    rootSchema({ type: 'object', properties: membersFor({ bytes: 300, depth: 1, isBounded: false }, random) }),
  );
}

function generateDefinition(index: number, bytes: number, random: SeededRandom): GeneratedDefinition {
  const group = `g${Math.floor(index / DEFINITIONS_PER_GROUP)}.made-up.test`;
  const versions = ['v1', 'v1beta1', 'v1alpha1'].slice(0, random.pick([1, 1, 1, 2, 2, 3]));
  const hasRules = random.withProbability(RULED_SHARE);
  const bytesPerVersion = bytes / versions.length;
  return buildDefinition({ plural: `things${index}`, kind: `Thing${index}`, group }, versions, () => {
    const spec: JsonObject = {
      type: 'object',
      properties: membersFor({ bytes: bytesPerVersion * 0.85, depth: 6, isBounded: hasRules }, random),
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

/** `schema` is called for each version. */
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
/** With the characters that are escaped in JSON or HTML. */
const PHRASES: readonly string[] = [
  'Specifies how the part is chosen when several are there.',
  'If it is not given, the operator takes what it finds beside the object.',
  'More info: https://made-up.test/docs/concepts/overview#working-with-objects',
  'May not be changed once it is set; "none" and <empty> are the same.',
  'The default leaves it to whoever runs the cluster.',
];

/** Members of random types, until their schemas have the size. */
function membersFor({ bytes, depth, isBounded }: SchemaSize, random: SeededRandom): JsonObject {
  const members: JsonObject = {};
  let left = bytes;
  for (let index = 0; left > 0; index += 1) {
    const member =
      depth > 0 && left > 1_500 && random.withProbability(0.4)
        ? nestedSchema({ bytes: left * random.pick([0.2, 0.5, 0.9]), depth: depth - 1, isBounded }, random)
        : leafSchema(random);
    const name = `${random.pick(WORDS)}${random.pick(WORDS)}${index}`;
    members[name] = member;
    left -= stringifyJson(member).length + name.length + 4;
  }
  return members;
}

function nestedSchema(size: SchemaSize, random: SeededRandom): JsonObject {
  const object: JsonObject = { description: sentence(random), type: 'object', properties: membersFor(size, random) };
  const itemLimit = size.isBounded ? { maxItems: 8 } : {};
  switch (random.pick(['object', 'object', 'list', 'keyed', 'map'])) {
    case 'list':
      return { description: sentence(random), type: 'array', items: object, ...itemLimit };
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
      return { description: sentence(random), type: 'object', additionalProperties: object };
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

function leafSchema(random: SeededRandom): JsonObject {
  return { description: sentence(random), ...(random.withProbability(INT64_SHARE) ? random.pick(INT64_SCHEMAS) : random.pick(LEAVES)) };
}

function sentence(random: SeededRandom): string {
  return Array.from({ length: random.pick([1, 2, 2, 3]) }, () => random.pick(PHRASES)).join(' ');
}

/** The numbers below `count` in random order. */
function shuffled(count: number, random: SeededRandom): readonly number[] {
  const numbers = Array.from({ length: count }, (_, index) => index);
  for (let left = count - 1; left > 0; left -= 1) {
    const other = random.integerBelow(left + 1);
    [numbers[left], numbers[other]] = [numbers[other] ?? 0, numbers[left] ?? 0];
  }
  return numbers;
}
