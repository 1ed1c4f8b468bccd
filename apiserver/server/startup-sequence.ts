/**
 * Runs the background components of a server: starts them one after another, and stops them in reverse. A step that
 * fails ends the sequence; stopping the server is then left to the caller.
 */
import { errorMessage } from '../../shared/runtime/error-message';
import type { StartCheck } from '../health/start-checks';

/** A started step. */
export interface RunningStep {
  /** The next step starts when this resolves; absent when it starts at once. */
  readonly complete?: Promise<void>;
  /** May be called before `complete` has resolved. */
  stop(): void;
}

/** The step of a started reconciler: the next step does not await its first reconciliation. */
export const inBackground = (reconciler: Pick<RunningStep, 'stop'>): RunningStep => ({ stop: () => reconciler.stop() });

/** A row of the table of background components. */
export interface StartupStep {
  /** Names the step in the error when it fails. */
  readonly name: string;
  /** The startup checks that pass once the step is complete. */
  readonly checks?: readonly StartCheck[];
  /** Starts the component. Called at most once, when all earlier steps are complete. */
  start(): RunningStep;
}

/** The running sequence. */
export interface StartupSequence {
  /**
   * Resolves when all steps are complete; rejects with an error that names the failed step. After `stop`, it resolves or
   * rejects once the current step is complete or has failed, and stays pending when that step never completes.
   */
  readonly complete: Promise<void>;
  /** Stops the started steps in reverse order, and starts no more. Further calls have no effect. */
  stop(): void;
}

/**
 * Starts the first step at once. `onComplete` is called after each completed step, also for one that completes after
 * `stop`. When it throws, the step has failed.
 */
export function startSequentially(
  steps: readonly StartupStep[],
  onComplete: (step: StartupStep) => void = () => undefined,
): StartupSequence {
  const running: RunningStep[] = [];
  let isStopped = false;

  async function startAll(): Promise<void> {
    for (const step of steps) {
      if (isStopped) return;
      try {
        const started = step.start();
        running.push(started);
        await started.complete;
        onComplete(step);
      } catch (error) {
        throw new Error(`${step.name} could not be started: ${errorMessage(error)}`, { cause: error });
      }
    }
  }

  return {
    complete: startAll(),
    stop() {
      isStopped = true;
      for (const step of running.splice(0).reverse()) step.stop();
    },
  };
}
