/**
 * Conversion between a served version of a kind and its storage version (the hub), and the conversions that are defined
 * by data alone. A conversion does not change its argument: it returns it, or a new object that may share parts with it.
 * Validation is left to the callers.
 */
import type { Dialect } from '../../names/dialect';
import { ownMember, type JsonObject } from '../../values/json';
import type { AnnotationKeyOf } from '../metadata/carried-annotations';

/** The conversion between a served version and the hub. */
export interface Conversion {
  /** Converts a decoded object of the served version to the hub. Reads annotations under either spelling of their keys. */
  toHub(object: JsonObject): JsonObject;
  /** Converts an object of the hub to the served version. `dialect`: the spelling of the keys of added annotations. */
  fromHub(object: JsonObject, dialect: Dialect): JsonObject;
  /**
   * Annotations in which the served version carries fields of the hub. A write in the hub version drops them (see
   * `dropFieldAnnotations`).
   */
  readonly fieldAnnotations?: readonly AnnotationKeyOf[];
}

/** For versions that have the same fields. */
export const IDENTITY_CONVERSION: Conversion = { toHub: (object) => object, fromHub: (object) => object };

/**
 * For versions that differ in the names of top-level fields. `names` is from the hub's name to the served one:
 * `{ involvedObject: 'regarding' }`.
 */
export function renamingConversion(names: Readonly<Record<string, string>>): Conversion {
  const fromHub = new Map(Object.entries(names));
  const toHub = new Map(Object.entries(names).map(([hub, served]) => [served, hub]));
  return { toHub: (object) => renameMembers(object, toHub), fromHub: (object) => renameMembers(object, fromHub) };
}

function renameMembers(object: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  const renamed: JsonObject = {};
  for (const member of Object.keys(object)) renamed[names.get(member) ?? member] = ownMember(object, member) ?? null;
  return renamed;
}
