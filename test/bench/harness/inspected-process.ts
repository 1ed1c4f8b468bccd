/**
 * Loaded into a server (`--require`): collects its garbage and reports the bytes that are left, and records CPU
 * profiles, on request of its parent. As a module it provides how a parent starts such a server and sends the requests.
 */
import type { ChildProcess } from 'node:child_process';
import { Session, type Profiler } from 'node:inspector/promises';
import { isPreloaded, withPreload } from './preload';

const REQUESTS = ['live-bytes', 'start-profile', 'stop-profile'] as const;
type Request = (typeof REQUESTS)[number];

type InspectionResult =
  | { readonly inspected: 'live-bytes'; readonly bytes: number }
  | { readonly inspected: 'start-profile' }
  | { readonly inspected: 'stop-profile'; readonly profile: Profiler.Profile };

/** A quarter of V8's default, because filters take only some microseconds. */
const SAMPLING_MICROS = 250;

/** Runs `start` so that the processes that it starts load this file. */
export const withInspection = <T>(start: () => Promise<T>): Promise<T> => withPreload(__filename, start);

const PROFILE_VARIABLE = 'BENCH_PROFILE';

/**
 * The environment of a program that {@link profileWhile} can profile. Programs with an environment run from their modules
 * instead of their bundle, so that the profile has the names of the modules.
 */
export const PROFILED_ENVIRONMENT: NodeJS.ProcessEnv = { [PROFILE_VARIABLE]: '1' };

/** Bytes in use after a collection: of the JavaScript heap and of buffers outside. */
export async function liveBytes(child: ChildProcess): Promise<number> {
  const result = await requestInspection(child, 'live-bytes');
  return result.inspected === 'live-bytes' ? result.bytes : Number.NaN;
}

/** The CPU profile of the process's main thread while `work` runs. */
export async function profileWhile(child: ChildProcess, work: () => Promise<void>): Promise<Profiler.Profile> {
  await requestInspection(child, 'start-profile');
  await work();
  const result = await requestInspection(child, 'stop-profile');
  if (result.inspected !== 'stop-profile') throw new Error('the process sent no profile');
  return result.profile;
}

/** Rejects when the process ends before it responds. */
function requestInspection(child: ChildProcess, request: Request): Promise<InspectionResult> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('the process has ended'));
    // Servers send other messages as well.
    const onMessage = (message: unknown): void => {
      if (!isResultOf(message, request)) return;
      child.off('message', onMessage).off('exit', onExit);
      resolve(message);
    };
    child.on('message', onMessage).on('exit', onExit);
    child.send(request);
  });
}

const isResultOf = (message: unknown, request: Request): message is InspectionResult =>
  typeof message === 'object' && message !== null && 'inspected' in message && message.inspected === request;

async function respond(session: Session, request: Request): Promise<InspectionResult> {
  switch (request) {
    case 'live-bytes': {
      // Finalizers of one collection free what only the next one collects.
      for (let collections = 0; collections < 3; collections += 1) {
        globalThis.gc?.();
        await new Promise((resolve) => setImmediate(resolve));
      }
      const { heapUsed, external } = process.memoryUsage();
      return { inspected: request, bytes: heapUsed + external };
    }
    case 'start-profile':
      await session.post('Profiler.stop');
      await session.post('Profiler.start');
      return { inspected: request };
    case 'stop-profile': {
      const { profile } = await session.post('Profiler.stop');
      await session.post('Profiler.start');
      return { inspected: request, profile };
    }
  }
}

/** Responds to the requests of the parent. */
async function serve(): Promise<void> {
  const session = new Session();
  session.connect();
  if (process.env[PROFILE_VARIABLE] === '1') {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_MICROS });
    // V8 records the positions of inlined functions only in code that it compiles while a profile is being recorded.
    await session.post('Profiler.start');
  }
  process.on('message', (message) => {
    const request = REQUESTS.find((known) => known === message);
    if (request !== undefined) void respond(session, request).then((result) => process.send?.(result));
  });
}

// A parent imports this file without loading it by NODE_OPTIONS.
if (isPreloaded(__filename)) void serve();
