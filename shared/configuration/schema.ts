/**
 * Constructors of schemas for configuration files. Each combines a JSON schema with the TypeScript type of valid values,
 * so that the two cannot differ. validator.ts validates values against them.
 */
import type { JsonObject } from '../values/json';

/** A JSON schema together with the type of valid values. */
export interface ConfigurationSchema<T> {
  readonly json: JsonObject;
  /** Exists only in the type, for {@link ValueOf}; no schema has it at run time. */
  readonly shape?: T;
}

/** The type of the values that satisfy a schema. */
export type ValueOf<S> = S extends ConfigurationSchema<infer T> ? T : never;

/** Schemas by the names of members. */
type Members = Readonly<Record<string, ConfigurationSchema<unknown>>>;
/** The types of their values. */
type Shapes<M extends Members> = { readonly [Name in keyof M]: ValueOf<M[Name]> };
/** The same type as one object type instead of an intersection, which editors and errors show readably. */
type Plain<T> = { readonly [Name in keyof T]: T[Name] };

/** The name of the format of durations such as `1m30s`. */
export const DURATION_FORMAT = 'go-duration';

/** A string; `format` is one of the package ajv-formats, or {@link DURATION_FORMAT}. */
export function stringSchema(format?: string): ConfigurationSchema<string> {
  return { json: { type: 'string', ...(format === undefined ? {} : { format }) } };
}

/** A string that is one of the words. */
export function enumSchema<const Word extends string>(...words: readonly Word[]): ConfigurationSchema<Word> {
  return { json: { type: 'string', enum: [...words] } };
}

export const booleanSchema: ConfigurationSchema<boolean> = { json: { type: 'boolean' } };

/** An integer between the bounds, which are included. */
export function integerSchema(minimum: number, maximum: number): ConfigurationSchema<number> {
  return { json: { type: 'integer', minimum, maximum } };
}

/** An object with any members. */
export const anyObjectSchema: ConfigurationSchema<JsonObject> = { json: { type: 'object' } };

/** A list with at least `minItems` items. */
export function listSchema<T>(item: ConfigurationSchema<T>, minItems = 0): ConfigurationSchema<readonly T[]> {
  return { json: { type: 'array', items: item.json, minItems } };
}

/** An object with members of any name, and with values that satisfy the schema. */
export function mapSchema<T>(value: ConfigurationSchema<T>): ConfigurationSchema<Readonly<Record<string, T>>> {
  return { json: { type: 'object', additionalProperties: value.json } };
}

/** An object with exactly the listed members; those of `optional` may be absent. */
export function objectSchema<R extends Members, O extends Members>(
  required: R,
  optional: O,
): ConfigurationSchema<Plain<Shapes<R> & Partial<Shapes<O>>>> {
  const properties: JsonObject = {};
  for (const [name, { json }] of Object.entries({ ...required, ...optional })) properties[name] = json;
  return { json: { type: 'object', properties, required: Object.keys(required), additionalProperties: false } };
}
