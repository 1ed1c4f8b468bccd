/**
 * The keys of a type's current objects by the value of one selectable field. A list with a field selector then reads
 * only the objects that have the value. Past states have no index.
 */
import { compareBytes } from '../../../shared/values/json';
import type { Entry } from '../cache';

/** The index of one field of a type. Its owner reports every change of an object. */
export class FieldIndex {
  private readonly keysByValue = new Map<string, Set<string>>();

  constructor(readonly field: string) {}

  /** Indexes the new state of an object; `previous` is its state in the index, if any. */
  replace(previous: Entry | undefined, current: Entry): void {
    if (previous !== undefined) {
      if (fieldValue(previous, this.field) === fieldValue(current, this.field)) return;
      this.delete(previous);
    }
    this.add(current);
  }

  /** Removes the state of an object that is in the index. */
  delete(entry: Entry): void {
    const value = fieldValue(entry, this.field);
    const keys = this.keysByValue.get(value);
    if (keys?.delete(entry.key) === true && keys.size === 0) this.keysByValue.delete(value);
  }

  /** The keys with the value, sorted by their UTF-8 bytes; `undefined` when they are more than `limit`. */
  keysWith(value: string, limit: number): readonly string[] | undefined {
    const keys = this.keysByValue.get(value);
    if (keys === undefined) return [];
    return keys.size > limit ? undefined : [...keys].sort(compareBytes);
  }

  private add(entry: Entry): void {
    const value = fieldValue(entry, this.field);
    const keys = this.keysByValue.get(value);
    if (keys === undefined) this.keysByValue.set(value, new Set([entry.key]));
    else keys.add(entry.key);
  }
}

/** The value of a selectable field; entries without the field have the empty value. */
export function fieldValue(entry: Entry, field: string): string {
  return entry.fields[field] ?? '';
}
