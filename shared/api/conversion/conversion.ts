/**
 * Conversion between a served version of a kind and its storage version (the hub), and the conversions that are defined
 * by data alone. Conversions are pure: they return their argument or a new object that shares unchanged parts with it, and
 * do not validate.
 */
import type { Dialect } from '../../names/dialect';
import { ownMember, type JsonObject } from '../../values/json';
import type { AnnotationKeyOf } from '../metadata/carried-annotations';

/** The conversion between a served version and the hub, as a pair of functions that leave their arguments unchanged. */
export interface Conversion {
  /** Converts a decoded object of the served version to the hub. Accepts names in both dialects. */
  toHub(object: JsonObject): JsonObject;
  /** Converts an object of the hub to the served version; annotations that this requires are named in the dialect. */
  fromHub(object: JsonObject, dialect: Dialect): JsonObject;
  /** Annotations in which the served version carries fields of the hub. A write in the hub version drops them. */
  readonly fieldAnnotations?: readonly AnnotationKeyOf[];
}

/** For versions that have the same fields. */
export const IDENTITY_CONVERSION: Conversion = { toHub: (object) => object, fromHub: (object) => object };

/** For versions with other field names. `names` holds the served version's names by the hub's. */
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
