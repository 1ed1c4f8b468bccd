/** The worker thread of yaml.ts: composes the text that it is given and answers once. */
import { parentPort, workerData } from 'node:worker_threads';
import { SyntaxFault } from './syntax-fault';
import type { WorkerAnswer } from './yaml';
import { composeYaml } from './yaml-document';

function answer(text: unknown): WorkerAnswer {
  try {
    return { document: composeYaml(typeof text === 'string' ? text : '') };
  } catch (error) {
    if (error instanceof SyntaxFault) return { fault: error.message };
    throw error;
  }
}

parentPort?.postMessage(answer(workerData));
