/** A thread of part-threads.ts: makes each part that it is asked for and answers it. The texts of types stay as long as the thread. */
import { parentPort } from 'node:worker_threads';
import { readDescriptions, type Describe } from './descriptions';
import { makePart, type PartJob } from './part-job';
import type { ThreadAnswer } from './part-threads';

let describe: Describe | undefined;

function answer(job: PartJob): ThreadAnswer {
  try {
    return { made: makePart(job, (describe ??= readDescriptions())) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (job: PartJob) => parentPort?.postMessage(answer(job)));
