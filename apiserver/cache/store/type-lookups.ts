/**
 * Finds the type of a store key without a cache, by the segment of the key alone: for the metrics and the encryption of
 * the store, which see keys before a cache is opened. Custom resources are recognized as in key-space.ts.
 */
import { prefixRange } from '../../storage/store';
import type { StoredType } from '../cache';
import { customTypeName, isCustomResource } from './key-space';

/**
 * Returns a function from a store key to the name of its type, such as `secrets` or `deployments.apps`; `undefined` for
 * keys of no type.
 */
export function createTypeNameLookup(prefix: string, types: readonly StoredType[]): (storeKey: string) => string | undefined {
  const root = `${prefix}/`;
  const names = new Map(types.map(({ segment, name }) => [segment, name]));
  return (storeKey) => {
    const firstSlash = storeKey.indexOf('/', root.length);
    if (firstSlash < 0 || !storeKey.startsWith(root)) return undefined;
    const nameOfFirstPart = names.get(storeKey.slice(root.length, firstSlash));
    if (nameOfFirstPart !== undefined) return nameOfFirstPart;
    const secondSlash = storeKey.indexOf('/', firstSlash + 1);
    if (secondSlash < 0) return undefined;
    const segment = storeKey.slice(root.length, secondSlash);
    return names.get(segment) ?? (isCustomResource(segment) ? customTypeName(segment) : undefined);
  };
}

/**
 * Returns a function from a store key to its type and the key after all keys of that type; `undefined` for keys of
 * no type.
 */
export function createTypeRangeLookup(
  prefix: string,
  types: readonly StoredType[],
): (storeKey: string) => { readonly name: string; readonly end: string } | undefined {
  const nameOf = createTypeNameLookup(prefix, types);
  const root = `${prefix}/`;
  const segments = new Set(types.map(({ segment }) => segment));
  return (storeKey) => {
    const name = nameOf(storeKey);
    if (name === undefined) return undefined;
    const firstSlash = storeKey.indexOf('/', root.length);
    const isFirstPartType = segments.has(storeKey.slice(root.length, firstSlash));
    const endSlash = isFirstPartType ? firstSlash : storeKey.indexOf('/', firstSlash + 1);
    return { name, end: prefixRange(storeKey.slice(0, endSlash + 1)).end };
  };
}
