/** A thread of part-threads.ts: makes each part that it is asked for and answers it. The texts of types stay as long as the thread. */
import { parentPort } from 'node:worker_threads';
import { readDescriptions } from './descriptions';
import { digestsOf, makePart, type DigestJob, type PartJob } from './part-job';
import type { PartAnswer } from './part-threads';

const describe = readDescriptions();

function answer(job: DigestJob | PartJob): PartAnswer {
  try {
    if (job.type === 'digests') return { digests: digestsOf(job, describe) };
    return { made: makePart(job, describe) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (job: DigestJob | PartJob) => parentPort?.postMessage(answer(job)));
