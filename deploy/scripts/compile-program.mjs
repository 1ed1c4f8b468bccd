/**
 * `node compile-program.mjs program|thread <module> [arguments]`: runs the bundle of a main module in this process
 * (`program`), or in a worker thread (`thread`), and writes V8's code cache when the process or the thread exits. A
 * thread exits right after its start. `<module>` is the absolute path of a compiled module below dist.
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
const [, , kind, module, ...args] = process.argv;

// In the worker thread, this file runs again, with the module as `workerData`.
if (isMainThread && kind === 'thread') runInThread();
else run(isMainThread ? module : workerData);

function runInThread() {
  const thisFile = fileURLToPath(import.meta.url);
  require(path.join(dist, 'shared/scheduling/worker-thread.js')).startThread(module, OLD_GENERATION_MB, thisFile);
}

function run(file) {
  const { openBundle, bundleFiles } = require(path.join(dist, 'shared/runtime/process/program-bundle.js'));
  const program = openBundle(file);
  process.argv.splice(1, process.argv.length, file, ...args);
  process.once('exit', () =>
    writeFileSync(bundleFiles(file).codeCache, Buffer.concat([Buffer.from(program.digest), program.script.createCachedData()])),
  );
  program.run();
  if (!isMainThread) process.exit();
}
