/** A program of its own, `node compiled-code.js program|thread <module>`: says whether V8 takes what the build has compiled of a program. V8 compares how Node was started, too. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { startThread } from '../../shared/scheduling/worker-thread';
import { openBundle } from '../../shared/runtime/process/program-bundle';

const codeCacheVerdict = (file: string): string => {
  const program = openBundle(file);
  return program === undefined ? 'not one file' : program.script.cachedDataRejected === false ? 'taken' : 'compiled again';
};

const [, , kind, moduleFile = ''] = process.argv;
if (!isMainThread) parentPort?.postMessage(codeCacheVerdict(String(workerData)));
else if (kind === 'thread') startThread(moduleFile, 64, __filename).on('message', (verdict) => process.stdout.write(String(verdict)));
else process.stdout.write(codeCacheVerdict(moduleFile));
