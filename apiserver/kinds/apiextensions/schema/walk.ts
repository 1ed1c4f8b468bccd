/** Ways through the JSON of a schema, before it is known to be structural. Places are spelled as upstream spells them. */
import { arrayAt, isObject, objectAt, own, sortedKeys, type JsonObject } from '../../../../shared/values/json';

/** Upstream says everything that is wrong with a schema; nobody reads more characters than these. */
export const MOST_TEXT = 1 << 18;

export interface Placed {
  readonly schema: JsonObject;
  readonly place: string;
  /** The end of the place, by which the schema above leads here: `.items`, `.properties[name]`. Places may be long, so nobody should compare them. */
  readonly step: string;
}

export const atRoot = (schema: JsonObject, place: string): Placed => ({ schema, place, step: '' });

const placed = (schema: JsonObject, place: string, step: string): Placed => ({ schema, place: place + step, step });

/** The keywords below which the same value is restricted further. */
const LOGICAL = ['allOf', 'anyOf', 'oneOf', 'not'] as const;

const NOTHING: readonly Placed[] = [];

export function underLogic(schema: JsonObject, place: string): readonly Placed[] {
  if (!LOGICAL.some((member) => own(schema, member) !== undefined)) return NOTHING;
  return LOGICAL.flatMap((member) => {
    if (member !== 'not') return inList(schema, member, place);
    const found = objectAt(schema, member);
    return found === undefined ? [] : [placed(found, place, `.${member}`)];
  });
}

export function inMap(schema: JsonObject, member: string, place: string): readonly Placed[] {
  const found = objectAt(schema, member);
  if (found === undefined) return NOTHING;
  return sortedKeys(found).flatMap((name) => {
    const value = own(found, name);
    return isObject(value) ? [placed(value, place, `.${member}[${name}]`)] : [];
  });
}

/** One schema, or a list of them. */
export function atItems(schema: JsonObject, place: string): readonly Placed[] {
  return Array.isArray(own(schema, 'items')) ? inList(schema, 'items', place) : atMember(schema, 'items', place);
}

export function atMember(schema: JsonObject, member: string, place: string): readonly Placed[] {
  const found = objectAt(schema, member);
  return found === undefined ? NOTHING : [placed(found, place, `.${member}`)];
}

function inList(schema: JsonObject, member: string, place: string): readonly Placed[] {
  const found = arrayAt(schema, member);
  if (found === undefined) return NOTHING;
  return found.flatMap((value, index) => (isObject(value) ? [placed(value, place, `.${member}[${index}]`)] : []));
}

/** The schemas of a value's parts. */
export function parts(schema: JsonObject, place: string): readonly Placed[] {
  return [...atItems(schema, place), ...inMap(schema, 'properties', place), ...atMember(schema, 'additionalProperties', place)];
}

/** The schemas right below one that upstream looks at. */
export function below(schema: JsonObject, place: string): readonly Placed[] {
  return [
    ...atMember(schema, 'additionalProperties', place),
    ...inMap(schema, 'properties', place),
    ...underLogic(schema, place),
    ...inMap(schema, 'definitions', place),
    ...inMap(schema, 'dependencies', place),
    ...atItems(schema, place),
  ];
}

/** Whether one of the schemas has the property. */
export function someSchema(schema: JsonObject, test: (schema: JsonObject) => boolean): boolean {
  return test(schema) || below(schema, '').some((inner) => someSchema(inner.schema, test));
}
