/** A thread of part-threads.ts: makes each part that it is asked for and answers it. The texts of types stay as long as the thread. */
import { parentPort } from 'node:worker_threads';
import { errorMessage } from '../../shared/runtime/error-message';
import { readDescriptions } from './descriptions';
import { PartMaker } from './part-job';
import { transferableBuffers } from '../../shared/scheduling/worker-thread';
import type { PartAnswer, ThreadJob } from './part-threads';

const maker = new PartMaker(readDescriptions());

function answer(job: ThreadJob): PartAnswer {
  try {
    if (job.type === 'digests') return { digests: maker.digests(job) };
    if (job.type === 'remote') return { remote: maker.remote(job) };
    return { made: maker.make(job) };
  } catch (error) {
    return { fault: errorMessage(error) };
  }
}

/** What a part lies in goes as it is. */
function memoryOf(answer: PartAnswer): ArrayBuffer[] {
  const parts = 'made' in answer ? [answer.made.part] : 'remote' in answer ? answer.remote.parts : [];
  return transferableBuffers(parts.flatMap(({ paths, schemas }) => [paths.packed, schemas.packed]));
}

parentPort?.on('message', (job: ThreadJob) => {
  const made = answer(job);
  parentPort?.postMessage(made, memoryOf(made));
});
