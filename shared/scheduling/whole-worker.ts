/** What every thread begins with (see thread.ts): the program that it is for, in one file where the build has made one. */
import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';
import { runWhole } from '../runtime/process/whole-program';

const FILE = String(workerData);
if (!runWhole(FILE)) createRequire(__filename)(FILE);
