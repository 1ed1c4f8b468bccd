/** A thread of yaml-pool.ts: composes each text that it is given and answers it. */
import { parentPort } from 'node:worker_threads';
import { SyntaxFault } from './syntax-fault';
import { composeYaml } from './yaml-document';
import type { ThreadAnswer } from './yaml-pool';

function answer(text: unknown): ThreadAnswer {
  try {
    return { document: composeYaml(typeof text === 'string' ? text : '') };
  } catch (error) {
    if (error instanceof SyntaxFault) return { fault: error.message };
    throw error;
  }
}

parentPort?.on('message', (text: unknown) => parentPort?.postMessage(answer(text)));
