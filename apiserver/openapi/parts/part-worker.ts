/**
 * The worker thread of part-threads.ts: executes jobs and sends their results. Keeps the descriptions of types as long
 * as the thread runs.
 */
import { parentPort } from 'node:worker_threads';
import { errorMessage } from '../../../shared/runtime/error-message';
import { readDescriptions } from '../documents/descriptions';
import type { DocumentPart } from './part';
import { PartBuilder } from './part-job';
import { transferableBuffers } from '../../../shared/scheduling/worker-thread';
import type { PartResponse, ThreadJob } from './part-threads';

const builder = new PartBuilder(readDescriptions());

function runJob(job: ThreadJob): PartResponse {
  try {
    if (job.type === 'digests') return { digests: builder.digests(job) };
    if (job.type === 'remote') return { remote: builder.remote(job) };
    return { built: builder.build(job) };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

/** The parts that a response contains. */
function partsIn(response: PartResponse): readonly DocumentPart[] {
  if ('built' in response) return [response.built.part];
  return 'remote' in response ? response.remote.parts : [];
}

/** Buffers of parts are transferred, not copied. */
function transferListOf(response: PartResponse): ArrayBuffer[] {
  return transferableBuffers(partsIn(response).flatMap(({ paths, schemas }) => [paths.packed, schemas.packed]));
}

parentPort?.on('message', (job: ThreadJob) => {
  const response = runJob(job);
  parentPort?.postMessage(response, transferListOf(response));
});
