/** Runs one step of a scenario, for the recorder and for the player. */
import type { Clock } from '../../../shared/runtime/clock';
import { QUIET_MS, type Observed, type Scenario, type ScenarioStep } from './scenario';
import type { Stage } from './stage';

const HEARTBEAT_MS = 1_000;
const SERVE_MS = 200;

export interface StepOutcome {
  readonly codes: readonly number[];
  readonly state: Observed;
}

/** Sends the step's requests and returns their codes, and the state that `awaitRest` returns. Its nodes renew their Leases, and its pods become ready, until then. */
export async function runStep(
  stage: Stage,
  scenario: Scenario,
  step: ScenarioStep,
  awaitRest: (quietMs: number) => Promise<Observed>,
): Promise<StepOutcome> {
  if (scenario.needsNewSecond === true) await nextSecond(stage.world.clock);
  const codes: number[] = [];
  const state = await withNodes(stage, step, async () => {
    for (const request of step.requests) codes.push(await stage.act(request));
    return awaitRest(step.quietMs ?? scenario.quietMs ?? QUIET_MS);
  });
  return { codes, state };
}

async function nextSecond(clock: Clock): Promise<void> {
  const second = Math.floor(clock.now() / 1_000);
  while (Math.floor(clock.now() / 1_000) === second) await clock.sleep(1_000 - (clock.now() % 1_000));
}

async function withNodes<T>(stage: Stage, { heartbeats = [], servesPods = false }: ScenarioStep, work: () => Promise<T>): Promise<T> {
  if (heartbeats.length === 0 && !servesPods) return work();
  const act = async (): Promise<void> => {
    await Promise.all([...heartbeats.map((node) => stage.renewLease(node)), ...(servesPods ? [stage.servePods()] : [])]);
  };
  await act();
  const end = new AbortController();
  const repeated = repeat(act, servesPods ? SERVE_MS : HEARTBEAT_MS, stage.world.clock, end.signal);
  try {
    return await work();
  } finally {
    end.abort();
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
