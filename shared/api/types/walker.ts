/**
 * Walks through an object along its types and does something at those that have something to do; parts of an object below which there is
 * nothing to do are not visited. What is done is the caller's (defaults.ts, disabled.ts).
 */
import { isObject, type JsonObject, type JsonValue } from '../../values/json';
import { schemaOf } from './tables';
import type { FieldSchema, FieldType } from './types';

/** Changes an object of a type in place. */
export type ObjectVisitor = (object: JsonObject) => void;

export interface WalkSteps {
  /** What is done to an object of the type before its members are visited; undefined = nothing. */
  at(type: string): ObjectVisitor | undefined;
  /** What is done to a member's value instead of visiting it; undefined = it is visited. */
  member?(field: FieldSchema, type: string): ((value: JsonValue) => void) | undefined;
}

/** By type, the walk through its objects; undefined = nothing to do in them. */
export function walker(steps: WalkSteps): (type: string) => ObjectVisitor | undefined {
  /** A type under construction counts as having something to do. */
  const known = new Map<string, ObjectVisitor | undefined>();
  const visitorOf = (type: string): ObjectVisitor | undefined => {
    if (known.has(type)) return known.get(type);
    // Types may refer to themselves: while one is compiled, what refers to it asks again later.
    known.set(type, (object) => known.get(type)?.(object));
    const compiled = compile(type);
    known.set(type, compiled);
    return compiled;
  };
  const compile = (type: string): ObjectVisitor | undefined => {
    const own = steps.at(type);
    const members = schemaOf(type).fields.flatMap((field) => memberOf(field, type) ?? []);
    if (members.length === 0) return own;
    return (object) => {
      own?.(object);
      for (const { name, visit } of members) {
        const value = object[name];
        if (value !== undefined && value !== null) visit(value);
      }
    };
  };
  const memberOf = (field: FieldSchema, type: string): { name: string; visit: (value: JsonValue) => void } | undefined => {
    const instead = steps.member?.(field, type);
    if (instead !== undefined) return { name: field.name, visit: instead };
    const each = elementType(field.type);
    const visit = each === undefined ? undefined : visitorOf(each);
    if (visit === undefined) return undefined;
    return {
      name: field.name,
      visit: (value) => {
        if (Array.isArray(value)) {
          for (const item of value) if (isObject(item)) visit(item);
        } else if (isObject(value)) visit(value);
      },
    };
  };
  return visitorOf;
}

function elementType(type: FieldType): string | undefined {
  if (type.kind === 'object') return type.type;
  return type.kind === 'list' ? elementType(type.of) : undefined;
}
