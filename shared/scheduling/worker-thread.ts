/**
 * Starts threads of node:worker_threads with memory of their own size, and says what of a message may go to another thread without a copy. What they do, and
 * how many there are, is thread-pool.ts's and its callers' business.
 */
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';

/** What a job is made of dies with it; less would copy most of it twice first. */
const YOUNG_GENERATION_MB = 48;

/** Finds the program of a thread; from sources there are no threads. */
const ENTRY_FILE = join(__dirname, '../runtime/process/worker-entry.js');

/**
 * @param oldGenerationMb of what lives longer; whoever needs more costs the thread
 * @param entryFile runs `file`, which is its `workerData`
 */
export function startThread(file: string, oldGenerationMb: number, entryFile = ENTRY_FILE): Worker {
  // The main thread's young generation is kept small by a flag (see deploy/cluster/tuning.ts), which V8 reads when a thread's memory is set up, and prefers to
  // what is asked for below. That of the main thread is there already.
  setFlagsFromString('--max-semi-space-size=0');
  const resourceLimits = { maxOldGenerationSizeMb: oldGenerationMb, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB };
  return new Worker(entryFile, { workerData: file, resourceLimits });
}

/** Of these, the memory that holds nothing else. It is gone here once it has been moved. */
export function transferableBuffers(views: readonly (Uint8Array | undefined)[]): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = [];
  for (const view of views) {
    const buffer = view?.buffer;
    if (buffer instanceof ArrayBuffer && buffer.byteLength === view?.byteLength && buffer.byteLength > 0) buffers.push(buffer);
  }
  return buffers;
}
