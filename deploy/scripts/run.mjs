/**
 * `node deploy/scripts/run.mjs <program below dist> [arguments]`: installs and builds when needed, then becomes that program, in this very
 * process, so that signals and exit codes are the program's own. `npm start`, `npm run bench` and `npm run generate` are this. It ends with its parent:
 * npm may be killed without passing the signal on.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled, root } from './steps.mjs';

const PARENT_CHECK_MS = 500;

const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watch);
  process.kill(process.pid, 'SIGTERM');
}, PARENT_CHECK_MS);
watch.unref();

const program = path.join(root, 'dist', process.argv[2] ?? '');
try {
  await ensureInstalled({ forBuilt: true });
  await ensureBuilt();
  if (!program.endsWith('.js') || !existsSync(program)) throw new Error(`no such program: ${program}`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
process.argv.splice(1, 2, program);
await import(pathToFileURL(program).href);
