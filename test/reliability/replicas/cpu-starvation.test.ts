/** An API server that gets no CPU time for longer than its leases last (alternating SIGSTOP and SIGCONT) recovers. */
import { spawn, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { describeWithEtcd, startEtcd } from '../../support/external/etcd';
import { waitUntil } from '../../support/programs';
import { stopAfterTest, useFolder, useResource } from '../../support/use-resource';
import type { LeaseServerState } from './lease-dependent-server';

const supportFile = (name: string): string => resolve(__dirname, '../../support', name);
const program = resolve(__dirname, 'lease-dependent-server.ts');

/**
 * Longer than a lease, which lasts two seconds in the process, by more than the half second between two searches of etcd for
 * expired leases: a lease that is renewed between two stops expires in the second one too.
 */
const STOP_MS = 3_500;
/** The CPU time between two stops. */
const RUN_MS = 2;
const STOPS = 4;
/** Longer than a lease, in milliseconds of the clock of the process. */
const LEASE_OUTLASTED_MS = 40_000;

const killAfterTest = stopAfterTest((child: ChildProcess) => child.kill('SIGKILL'));

/** The arguments of the process: `embedded` with a folder, `etcd` with an endpoint. */
type StoreType = 'embedded' | 'etcd';

interface StarvedProcess {
  readonly process: ChildProcess;
  /** What the process has reported so far, the newest last. */
  readonly states: readonly LeaseServerState[];
}

function startServer(type: StoreType, location: string): StarvedProcess {
  const modules = ['-r', supportFile('typescript-hook.cjs'), '-r', supportFile('clock/accelerated-clock.ts')];
  const process = spawn(globalThis.process.execPath, [...modules, program, type, location], { stdio: ['ignore', 'pipe', 'inherit'] });
  killAfterTest(process);
  const states: LeaseServerState[] = [];
  let partialLine = '';
  process.stdout.on('data', (chunk: Buffer) => {
    const lines = (partialLine + chunk.toString()).split('\n');
    partialLine = lines.pop() ?? '';
    for (const line of lines) states.push(JSON.parse(line));
  });
  return { process, states };
}

/** Whether all that depends on leases exists. */
function isComplete(state: LeaseServerState | undefined): boolean {
  if (state === undefined) return false;
  const { replicaKeys, hasEndpointSubsets, endpointSlices, renewTime } = state;
  return replicaKeys === 1 && hasEndpointSubsets && endpointSlices === 1 && renewTime !== undefined;
}

async function stopRepeatedly({ process }: StarvedProcess): Promise<void> {
  for (let stop = 0; stop < STOPS; stop++) {
    process.kill('SIGSTOP');
    await clock.sleep(STOP_MS);
    process.kill('SIGCONT');
    await clock.sleep(RUN_MS);
  }
}

async function expectRecovery(type: StoreType, location: string): Promise<void> {
  const starved = startServer(type, location);
  const { states } = starved;
  await waitUntil('the server to create its objects', () => isComplete(states.at(-1)), 60_000);
  const leasesBefore = states.at(-1)?.leasesGranted ?? 0;
  await stopRepeatedly(starved);
  // The process may report its objects once more before it notices that its lease has expired.
  const hasNewLease = (): boolean => (states.at(-1)?.leasesGranted ?? 0) > leasesBefore;
  await waitUntil('the server to recreate its objects', () => hasNewLease() && isComplete(states.at(-1)), 60_000);
  const recoveredStates = states.length;
  const { clockMs, renewTime } = states[recoveredStates - 1] ?? { clockMs: 0, renewTime: undefined };
  await waitUntil('another lease to pass', () => (states.at(-1)?.clockMs ?? 0) > clockMs + LEASE_OUTLASTED_MS, 60_000);
  expect(states.slice(recoveredStates).filter((state) => !isComplete(state))).toEqual([]);
  expect(states.at(-1)?.renewTime).not.toBe(renewTime);
}

describe('a starved server on the embedded store', () => {
  const folder = useFolder('starved');

  it('recovers its endpoints and its identity Lease', () => expectRecovery('embedded', folder), 200_000);
});

describeWithEtcd('a starved server on etcd', () => {
  const server = useResource(startEtcd, (started) => started.dispose());

  it('recovers its endpoints and its identity Lease', () => expectRecovery('etcd', server().endpoint), 200_000);
});
