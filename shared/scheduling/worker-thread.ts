/**
 * Starts worker threads with memory limits, and finds the buffers of a message that can be transferred without a copy.
 * Pooling is in thread-pool.ts.
 */
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';

/**
 * Most memory of a job is garbage when the job ends. In a young generation of this size it stays where it is until
 * then; in a smaller one V8 would copy it twice before.
 */
const YOUNG_GENERATION_MB = 48;

/** Exists only in the built program: code that runs from sources starts no threads. */
const ENTRY_FILE = join(__dirname, '../runtime/process/worker-entry.js');

/**
 * @param oldGenerationMb a thread that needs more is terminated with ERR_WORKER_OUT_OF_MEMORY
 * @param entryFile the module that runs `file`, which is in its `workerData`
 */
export function startThread(file: string, oldGenerationMb: number, entryFile = ENTRY_FILE): Worker {
  // A flag keeps the young generation of the main thread small (see deploy/cluster/node-arguments.ts). V8 reads it when it
  // creates the heap of a thread, where it takes precedence over the limit below. Resetting it does not affect the main
  // thread, because its heap exists already.
  setFlagsFromString('--max-semi-space-size=0');
  const resourceLimits = { maxOldGenerationSizeMb: oldGenerationMb, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB };
  return new Worker(entryFile, { workerData: file, resourceLimits });
}

/** The memory of the views that cover their whole buffer. A transferred buffer is no longer usable in this thread. */
export function transferableBuffers(views: readonly (Uint8Array | undefined)[]): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = [];
  for (const view of views) {
    const buffer = view?.buffer;
    if (buffer instanceof ArrayBuffer && buffer.byteLength === view?.byteLength && buffer.byteLength > 0) buffers.push(buffer);
  }
  return buffers;
}
