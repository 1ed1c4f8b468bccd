/**
 * Walks an object along its types and calls a visitor at the types that have one. Skips parts of an object that have no
 * visitor at any depth. The visitors belong to the callers (defaults.ts, disabled-fields.ts).
 */
import { isObject, type JsonObject, type JsonValue } from '../../values/json';
import { schemaOf } from './tables';
import type { FieldSchema, FieldType } from './types';

/** Modifies an object of a type in place. */
export type ObjectVisitor = (object: JsonObject) => void;

/** What a walk does. The methods are called once per type and field; the visitors that they return run for every object. */
export interface WalkHandlers {
  /** The visitor of objects of the type, called before their fields are visited; `undefined` when there is none. */
  objectVisitor(type: string): ObjectVisitor | undefined;
  /** A visitor for a field's value that replaces the default visit; `undefined` when the value is visited as usual. */
  memberVisitor?(field: FieldSchema, type: string): ((value: JsonValue) => void) | undefined;
}

/** Returns, for a type, the visitor that walks its objects; `undefined` when no visitor applies at any depth. */
export function createWalker(handlers: WalkHandlers): (type: string) => ObjectVisitor | undefined {
  /** Compiled visitors, by type; `undefined` for a type without a visitor at any depth. */
  const visitors = new Map<string, ObjectVisitor | undefined>();
  const visitorOf = (type: string): ObjectVisitor | undefined => {
    if (visitors.has(type)) return visitors.get(type);
    // A type may be recursive: while it is compiled, references to it resolve at each call.
    visitors.set(type, (object) => visitors.get(type)?.(object));
    const compiled = compileVisitor(type);
    visitors.set(type, compiled);
    return compiled;
  };
  const compileVisitor = (type: string): ObjectVisitor | undefined => {
    const visitObject = handlers.objectVisitor(type);
    const members = schemaOf(type).fields.flatMap((field) => compileMember(field, type) ?? []);
    if (members.length === 0) return visitObject;
    return (object) => {
      visitObject?.(object);
      for (const { name, visit } of members) {
        const value = object[name];
        if (value !== undefined && value !== null) visit(value);
      }
    };
  };
  const compileMember = (field: FieldSchema, type: string): { name: string; visit: (value: JsonValue) => void } | undefined => {
    const visitMember = handlers.memberVisitor?.(field, type);
    if (visitMember !== undefined) return { name: field.name, visit: visitMember };
    const nestedType = elementType(field.type);
    const visit = nestedType === undefined ? undefined : visitorOf(nestedType);
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

/** The object type of a field, or of the items of its lists at any depth. Maps are not walked. */
function elementType(type: FieldType): string | undefined {
  if (type.kind === 'object') return type.type;
  return type.kind === 'list' ? elementType(type.element) : undefined;
}
