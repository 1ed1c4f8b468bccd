/** The first module of every worker thread (see shared/scheduling/worker-thread.ts): runs the thread's program, in one file where the build has made one. */
import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';
import { runBundle } from './program-bundle';

const FILE = String(workerData);
if (!runBundle(FILE)) createRequire(__filename)(FILE);
