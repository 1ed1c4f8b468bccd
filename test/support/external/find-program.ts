/** Finds programs that tests run, and reports tests as skipped that need a missing one. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { reportSkipped } from '../report-skipped';

/** The file that the environment variable names, or else the program on PATH; `undefined` when it does not exist. */
export function findProgram(name: string, variable?: string): string | undefined {
  const named = variable === undefined ? '' : (process.env[variable] ?? '');
  if (named !== '') return existsSync(named) ? named : undefined;
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

/** The environment variables that name programs, by the name of the program on PATH. */
const VARIABLES = {
  amtool: 'AMTOOL_BIN',
  chromium: 'CHROMIUM_BIN',
  prometheus: 'PROMETHEUS_BIN',
  promtool: 'PROMTOOL_BIN',
} as const;

/** `describe` where the program exists; `body` receives its path. */
export function describeWithProgram(program: keyof typeof VARIABLES, name: string, body: (path: string) => void): void {
  const file = findProgram(program, VARIABLES[program]);
  if (file === undefined) reportSkipped(name, `no ${program} in ${VARIABLES[program]} or on PATH`);
  else describe(name, () => body(file));
}
