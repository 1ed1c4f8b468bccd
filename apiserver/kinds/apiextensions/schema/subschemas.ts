/**
 * Traverses the JSON of a schema before it is known to be structural: members of a wrong type are skipped, so nothing
 * here throws. Field paths are spelled as upstream spells them.
 */
import type { FieldError } from '../../../../shared/api/errors/field-error';
import { arrayAt, isObject, objectAt, ownMember, sortedKeys, type JsonObject, type JsonValue } from '../../../../shared/values/json';

/**
 * Upstream reports every error of a schema; here errors beyond this many characters are dropped, to bound the
 * response.
 */
export const MAX_ERROR_CHARACTERS = 256 * 1024;

/** Keeps the first errors, up to {@link MAX_ERROR_CHARACTERS}. */
export function limitErrors(errors: readonly FieldError[]): FieldError[] {
  let length = 0;
  return errors.filter(({ text }) => {
    const fits = length < MAX_ERROR_CHARACTERS;
    length += text.length;
    return fits;
  });
}

/** A schema and its path within the definition. */
export interface LocatedSchema {
  readonly schema: JsonObject;
  readonly fieldPath: string;
  /** Last step of the path: `.items`, `.properties[name]`. Compare this instead of the path, which may be long. */
  readonly step: string;
}

/** The root as a located schema: it has no step. */
export const locateRoot = (schema: JsonObject, fieldPath: string): LocatedSchema => ({ schema, fieldPath, step: '' });

const locate = (schema: JsonObject, fieldPath: string, step: string): LocatedSchema => ({ schema, fieldPath: fieldPath + step, step });

/** The keywords with subschemas that restrict the same value as the schema itself. */
const JUNCTORS = ['allOf', 'anyOf', 'oneOf', 'not'] as const;

const NO_SCHEMAS: readonly LocatedSchema[] = [];

/** The schemas below `allOf`, `anyOf`, `oneOf` and `not`. */
export function junctorSchemas(schema: JsonObject, fieldPath: string): readonly LocatedSchema[] {
  if (!JUNCTORS.some((member) => ownMember(schema, member) !== undefined)) return NO_SCHEMAS;
  return JUNCTORS.flatMap((member) => {
    if (member !== 'not') return schemasInList(schema, member, fieldPath);
    const negated = objectAt(schema, member);
    return negated === undefined ? [] : [locate(negated, fieldPath, `.${member}`)];
  });
}

/** The schemas in a member that maps names to schemas, sorted by name. */
export function schemasInMap(schema: JsonObject, member: string, fieldPath: string): readonly LocatedSchema[] {
  const map = objectAt(schema, member);
  if (map === undefined) return NO_SCHEMAS;
  return sortedKeys(map).flatMap((name) => {
    const value = ownMember(map, name);
    return isObject(value) ? [locate(value, fieldPath, `.${member}[${name}]`)] : [];
  });
}

/** `items` may be one schema or a list. */
export function itemSchemas(schema: JsonObject, fieldPath: string): readonly LocatedSchema[] {
  return Array.isArray(ownMember(schema, 'items')) ? schemasInList(schema, 'items', fieldPath) : schemaAtMember(schema, 'items', fieldPath);
}

/** The schema in a member, alone in a list; an empty list without it. */
export function schemaAtMember(schema: JsonObject, member: string, fieldPath: string): readonly LocatedSchema[] {
  const subschema = objectAt(schema, member);
  return subschema === undefined ? NO_SCHEMAS : [locate(subschema, fieldPath, `.${member}`)];
}

function schemasInList(schema: JsonObject, member: string, fieldPath: string): readonly LocatedSchema[] {
  const list = arrayAt(schema, member);
  if (list === undefined) return NO_SCHEMAS;
  return list.flatMap((value, index) => (isObject(value) ? [locate(value, fieldPath, `.${member}[${index}]`)] : []));
}

/** The schemas of the items, properties and additional properties. */
export function valueSchemas(schema: JsonObject, fieldPath: string): readonly LocatedSchema[] {
  return [
    ...itemSchemas(schema, fieldPath),
    ...schemasInMap(schema, 'properties', fieldPath),
    ...schemaAtMember(schema, 'additionalProperties', fieldPath),
  ];
}

/** A keyword with subschemas, and the function that reads them. */
interface SubschemaKeyword {
  readonly member: string;
  readonly find: (schema: JsonObject, member: string, fieldPath: string) => readonly LocatedSchema[];
}

/** In upstream's order. */
const SUBSCHEMA_KEYWORDS: readonly SubschemaKeyword[] = [
  { member: 'additionalProperties', find: schemaAtMember },
  { member: 'properties', find: schemasInMap },
  ...JUNCTORS.map((member) => ({ member, find: member === 'not' ? schemaAtMember : schemasInList })),
  { member: 'definitions', find: schemasInMap },
  { member: 'dependencies', find: schemasInMap },
  { member: 'items', find: (schema, _member, fieldPath) => itemSchemas(schema, fieldPath) },
];

/** The direct subschemas, in upstream's order. */
export function subschemas(schema: JsonObject, fieldPath: string): readonly LocatedSchema[] {
  let collected: readonly LocatedSchema[] = NO_SCHEMAS;
  for (const { member, find } of SUBSCHEMA_KEYWORDS) {
    if (ownMember(schema, member) === undefined) continue;
    const added = find(schema, member, fieldPath);
    collected = collected.length === 0 ? added : [...collected, ...added];
  }
  return collected;
}

/** Whether the schema or any schema below it satisfies the predicate. Computes no field paths, unlike {@link subschemas}. */
export function schemaHas(schema: JsonObject, predicate: (schema: JsonObject) => boolean): boolean {
  if (predicate(schema)) return true;
  const matches = (value: JsonValue): boolean => isObject(value) && schemaHas(value, predicate);
  return SUBSCHEMA_KEYWORDS.some(({ member, find }) => {
    const value = ownMember(schema, member);
    if (value === undefined) return false;
    if (find === schemasInMap) return isObject(value) && Object.values(value).some(matches);
    if (find === schemaAtMember) return matches(value);
    return Array.isArray(value) ? value.some(matches) : matches(value);
  });
}
