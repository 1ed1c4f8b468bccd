/**
 * Graceful shutdown of a process. A main file registers a stop stage for each component that it starts; the first
 * SIGINT, SIGTERM or SIGHUP (or the end of the parent's IPC channel) runs the stages in reverse order, each with a
 * timeout, and then exits. A second signal exits with code 1 at once. How a component drains is up to its stage.
 */
import type { Clock } from '../clock';
import { withTimeout } from '../with-timeout';
import type { Logger } from '../logger';

/** Stops one component. */
export interface StopStage {
  readonly name: string;
  /** Milliseconds after which the next stage starts although this one has not finished. */
  readonly timeoutMs: number;
  /**
   * Stops the component; `reason` is for its log. Called once. A rejection is logged and does not keep later stages
   * from running.
   */
  run(reason: string): Promise<void> | void;
}

/** The part of `process` that a lifecycle uses. */
export interface ProcessHandle {
  /** Whether the IPC channel to the parent process is open; `undefined` when the process was started without one. */
  readonly connected?: boolean | undefined;
  on(event: string, listener: () => void): unknown;
  exit(code: number): void;
}

export interface ProcessOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly process: ProcessHandle;
}

/**
 * Signals within this time count as one: Ctrl-C in a terminal reaches the whole process group, and npm forwards it once
 * more, so one key press arrives twice.
 */
const SAME_SIGNAL_WINDOW_MS = 500;

/** Longer than all stages together can take. */
const MAX_STOP_MS = 3_600_000;

/** Any period serves, because the timer only has to exist. */
const KEEP_ALIVE_MS = 60_000;

/** One per process. */
export class Lifecycle {
  /** Aborts when the first stage starts. */
  readonly stopping: AbortSignal;

  private readonly controller = new AbortController();
  private readonly stages: StopStage[] = [];
  private signalledAt: number | undefined;
  /** Set by the first call of {@link stop}. */
  private stopResult: Promise<void> | undefined;

  constructor(private readonly options: ProcessOptions) {
    this.stopping = this.controller.signal;
  }

  /** Stops on SIGINT, SIGTERM, SIGHUP, and when the IPC channel to the parent process closes. */
  listenForSignals(): void {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) this.options.process.on(signal, () => this.onSignal(signal));
    const stopWithParent = (): void => void this.stop('the parent process is gone');
    this.options.process.on('disconnect', stopWithParent);
    // The event is not repeated when the channel closed while the modules of the program were loaded.
    if (this.options.process.connected === false) stopWithParent();
  }

  /** Adds a stage; the last one added stops first. Adding one while stopping has no effect. */
  onStop(stage: StopStage): void {
    this.stages.push(stage);
  }

  /**
   * Runs the stages and exits with `exitCode`, or with 1 instead of 0 when a stage failed or timed out. Later calls
   * return the promise of the first.
   */
  stop(reason: string, exitCode = 0): Promise<void> {
    this.stopResult ??= this.runStages(reason, exitCode);
    return this.stopResult;
  }

  /**
   * Keeps a process running that has no server of its own until the first stage starts: the other timers are
   * unreferenced, and without a connection to an API server there is no socket.
   */
  async stayAlive(): Promise<void> {
    while (!this.stopping.aborted) await this.options.clock.sleep(KEEP_ALIVE_MS);
  }

  private onSignal(signal: string): void {
    const { clock, logger, process } = this.options;
    const now = clock.monotonic();
    if (this.signalledAt === undefined) {
      this.signalledAt = now;
      void this.stop(signal);
    } else if (now - this.signalledAt >= SAME_SIGNAL_WINDOW_MS) {
      logger.warn('second signal, leaving at once', { signal });
      process.exit(1);
    }
  }

  private async runStages(reason: string, exitCode: number): Promise<void> {
    const { clock, logger, process } = this.options;
    logger.info('stopping', { reason });
    // The timers of a clock do not keep the process alive, but those of `sleep` do: without this one a process with
    // stages that only wait for timers would exit with code 0 before its last stages.
    const keepAlive = new AbortController();
    void clock.sleep(MAX_STOP_MS, keepAlive.signal);
    this.controller.abort(new Error(reason));
    let code = exitCode;
    for (const stage of [...this.stages].reverse()) {
      if (!(await this.runStage(stage, reason))) code = code === 0 ? 1 : code;
    }
    logger.info('stopped', { code });
    keepAlive.abort();
    process.exit(code);
  }

  /** Whether the stage succeeded within its timeout. Never rejects. */
  private async runStage(stage: StopStage, reason: string): Promise<boolean> {
    const { clock, logger } = this.options;
    const { name, timeoutMs } = stage;
    try {
      const work = Promise.resolve(stage.run(reason)).then(() => true);
      const isDone = await withTimeout(work, clock, timeoutMs, () => false);
      if (!isDone) logger.error('stop stage ran out of time', { stage: name, timeoutMs });
      return isDone;
    } catch (error) {
      logger.error('stop stage failed', { stage: name, error });
      return false;
    }
  }
}
