/**
 * The vocabulary in which the schema of a configuration file is written: each word is a JSON schema together with the type of what satisfies it,
 * so that the two cannot differ. Objects take only the members that are named. Never validates.
 */
import type { JsonObject } from '../values/json';

export interface Schema<T> {
  readonly json: JsonObject;
  /** Never set: it carries the type. */
  readonly shape?: T;
}

/** What satisfies a schema. */
export type Configured<S> = S extends Schema<infer T> ? T : never;

type Members = Readonly<Record<string, Schema<unknown>>>;
type Shapes<M extends Members> = { readonly [Name in keyof M]: Configured<M[Name]> };
type Plain<T> = { readonly [Name in keyof T]: T[Name] };

/** The format of a duration such as `1m30s`. */
export const DURATION_FORMAT = 'go-duration';

/** `format` is one of ajv-formats, or {@link DURATION_FORMAT}. */
export function text(format?: string): Schema<string> {
  return { json: { type: 'string', ...(format === undefined ? {} : { format }) } };
}

export function word<const Word extends string>(...words: readonly Word[]): Schema<Word> {
  return { json: { type: 'string', enum: [...words] } };
}

export const flag: Schema<boolean> = { json: { type: 'boolean' } };

export function integer(minimum: number, maximum: number): Schema<number> {
  return { json: { type: 'integer', minimum, maximum } };
}

/** Any object, which nobody looks into. */
export const anyObject: Schema<JsonObject> = { json: { type: 'object' } };

export function listOf<T>(item: Schema<T>, least = 0): Schema<readonly T[]> {
  return { json: { type: 'array', items: item.json, minItems: least } };
}

export function mapOf<T>(value: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return { json: { type: 'object', additionalProperties: value.json } };
}

export function object<R extends Members, O extends Members>(required: R, optional: O): Schema<Plain<Shapes<R> & Partial<Shapes<O>>>> {
  const properties: JsonObject = {};
  for (const [name, { json }] of Object.entries({ ...required, ...optional })) properties[name] = json;
  return { json: { type: 'object', properties, required: Object.keys(required), additionalProperties: false } };
}
