/** Ways through the JSON of a schema, before it is known to be structural. Places are spelled as upstream spells them. */
import type { FieldError } from '../../../../shared/api/errors/field-error';
import { arrayAt, isObject, objectAt, own, sortedKeys, type JsonObject, type JsonValue } from '../../../../shared/values/json';

/** Upstream says everything that is wrong with a schema; nobody reads more characters than these. */
export const MOST_TEXT = 1 << 18;

/** The first ones, as far as somebody reads. */
export function told(errors: readonly FieldError[]): FieldError[] {
  let length = 0;
  return errors.filter(({ text }) => {
    const fits = length < MOST_TEXT;
    length += text.length;
    return fits;
  });
}

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

/** The keywords below which upstream looks at schemas, in its order, and how they hold them. */
const BELOW: readonly (readonly [member: string, find: (schema: JsonObject, member: string, place: string) => readonly Placed[]])[] = [
  ['additionalProperties', atMember],
  ['properties', inMap],
  ...LOGICAL.map((member) => [member, member === 'not' ? atMember : inList] as const),
  ['definitions', inMap],
  ['dependencies', inMap],
  ['items', (schema, _member, place) => atItems(schema, place)],
];

/** The schemas right below one that upstream looks at. */
export function below(schema: JsonObject, place: string): readonly Placed[] {
  let found: readonly Placed[] = NOTHING;
  for (const [member, find] of BELOW) {
    if (own(schema, member) === undefined) continue;
    const here = find(schema, member, place);
    found = found.length === 0 ? here : [...found, ...here];
  }
  return found;
}

/** Whether one of the schemas has the property. */
export function someSchema(schema: JsonObject, test: (schema: JsonObject) => boolean): boolean {
  if (test(schema)) return true;
  const isSo = (value: JsonValue | undefined): boolean => isObject(value) && someSchema(value, test);
  for (const [member, find] of BELOW) {
    const value = own(schema, member);
    if (value === undefined) continue;
    if (find === inMap) {
      if (isObject(value) && Object.values(value).some(isSo)) return true;
    } else if (isSo(value) || (Array.isArray(value) && find !== atMember && value.some(isSo))) return true;
  }
  return false;
}
