/**
 * Reads and writes `metadata.managedFields`: the entries of the managers that own fields of an object. Does not change
 * ownership.
 */
import { compareBytes, isObject, stringAt, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { runStepsSync, type Steps } from '../../scheduling/steps';
import { parseFieldSetInSteps } from './canonical-field-set';
import { isEmptySet, type FieldSet } from './field-set';

/** The identity of a manager in managedFields. */
export interface FieldManager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  /** The version in which the manager wrote; the paths of its field set are those of this version. */
  readonly apiVersion: string;
  /** `''` for writes to the object itself. */
  readonly subresource: string;
}

/** A parsed entry of managedFields. */
export interface ManagedFieldsEntry {
  readonly manager: FieldManager;
  /** When the fields were last changed: RFC 3339, UTC, whole seconds. `undefined` for an entry without a time. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** An object without managedFields, and its entries. */
export interface ManagedObject {
  readonly object: JsonObject;
  readonly entries: readonly ManagedFieldsEntry[];
}

/** Whether two entries belong to the same manager. For an apply, the version is not part of the identity. */
export function isSameManager(a: FieldManager, b: FieldManager): boolean {
  return (
    a.name === b.name &&
    a.operation === b.operation &&
    a.subresource === b.subresource &&
    (a.operation === 'Apply' || a.apiVersion === b.apiVersion)
  );
}

/** A text that two managers have in common exactly when {@link isSameManager} is true for them. */
export function managerKey({ name, operation, apiVersion, subresource }: FieldManager): string {
  return JSON.stringify([name, operation, subresource, operation === 'Apply' ? '' : apiVersion]);
}

/**
 * Reads the entries of a stored object. Their sets are in canonical form already. Leaves out malformed entries.
 */
export function readManagedFields(list: JsonArray): readonly ManagedFieldsEntry[] {
  return list.flatMap((item) => {
    const fields = isObject(item) ? item['fieldsV1'] : undefined;
    return readEntry(item, isObject(fields) ? fields : undefined) ?? [];
  });
}

/**
 * Parses the entries of a request; `undefined` when one of them is malformed. Of several entries of the same manager
 * the last is taken.
 */
export function parseManagedFields(list: JsonArray): readonly ManagedFieldsEntry[] | undefined {
  return runStepsSync(parseManagedFieldsInSteps(list));
}

/** {@link parseManagedFields} in steps, so that the caller can yield between them. */
export function* parseManagedFieldsInSteps(list: JsonArray): Steps<readonly ManagedFieldsEntry[] | undefined> {
  const entries = new Map<string, ManagedFieldsEntry>();
  for (const item of list) {
    const entry = readEntry(item, isObject(item) ? yield* parseFieldSetInSteps(item['fieldsV1']) : undefined);
    if (entry === undefined) return undefined;
    entries.set(managerKey(entry.manager), entry);
  }
  return [...entries.values()];
}

function readEntry(item: JsonValue, fields: FieldSet | undefined): ManagedFieldsEntry | undefined {
  if (!isObject(item)) return undefined;
  const operation = stringAt(item, 'operation');
  const apiVersion = stringAt(item, 'apiVersion') ?? '';
  const isOperation = operation === 'Apply' || operation === 'Update';
  if (!isOperation || apiVersion === '' || fields === undefined) return undefined;
  if (stringAt(item, 'fieldsType') !== 'FieldsV1') return undefined;
  const manager: FieldManager = {
    name: stringAt(item, 'manager') ?? '',
    operation,
    apiVersion,
    subresource: stringAt(item, 'subresource') ?? '',
  };
  return { manager, time: stringAt(item, 'time'), fields };
}

/** Whether the list of a request is `[{}]`, which removes all ownership. An empty list, in contrast, changes nothing. */
export function isManagedFieldsReset(list: JsonArray): boolean {
  const [entry] = list;
  return list.length === 1 && isObject(entry) && Object.keys(entry).length === 0;
}

/** The JSON of the entries in upstream's order, without entries that own nothing. */
export function writeManagedFields(entries: readonly ManagedFieldsEntry[]): JsonArray {
  return entries
    .filter(({ fields }) => !isEmptySet(fields))
    .sort(compareEntries)
    .map(writeEntry);
}

function writeEntry({ manager, time, fields }: ManagedFieldsEntry): JsonObject {
  return {
    ...(manager.name === '' ? {} : { manager: manager.name }),
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...(manager.subresource === '' ? {} : { subresource: manager.subresource }),
  };
}

/** Apply before Update, then older before newer, then by manager. */
function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareBytes(a.manager.operation, b.manager.operation) ||
    compareBytes(a.time ?? '', b.time ?? '') ||
    compareManagers(a.manager, b.manager)
  );
}

/** Orders by name, then Apply before Update, then by version and subresource. */
export function compareManagers(a: FieldManager, b: FieldManager): number {
  return (
    compareBytes(a.name, b.name) ||
    compareBytes(a.operation, b.operation) ||
    compareBytes(a.apiVersion, b.apiVersion) ||
    compareBytes(a.subresource, b.subresource)
  );
}
