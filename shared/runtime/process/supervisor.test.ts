/** The supervision of one process, which is a fake, with a manual clock. */
import { ManualClock } from '../../../test/support/clock/manual-clock';
import type { Exit, RunningProcess } from './running-process';
import { Supervisor } from './supervisor';

class FakeProcess implements RunningProcess {
  readonly signals: string[] = [];
  readonly exited: Promise<Exit>;
  readonly listening: Promise<void>;
  markListening: () => void = () => undefined;
  readonly ready: Promise<void>;
  markReady: () => void = () => undefined;
  end: (exit: Partial<Exit>) => void = () => undefined;

  constructor(
    readonly pid: number | undefined,
    private readonly exitsOnSigterm: boolean,
  ) {
    this.listening = new Promise((resolve) => (this.markListening = resolve));
    this.ready = new Promise((resolve) => (this.markReady = resolve));
    this.exited = new Promise((resolve) => (this.end = (exit) => resolve({ code: null, signal: null, ...exit })));
  }

  kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.signals.push(signal);
    if (this.exitsOnSigterm || signal === 'SIGKILL') this.end({ signal });
  }
}

function setUp({ exitsOnSigterm = true } = {}) {
  const clock = new ManualClock();
  const processes: FakeProcess[] = [];
  const output: string[] = [];
  const pids: (number | undefined)[] = [];
  const onPermanentFailure = jest.fn();
  const supervisor = new Supervisor({
    name: 'apiserver',
    clock,
    start: () => {
      const process = new FakeProcess(100 + processes.length, exitsOnSigterm);
      processes.push(process);
      return process;
    },
    print: (line) => output.push(line),
    onPid: (pid) => pids.push(pid),
    onPermanentFailure,
  });
  supervisor.start();
  const die = async (exit: Partial<Exit>): Promise<void> => {
    processes.at(-1)?.end(exit);
    await clock.advanceAsync(0);
  };
  return { clock, processes, output, pids, onPermanentFailure, supervisor, die };
}

describe('Supervisor', () => {
  it('restarts a process that died after a delay that doubles up to 10 s', async () => {
    const { clock, processes, output, die } = setUp();
    for (const delay of [200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]) {
      const before = processes.length;
      await die({ code: 1 });
      await clock.advanceAsync(delay - 1);
      expect(processes).toHaveLength(before);
      await clock.advanceAsync(1);
      expect(processes).toHaveLength(before + 1);
    }
    expect(output[0]).toBe('apiserver exited (exit code 1); restarting it in 200ms');
    expect(output.at(-1)).toContain('in 10s');
  });

  it.each(['SIGABRT', 'SIGSEGV', 'SIGBUS'])('names a damaged store as a cause of %s', async (signal) => {
    const { output, die } = setUp();
    await die({ signal });
    expect(output[0]).toContain(`signal ${signal}; if this repeats, the files of the embedded store are damaged`);
  });

  it('resets the restart delay when a process has run for a minute', async () => {
    const { clock, output, die } = setUp();
    await die({ code: 1 });
    await clock.advanceAsync(200);
    await clock.advanceAsync(59_999);
    await die({ signal: 'SIGKILL' });
    expect(output.at(-1)).toBe('apiserver exited (signal SIGKILL); restarting it in 400ms');
    await clock.advanceAsync(400);
    await clock.advanceAsync(60_000);
    await die({ code: 0 });
    expect(output.at(-1)).toBe('apiserver exited (exit code 0); restarting it in 200ms');
  });

  it('reports the process id when a process starts and exits', async () => {
    const { clock, pids, die } = setUp();
    await die({ code: 1 });
    await clock.advanceAsync(200);
    expect(pids).toEqual([100, undefined, 101]);
  });

  it.each([64, 78])('does not restart a process that exits with %d: its error is permanent', async (code) => {
    const { clock, processes, onPermanentFailure, die } = setUp();
    await die({ code });
    await clock.advanceAsync(60_000);
    expect(onPermanentFailure.mock.calls).toEqual([[code]]);
    expect(processes).toHaveLength(1);
  });

  it('listens and is ready when a process reports it, also one that was restarted', async () => {
    const { clock, processes, supervisor, die } = setUp();
    const reports: string[] = [];
    void supervisor.listening.then(() => reports.push('listening'));
    void supervisor.ready.then(() => reports.push('ready'));
    await die({ code: 1 });
    await clock.advanceAsync(200);
    expect(reports).toEqual([]);
    processes[1]?.markListening();
    await clock.advanceAsync(0);
    expect(reports).toEqual(['listening']);
    processes[1]?.markReady();
    await clock.advanceAsync(0);
    expect(reports).toEqual(['listening', 'ready']);
  });

  it('reports the error of a process that cannot start', async () => {
    const { output, die } = setUp();
    await die({ error: new Error('ENOENT') });
    expect(output[0]).toContain('could not start: ENOENT');
  });

  it('terminates its process on stop without a message', async () => {
    const { clock, processes, output, supervisor } = setUp();
    await supervisor.stop(30_000);
    await clock.advanceAsync(60_000);
    expect(processes.map(({ signals }) => signals)).toEqual([['SIGTERM']]);
    expect(output).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('kills a process that does not exit before the timeout', async () => {
    const { clock, processes, supervisor, output } = setUp({ exitsOnSigterm: false });
    const stopped = supervisor.stop(30_000);
    await clock.advanceAsync(29_999);
    expect(processes[0]?.signals).toEqual(['SIGTERM']);
    await clock.advanceAsync(1);
    await stopped;
    expect(processes[0]?.signals).toEqual(['SIGTERM', 'SIGKILL']);
    expect(output[0]).toContain('killed');
  });

  it('stops during a restart delay', async () => {
    const { clock, processes, die, supervisor } = setUp();
    await die({ code: 1 });
    await supervisor.stop(30_000);
    await clock.advanceAsync(60_000);
    expect(processes).toHaveLength(1);
  });
});
