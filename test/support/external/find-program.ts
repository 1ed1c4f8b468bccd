/** Finds programs that tests run. */
import { existsSync } from 'node:fs';
import path from 'node:path';

/** The file that the environment variable names, or else the program on PATH; `undefined` when it does not exist. */
export function findProgram(name: string, variable?: string): string | undefined {
  const named = variable === undefined ? '' : (process.env[variable] ?? '');
  if (named !== '') return existsSync(named) ? named : undefined;
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}
