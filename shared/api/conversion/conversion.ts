/**
 * What a conversion between a served version of a kind and the version in which its objects are stored (the hub) is, and the ones that are
 * nothing but data. Conversions are pure: they make new objects, share what stays as it is, and judge nothing.
 */
import type { Dialect } from '../../names/dialect';
import { own, type JsonObject } from '../../values/json';
import type { KeyOf } from '../metadata/carried-annotations';

export interface Conversion {
  /** A decoded object of the served version as one of the hub. Names are understood in both dialects. */
  toHub(object: JsonObject): JsonObject;
  /** An object of the hub as one of the served version; annotations that it needs are named in the dialect. */
  fromHub(object: JsonObject, dialect: Dialect): JsonObject;
  /** Annotations in which the served version carries fields of the hub. A write in the version of the hub drops them. */
  readonly carried?: readonly KeyOf[];
}

/** For versions that differ in nothing but their names. */
export const SAME: Conversion = { toHub: (object) => object, fromHub: (object) => object };

/** For versions whose members are called differently: by the hub's names, the served version's. */
export function renamed(names: Readonly<Record<string, string>>): Conversion {
  const fromHub = new Map(Object.entries(names));
  const toHub = new Map(Object.entries(names).map(([hub, served]) => [served, hub]));
  return { toHub: (object) => rename(object, toHub), fromHub: (object) => rename(object, fromHub) };
}

function rename(object: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  const made: JsonObject = {};
  for (const member of Object.keys(object)) made[names.get(member) ?? member] = own(object, member) ?? null;
  return made;
}
