/** A thread of part-threads.ts: makes each part that it is asked for and answers it. The texts of types stay as long as the thread. */
import { parentPort } from 'node:worker_threads';
import { errorMessage } from '../../shared/runtime/error-message';
import { readDescriptions } from './descriptions';
import { digestsOf, makePart, remoteParts } from './part-job';
import type { PartAnswer, ThreadJob } from './part-threads';

const describe = readDescriptions();

function answer(job: ThreadJob): PartAnswer {
  try {
    if (job.type === 'digests') return { digests: digestsOf(job, describe) };
    if (job.type === 'remote') return { remote: remoteParts(job, describe) };
    return { made: makePart(job, describe) };
  } catch (error) {
    return { fault: errorMessage(error) };
  }
}

parentPort?.on('message', (job: ThreadJob) => parentPort?.postMessage(answer(job)));
