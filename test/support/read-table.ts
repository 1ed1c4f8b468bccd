/** Reads tables of tests, which are YAML files beside the tests that use them. */
import { load } from 'js-yaml';
import type { Check } from '../replay/shape';
import { readRepositoryFile } from './repository';

/** `file` is relative to the repository. Throws when the check rejects the table. */
export function readTable<T>(file: string, isTable: Check<T>): T {
  const table = load(readRepositoryFile(file));
  if (!isTable(table)) throw new Error(`${file} does not have the members that are read of it`);
  return table;
}
