/** Reads the tables of intended differences, which are YAML files in this folder. */
import { load } from 'js-yaml';
import type { Check } from '../../replay/shape';
import { readRepositoryFile } from '../repository';

/** Throws when the file has other members than `check` accepts. */
export function readDeviations<T>(file: string, check: Check<T>): T {
  const value = load(readRepositoryFile(`test/support/deviations/${file}`));
  if (!check(value)) throw new Error(`${file} has members that are not read`);
  return value;
}
