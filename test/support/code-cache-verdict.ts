/**
 * A program, `node code-cache-verdict.js program|thread <module>`: prints whether V8 accepts the code cache that the
 * build produced for a module, in the main thread or in a worker thread. V8 also compares the flags of Node.
 */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { startThread } from '../../shared/scheduling/worker-thread';
import { openBundle } from '../../shared/runtime/process/program-bundle';

const codeCacheVerdict = (file: string): string => {
  const program = openBundle(file);
  if (program === undefined) return 'not one file';
  return program.script.cachedDataRejected === false ? 'accepted' : 'compiled again';
};

const [, , kind, moduleFile = ''] = process.argv;
if (!isMainThread) parentPort?.postMessage(codeCacheVerdict(String(workerData)));
else if (kind === 'thread') startThread(moduleFile, 64, __filename).on('message', (verdict) => process.stdout.write(String(verdict)));
else process.stdout.write(codeCacheVerdict(moduleFile));
