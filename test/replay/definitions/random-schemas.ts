/**
 * Schemas at random: most are nearly good, every keyword stands everywhere, every fault stands beside others. Which schema belongs to a seed never
 * changes, so that a recording need not hold them.
 */
import { createChance, type Chance } from '../chance';
import type { Body, Json } from '../reference';

const NAMES = ['a', 'b', 'metadata', 'kind', 'spec', 'k', 'apiVersion', 'c.d'];
const JUNCTORS = ['allOf', 'anyOf', 'oneOf'];
const EITHER: Json = [{ type: 'integer' }, { type: 'string' }];
const TYPES = ['string', 'object', 'object', 'array', 'integer', 'boolean', 'number'];

/** Every keyword of a value, how often it is said, and what it may say. `rare` are those that are refused wherever they stand. */
const KEYWORDS: readonly { readonly name: string; readonly share: number; readonly values: readonly Json[] }[] = [
  { name: 'x-kubernetes-preserve-unknown-fields', share: 0.03, values: [true, true, true, false] },
  { name: 'x-kubernetes-int-or-string', share: 0.04, values: [true] },
  { name: 'x-kubernetes-embedded-resource', share: 0.05, values: [true] },
  { name: 'nullable', share: 0.06, values: [true] },
  { name: 'description', share: 0.03, values: ['d'] },
  { name: 'title', share: 0.02, values: ['t'] },
  { name: 'pattern', share: 0.05, values: ['^a', '('] },
  { name: 'required', share: 0.1, values: NAMES.map((name) => [name]) },
  { name: 'enum', share: 0.04, values: [['x', 1], ['abc'], [null, true]] },
  { name: 'format', share: 0.05, values: ['date', 'ipv4', 'x', 'cidr'] },
  { name: 'minLength', share: 0.05, values: [2] },
  { name: 'maximum', share: 0.05, values: [2] },
  { name: 'maxProperties', share: 0.03, values: [0] },
  { name: 'maxItems', share: 0.03, values: [1] },
  { name: '$ref', share: 0.008, values: ['x'] },
  { name: 'id', share: 0.008, values: ['x'] },
  { name: 'uniqueItems', share: 0.008, values: [true] },
  { name: '$schema', share: 0.005, values: ['s'] },
  { name: 'additionalItems', share: 0.005, values: [true, false, { type: 'string' }] },
  { name: 'definitions', share: 0.008, values: [{ x: { type: 'string' } }, { y: { uniqueItems: true } }] },
  { name: 'patternProperties', share: 0.005, values: [{ x: { type: 'string' } }] },
  { name: 'dependencies', share: 0.005, values: [{ x: ['a'], y: { uniqueItems: true } }] },
];

export function randomSchema(seed: number): Body {
  const chance = createChance(seed);
  const schema = schemaOf(chance, 3, false);
  return chance.often(0.95) ? { ...schema, type: 'object' } : schema;
}

function schemaOf(chance: Chance, depth: number, nested: boolean): Body {
  const schema: Body = {};
  const says = chance.often(nested ? 0.1 : 0.94);
  const type = says ? chance.pick(chance.often(0.02) ? ['null'] : TYPES) : '';
  if (says) schema['type'] = type;
  if (depth > 0) addParts(schema, type, chance, depth - 1, nested);
  for (const { name, share, values } of KEYWORDS) if (chance.often(share)) schema[name] = chance.pick(values);
  addExtensions(schema, type, chance);
  if (chance.often(nested ? 0.02 : 0.18)) schema['default'] = valueOf(chance, 2);
  return schema;
}

function addParts(schema: Body, type: string, chance: Chance, depth: number, nested: boolean): void {
  const below = (isNested = nested): Body => schemaOf(chance, depth, isNested);
  if (chance.often(type === 'object' ? 0.7 : 0.07)) {
    const names = [chance.pick(NAMES), ...(chance.often(0.7) ? [chance.pick(NAMES)] : [])];
    schema['properties'] = Object.fromEntries(names.map((name) => [name, below()]));
  }
  if (chance.often(type === 'array' ? 0.93 : 0.06)) schema['items'] = chance.often(0.04) ? [below()] : below();
  if (chance.often(type === 'object' && !nested ? 0.2 : 0.05))
    schema['additionalProperties'] = chance.often(0.3) ? chance.often(0.5) : below();
  for (const junctor of JUNCTORS) {
    if (chance.often(nested ? 0.05 : 0.08))
      schema[junctor] = chance.often(0.15) ? EITHER : [below(true), ...(chance.often(0.3) ? [below(true)] : [])];
  }
  if (chance.often(0.05)) schema['not'] = below(true);
}

/** How lists and maps are merged. */
function addExtensions(schema: Body, type: string, chance: Chance): void {
  const listType = chance.pick(['set', 'map', 'atomic', 'set', 'map', 'x']);
  if (chance.often(type === 'array' ? 0.35 : 0.02)) schema['x-kubernetes-list-type'] = listType;
  const isKeyed = schema['x-kubernetes-list-type'] === 'map';
  if (chance.often(isKeyed ? 0.9 : 0.02))
    schema['x-kubernetes-list-map-keys'] = chance.pick<Json>([['k'], ['k'], ['a'], ['k', 'a'], ['k', 'k'], ['']]);
  if (chance.often(type === 'object' ? 0.1 : 0.02)) schema['x-kubernetes-map-type'] = chance.pick(['atomic', 'granular', 'x']);
}

const PLAIN: readonly Json[] = ['x', 1, 1.5, true, null, 'abc', 3];

function valueOf(chance: Chance, depth: number): Json {
  if (depth === 0 || chance.often(0.6)) return chance.pick(PLAIN);
  if (chance.often(0.4)) return [valueOf(chance, depth - 1), valueOf(chance, depth - 1)];
  return Object.fromEntries(NAMES.filter(() => chance.often(0.3)).map((name) => [name, valueOf(chance, depth - 1)]));
}
