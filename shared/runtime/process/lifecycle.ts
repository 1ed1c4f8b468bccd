/**
 * The end of a process: signals, ordered stop stages, exit codes.
 *
 * What it is for: a main file registers what must be stopped as it starts it; the first SIGINT, SIGTERM or SIGHUP (or the end of the
 * parent's IPC channel) stops the stages in reverse order, each within its time, and then exits. A second signal exits 1 at once.
 * What it never does: start anything, or decide how a stage drains.
 */
import type { Clock } from '../clock';
import { withTimeout } from '../with-timeout';
import type { Logger } from '../logger';

export interface StopStage {
  readonly name: string;
  /** The next stage is started after this time even when this one has not ended. Milliseconds. */
  readonly timeoutMs: number;
  run(reason: string): Promise<void> | void;
}

/** The part of `process` that a lifecycle uses. */
export interface ProcessHandle {
  on(event: string, listener: () => void): unknown;
  exit(code: number): void;
}

export interface ProcessOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly process: ProcessHandle;
}

/**
 * A terminal's Ctrl-C reaches the whole process group, and npm passes it on once more, so one key press arrives twice.
 * Signals this close together count as one. Milliseconds.
 */
const SAME_SIGNAL_WINDOW_MS = 500;

/** Longer than all stages together may take. */
const MAX_STOP_MS = 3_600_000;

export class Lifecycle {
  /** Aborts when stopping begins. */
  readonly stopping: AbortSignal;

  private readonly controller = new AbortController();
  private readonly stages: StopStage[] = [];
  private signalledAt: number | undefined;
  private stopped: Promise<void> | undefined;

  constructor(private readonly options: ProcessOptions) {
    this.stopping = this.controller.signal;
  }

  /** Stops on SIGINT, SIGTERM, SIGHUP, and when the parent process that opened an IPC channel is gone. */
  listenForSignals(): void {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) this.options.process.on(signal, () => this.onSignal(signal));
    this.options.process.on('disconnect', () => void this.stop('the parent process is gone'));
  }

  /** Adds a stage; the last one added stops first. Adding one while stopping has no effect. */
  onStop(stage: StopStage): void {
    this.stages.push(stage);
  }

  /** Runs the stages and exits with `exitCode` (1 when a stage failed or ran out of time). Later calls join the first. */
  stop(reason: string, exitCode = 0): Promise<void> {
    this.stopped ??= this.runStages(reason, exitCode);
    return this.stopped;
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
    // Timers of a clock keep no process alive: one whose stages wait for nothing else would end before its last stages, with exit code 0.
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

  /** True when the stage ended well and in time. Never rejects. */
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
