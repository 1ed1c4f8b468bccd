/** Profiles an API server while it serves GET requests, and divides their cost by filters and folders. */
import path from 'node:path';
import { repository } from '../../support/repository';
import { createConfigMaps, withServer } from '../harness/bench-server';
import { raisePriority } from '../harness/comparison';
import { PROFILED_ENVIRONMENT, profileWhile, withInspection } from '../harness/inspected-process';
import { measureLoop } from '../harness/measure';
import { loopSeconds } from '../../support/process-usage';
import { shareProfile, type ProfileShares } from './filter-costs';

export interface GetProfile extends ProfileShares {
  /** Microseconds of the event loop's CPU per get, while it is profiled. */
  readonly micros: number;
  readonly requests: number;
}

/** Objects that gets alternate between. */
const OBJECTS = 1000;
/** Requests in flight. */
const WORKERS = 32;
/** Requests after which V8 has compiled what they run, and requests of the profile. */
const WARM_UP = 15_000;
const PROFILED = 20_000;

/** Starts a server on the embedded store, warms it up, and profiles it while 32 requests at a time are in flight. */
export async function profileGets(): Promise<GetProfile> {
  let profiled: GetProfile | undefined;
  const measure = async (): Promise<void> =>
    withServer(
      async ({ server, client, pid }) => {
        raisePriority(pid);
        await createConfigMaps({ client, pid }, { namespace: 'bench', count: OBJECTS });
        const get = async (index: number): Promise<void> =>
          void (await client.send('GET', `/api/v1/namespaces/bench/configmaps/o-${index % OBJECTS}`));
        await measureLoop(pid, { workers: WORKERS, count: WARM_UP }, get);
        let requests = 0;
        let cpu = 0;
        const profile = await profileWhile(server.process.child, async () => {
          const before = loopSeconds(pid);
          ({ requests } = await measureLoop(pid, { workers: WORKERS, count: PROFILED }, get));
          cpu = loopSeconds(pid) - before;
        });
        profiled = { ...shareProfile(profile, path.join(repository, 'dist')), micros: (cpu * 1e6) / requests, requests };
      },
      { environment: PROFILED_ENVIRONMENT },
    );
  await withInspection(measure);
  if (profiled === undefined) throw new Error('no profile was recorded');
  return profiled;
}
