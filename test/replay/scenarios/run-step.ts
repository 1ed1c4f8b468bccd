/** Runs one step of a scenario, for the recorder and for the player. */
import type { Clock } from '../../../shared/runtime/clock';
import { QUIET_MS, type ObservedState, type Scenario, type ScenarioStep } from './scenario';
import type { ScenarioSession } from './scenario-session';

/** How often nodes renew their Leases, unless pods have to become ready as well. */
const HEARTBEAT_MS = 1_000;
/** How often pending pods are made ready, and Leases renewed meanwhile. */
const SERVE_MS = 200;

export interface StepOutcome {
  /** The status of the response to each request. */
  readonly codes: readonly number[];
  readonly state: ObservedState;
}

/**
 * Sends the step's requests and returns their codes, and the state that `awaitRest` returns. Until then its nodes renew
 * their Leases, and its pods become ready.
 */
export async function runStep(
  session: ScenarioSession,
  scenario: Scenario,
  step: ScenarioStep,
  awaitRest: (quietMs: number) => Promise<ObservedState>,
): Promise<StepOutcome> {
  if (scenario.needsNewSecond === true) await nextSecond(session.environment.clock);
  const codes: number[] = [];
  const state = await withNodes(session, step, async () => {
    for (const request of step.requests) codes.push(await session.perform(request));
    return awaitRest(step.quietMs ?? scenario.quietMs ?? QUIET_MS);
  });
  return { codes, state };
}

/** Resolves at the beginning of the next second. */
async function nextSecond(clock: Clock): Promise<void> {
  const second = Math.floor(clock.now() / 1_000);
  while (Math.floor(clock.now() / 1_000) === second) await clock.sleep(1_000 - (clock.now() % 1_000));
}

/** Runs `work` while the nodes of the step renew their Leases and its pods become ready. */
async function withNodes<T>(
  session: ScenarioSession,
  { heartbeats = [], servesPods = false }: ScenarioStep,
  work: () => Promise<T>,
): Promise<T> {
  if (heartbeats.length === 0 && !servesPods) return work();
  const keepAlive = async (): Promise<void> => {
    await Promise.all([...heartbeats.map((node) => session.renewLease(node)), ...(servesPods ? [session.servePods()] : [])]);
  };
  await keepAlive();
  const abort = new AbortController();
  const repeated = repeat(keepAlive, servesPods ? SERVE_MS : HEARTBEAT_MS, session.environment.clock, abort.signal);
  try {
    return await work();
  } finally {
    abort.abort();
    await repeated;
  }
}

async function repeat(task: () => Promise<void>, periodMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  for (;;) {
    await clock.sleep(periodMs, signal);
    if (signal.aborted) return;
    await task();
  }
}
