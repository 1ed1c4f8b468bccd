/** An API server that is starved of processor time for longer than its leases last (SIGSTOP and SIGCONT in turn), and then recovers. */
import { spawn, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { describeWithEtcd, startEtcd, type EtcdServer } from '../../support/etcd';
import { removeFolder, temporaryFolder, waitUntil } from '../../support/programs';
import type { StarvedState } from './starved-server';

const support = (name: string): string => resolve(__dirname, '../../support', name);
const program = resolve(__dirname, 'starved-server.ts');

/** Longer than a lease, which lasts two seconds in the program. */
const STOP_MS = 2_500;
const RUN_MS = 2;
const SLICES = 6;
/** Of the program's own clock: longer than a lease. */
const AFTERWARDS_MS = 40_000;

let child: ChildProcess | undefined;
afterEach(() => void child?.kill('SIGKILL'));

interface Starved {
  readonly process: ChildProcess;
  readonly states: readonly StarvedState[];
}

function start(type: string, place: string): Starved {
  const process = spawn(
    globalThis.process.execPath,
    ['-r', support('typescript-hook.cjs'), '-r', support('hasty-clock.ts'), program, type, place],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  child = process;
  const states: StarvedState[] = [];
  let rest = '';
  process.stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) states.push(JSON.parse(line));
  });
  return { process, states };
}

const isComplete = (state: StarvedState | undefined): boolean =>
  state !== undefined && state.replicas === 1 && state.subsets === 1 && state.slices === 1 && state.renewTime !== undefined;

async function starve({ process }: Starved): Promise<void> {
  for (let slice = 0; slice < SLICES; slice++) {
    process.kill('SIGSTOP');
    await clock.sleep(STOP_MS);
    process.kill('SIGCONT');
    await clock.sleep(RUN_MS);
  }
}

async function survivesStarvation(type: string, place: string): Promise<void> {
  const starved = start(type, place);
  const { states } = starved;
  await waitUntil('the server to have all that it keeps', () => isComplete(states.at(-1)), 60_000);
  const before = states.at(-1);
  await starve(starved);
  const seen = states.length;
  await waitUntil('the server to have all of it again', () => states.length > seen && isComplete(states.at(-1)), 60_000);
  const whole = states.length;
  const { at, leasesGranted, renewTime } = states[whole - 1] ?? { at: 0, leasesGranted: 0 };
  expect(leasesGranted).toBeGreaterThan(before?.leasesGranted ?? 0);
  await waitUntil('another lease to pass', () => (states.at(-1)?.at ?? 0) > at + AFTERWARDS_MS, 60_000);
  expect(states.slice(whole).filter((state) => !isComplete(state))).toEqual([]);
  expect(states.at(-1)?.renewTime).not.toBe(renewTime);
}

it('a starved server on the embedded store recovers its endpoints and its identity Lease', async () => {
  const folder = temporaryFolder('starved');
  try {
    await survivesStarvation('embedded', folder);
  } finally {
    child?.kill('SIGKILL');
    removeFolder(folder);
  }
}, 200_000);

describeWithEtcd('a starved server on etcd', () => {
  let server: EtcdServer;
  beforeAll(async () => void (server = await startEtcd()));
  afterAll(() => server.dispose());

  it('recovers its endpoints and its identity Lease', () => survivesStarvation('etcd', server.endpoint), 200_000);
});
