/**
 * `metadata.managedFields` in and out: who owns which fields of an object. Decides nothing about ownership.
 */
import { compareBytes, isObject, stringAt, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { runStepsSync, type Steps } from '../../scheduling/steps';
import { isEmptySet, parsingFieldSet, type FieldSet } from './field-set';

export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** '' = the object itself. */
  readonly subresource: string;
}

export interface ManagedFieldsEntry {
  readonly manager: Manager;
  /** RFC 3339, UTC, whole seconds. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** Whether two entries are one manager's: an applier is the same in every version. */
export function isSameManager(a: Manager, b: Manager): boolean {
  return (
    a.name === b.name &&
    a.operation === b.operation &&
    a.subresource === b.subresource &&
    (a.operation === 'Apply' || a.apiVersion === b.apiVersion)
  );
}

/** Equal where {@link isSameManager} holds. */
export function managerKey({ name, operation, apiVersion, subresource }: Manager): string {
  return JSON.stringify([name, operation, subresource, operation === 'Apply' ? '' : apiVersion]);
}

/** The entries of a stored object, whose sets are canonical already. */
export function readEntries(list: JsonArray): readonly ManagedFieldsEntry[] {
  return list.flatMap((item) => {
    const fields = isObject(item) ? item['fieldsV1'] : undefined;
    return readEntry(item, isObject(fields) ? fields : undefined) ?? [];
  });
}

/** Entries that a client sent; undefined when one of them cannot be understood. Of two entries of one manager the last counts. */
export function parseEntries(list: JsonArray): readonly ManagedFieldsEntry[] | undefined {
  return runStepsSync(parsingEntries(list));
}

/** The same in steps. */
export function* parsingEntries(list: JsonArray): Steps<readonly ManagedFieldsEntry[] | undefined> {
  const entries = new Map<string, ManagedFieldsEntry>();
  for (const item of list) {
    const entry = readEntry(item, isObject(item) ? yield* parsingFieldSet(item['fieldsV1']) : undefined);
    if (entry === undefined) return undefined;
    entries.set(managerKey(entry.manager), entry);
  }
  return [...entries.values()];
}

function readEntry(item: JsonValue, fields: FieldSet | undefined): ManagedFieldsEntry | undefined {
  if (!isObject(item)) return undefined;
  const operation = stringAt(item, 'operation');
  const apiVersion = stringAt(item, 'apiVersion') ?? '';
  if ((operation !== 'Apply' && operation !== 'Update') || apiVersion === '' || fields === undefined) return undefined;
  if (stringAt(item, 'fieldsType') !== 'FieldsV1') return undefined;
  const manager: Manager = {
    name: stringAt(item, 'manager') ?? '',
    operation,
    apiVersion,
    subresource: stringAt(item, 'subresource') ?? '',
  };
  return { manager, time: stringAt(item, 'time'), fields };
}

/** A list of one empty entry: nobody owns anything any more. An empty list says nothing. */
export function isReset(list: JsonArray): boolean {
  const [only] = list;
  return list.length === 1 && isObject(only) && Object.keys(only).length === 0;
}

/** The list as objects carry it, in upstream's order; entries that own nothing are left out. */
export function writeEntries(entries: readonly ManagedFieldsEntry[]): JsonArray {
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

/** Appliers first, then the older first, then by name. */
function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareBytes(a.manager.operation, b.manager.operation) ||
    compareBytes(a.time ?? '', b.time ?? '') ||
    compareManagers(a.manager, b.manager)
  );
}

/** By name, then appliers first, then by version and subresource. */
export function compareManagers(a: Manager, b: Manager): number {
  return (
    compareBytes(a.name, b.name) ||
    compareBytes(a.operation, b.operation) ||
    compareBytes(a.apiVersion, b.apiVersion) ||
    compareBytes(a.subresource, b.subresource)
  );
}
