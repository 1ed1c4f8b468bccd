/**
 * The entry module of every worker thread (see shared/scheduling/worker-thread.ts): runs the module in `workerData`,
 * from its bundle if there is one.
 */
import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';
import { runBundle } from './program-bundle';

const MODULE = String(workerData);
if (!runBundle(MODULE)) createRequire(__filename)(MODULE);
