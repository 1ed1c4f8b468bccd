/**
 * Supervises one process: starts it, restarts it with a growing back-off when it exits, and stops it on request. An
 * exit code that announces a permanent error ends the supervision. Starting and the clock are dependencies.
 */
import type { Clock } from '../clock';
import { formatDuration } from '../../cli/duration';
import { isPermanentExitCode } from './permanent-error';
import type { Exit, RunningProcess } from './running-process';

export interface SupervisorOptions {
  /** Of the process, in messages. */
  readonly name: string;
  readonly clock: Clock;
  readonly start: () => RunningProcess;
  /** Writes a line to the console. */
  readonly print: (line: string) => void;
  /** Called with the process id after each successful start, and with `undefined` after each exit or failed start. */
  readonly onPid: (pid: number | undefined) => void;
  /** Called instead of a restart, with the exit code, when {@link isPermanentExitCode} is true for it. */
  readonly onPermanentFailure: (code: number) => void;
}

/** The delay before the first restart; it doubles with each further one, up to {@link MAX_DELAY_MS}. */
const INITIAL_DELAY_MS = 200;
const MAX_DELAY_MS = 10_000;
/** A process that ran this long is considered healthy, and the back-off is reset. */
const HEALTHY_AFTER_MS = 60_000;

/** One process at a time, which it starts again with back-off when it exits. */
export class Supervisor {
  private readonly controller = new AbortController();
  private current: RunningProcess | undefined;
  private loop: Promise<void> = Promise.resolve();

  /** Resolves when a process has reported for the first time that it listens, or that it is ready. */
  readonly listening: Promise<void>;
  private markListening = (): void => undefined;
  /** Resolves when a process has reported for the first time that it is ready. */
  readonly ready: Promise<void>;
  private markReady = (): void => undefined;

  constructor(private readonly options: SupervisorOptions) {
    this.listening = new Promise((resolve) => (this.markListening = resolve));
    this.ready = new Promise((resolve) => (this.markReady = resolve));
  }

  /** Must be called once. */
  start(): void {
    this.loop = this.keepRunning();
  }

  /** Sends SIGTERM, kills the process after `graceMs`, and resolves when it has exited. */
  async stop(graceMs: number): Promise<void> {
    this.controller.abort();
    this.current?.kill('SIGTERM');
    const timer = this.options.clock.after(graceMs, () => {
      if (this.current === undefined) return;
      this.options.print(`${this.options.name} did not exit within ${formatDuration(graceMs)} and is killed`);
      this.current.kill('SIGKILL');
    });
    await this.loop;
    timer.cancel();
  }

  private async keepRunning(): Promise<void> {
    const { name, clock, print } = this.options;
    let delay = INITIAL_DELAY_MS;
    while (!this.isStopping()) {
      const startedAt = clock.monotonic();
      const exit = await this.runOnce();
      if (this.isStopping()) return;
      if (exit.code !== null && isPermanentExitCode(exit.code)) return this.options.onPermanentFailure(exit.code);
      if (clock.monotonic() - startedAt >= HEALTHY_AFTER_MS) delay = INITIAL_DELAY_MS;
      print(`${name} exited (${describeExit(exit)}); restarting it in ${formatDuration(delay)}`);
      await this.waitForDelay(delay);
      delay = Math.min(delay * 2, MAX_DELAY_MS);
    }
  }

  private async runOnce(): Promise<Exit> {
    const process = this.options.start();
    this.current = process;
    if (process.pid !== undefined) this.options.onPid(process.pid);
    void process.listening.then(this.markListening);
    void process.ready.then(this.markReady);
    const exit = await process.exited;
    this.current = undefined;
    this.options.onPid(undefined);
    return exit;
  }

  private async waitForDelay(ms: number): Promise<void> {
    const stopped = new Promise<void>((resolve) => this.controller.signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([this.options.clock.sleep(ms), stopped]);
  }

  private isStopping(): boolean {
    return this.controller.signal.aborted;
  }
}

/** Signals by which a process ends when LMDB (the embedded store) or Node finds memory or files inconsistent. */
const MEMORY_SIGNALS: ReadonlySet<string> = new Set(['SIGABRT', 'SIGSEGV', 'SIGBUS']);
const DAMAGE_HINT = 'the files of the embedded store are damaged: move them away and restore a backup';

function describeExit({ code, signal, error }: Exit): string {
  if (error !== undefined) return `could not start: ${error.message}`;
  if (signal === null) return `exit code ${code}`;
  return MEMORY_SIGNALS.has(signal) ? `signal ${signal}; if this repeats, ${DAMAGE_HINT}` : `signal ${signal}`;
}
