/**
 * Runs the bundle of a main module and writes V8's code cache at its exit: V8 compiles a function when it is first called,
 * and the cache holds only compiled functions. `<module>` is the absolute path of a compiled module below dist.
 *
 * - `node compile-program.mjs program <module> [arguments]` runs it in this process.
 * - `node compile-program.mjs thread <module>` runs it in a worker thread, which exits right after its start.
 */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isMainThread, workerData } from 'node:worker_threads';
import { root } from './repository.mjs';

const require = createRequire(import.meta.url);
const dist = path.join(root, 'dist');
/** Any limit in which a bundle loads: V8's code cache does not depend on it. */
const OLD_GENERATION_MB = 256;
/** From the command line, which a worker thread does not receive. */
const [, , kind, module, ...args] = process.argv;

function runInThread() {
  const thisFile = fileURLToPath(import.meta.url);
  require(path.join(dist, 'shared/scheduling/worker-thread.js')).startThread(module, OLD_GENERATION_MB, thisFile);
}

function run(file) {
  const { openBundle, bundleFiles } = require(path.join(dist, 'shared/runtime/process/program-bundle.js'));
  // Defined, because the build writes all bundles before it runs this file.
  const program = openBundle(file);
  process.argv.splice(1, process.argv.length, file, ...args);
  // In the format that `openBundle` reads: the digest of the source, then the code cache.
  process.once('exit', () =>
    writeFileSync(bundleFiles(file).codeCache, Buffer.concat([Buffer.from(program.digest), program.script.createCachedData()])),
  );
  program.run();
  if (!isMainThread) process.exit();
}

// In the worker thread, this file runs again, with the module as `workerData`. Any other kind counts as `program`.
if (isMainThread && kind === 'thread') runInThread();
else run(isMainThread ? module : workerData);
