/** Runs what a server keeps up while it lives: started one after the other, stopped in reverse. Knows nothing of what they do. */
import { errorMessage } from '../../shared/runtime/error-message';
import type { StartCheck } from '../health/start-checks';

/** Something that was started. */
export interface Running {
  /** The next is started when this resolves; absent = at once. */
  readonly complete?: Promise<void>;
  /** May be called before `complete` has resolved. */
  stop(): void;
}

export interface StartStep {
  readonly name: string;
  /** What health says once it is complete. */
  readonly checks?: readonly StartCheck[];
  start(): Running;
}

export interface Sequence {
  /** Resolves when all have started, or when stopping came first; rejects with an error that names the step. */
  readonly complete: Promise<void>;
  stop(): void;
}

/** `done` is told of each step that is complete. */
export function startInOrder(steps: readonly StartStep[], done: (step: StartStep) => void = () => undefined): Sequence {
  const running: Running[] = [];
  let stopped = false;

  async function startAll(): Promise<void> {
    for (const step of steps) {
      if (stopped) return;
      try {
        const started = step.start();
        running.push(started);
        await started.complete;
        done(step);
      } catch (error) {
        throw new Error(`${step.name} could not be started: ${errorMessage(error)}`, { cause: error });
      }
    }
  }

  return {
    complete: startAll(),
    stop() {
      stopped = true;
      for (const one of running.splice(0).reverse()) one.stop();
    },
  };
}
