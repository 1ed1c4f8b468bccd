/**
 * `node deploy/scripts/run.mjs <program below dist> [arguments]`: installs and builds its project when needed, then
 * runs it in this process, so that signals and exit codes are those of the program. `npm start` and most npm scripts
 * use it. The help of `platform` needs no build. The process sends itself SIGTERM when its parent
 * has ended, because npm may be killed without forwarding the signal.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled, isReady } from './install-and-build.mjs';
import { projectOf, root } from './repository.mjs';
import { unbuiltHelp } from './unbuilt-help.mjs';

const PARENT_CHECK_MS = 500;
const PLATFORM = 'deploy/cli/main.js';

const parent = process.ppid;
const parentCheck = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(parentCheck);
  process.kill(process.pid, 'SIGTERM');
}, PARENT_CHECK_MS);
parentCheck.unref();

/** The path of the program's file below dist. */
const module = process.argv[2] ?? '';
const program = path.join(root, 'dist', module);
try {
  const project = projectOf(module);
  const help = module === PLATFORM && !isReady(project) ? unbuiltHelp(process.argv.slice(3)) : undefined;
  if (help !== undefined) {
    process.stdout.write(help);
    process.exit(0);
  }
  await ensureInstalled({ project });
  await ensureBuilt(project);
  if (!program.endsWith('.js') || !existsSync(program)) throw new Error(`program not found: ${program}`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
// As if Node had started the program: `node run.mjs <program> a b` becomes `node <path of the program> a b`.
process.argv.splice(1, 2, program);
await import(pathToFileURL(program).href);
