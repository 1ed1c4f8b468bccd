/**
 * Plays a recorded scenario to a server with its controllers and waits after each step for the recorded state. Compares nothing: it yields the found and the recorded
 * outcome of each step.
 */
import { inspect } from 'node:util';
import type { Clock } from '../../shared/runtime/clock';
import { isBody, type Json } from '../replay/reference';
import { SCENARIOS } from '../replay/scenarios';
import { runStep, type StepOutcome } from '../replay/scenarios/run-step';
import type { Observed, Scenario } from '../replay/scenarios/scenario';
import type { Send, Stage } from '../replay/scenarios/stage';
import type { ApiClient } from './api-client';

const COMES_TO_REST_MS = 30_000;
/** Between two looks: at first, and at most. */
const LOOK_MS = 50;
const LATE_LOOK_MS = 500;

export interface PlayedStep extends StepOutcome {
  readonly title: string;
}

export interface RecordedStep extends PlayedStep {
  readonly scenario: string;
}

/** Sends a scenario's requests through a client that may be created later. */
export const sendOver =
  (api: () => ApiClient): Send =>
  async (method, path, headers, body) => {
    const answer = await api().send(method, path, body === undefined ? undefined : JSON.stringify(body), { headers });
    // A path that is not served is answered in plain text.
    const parsed: Json = answer.status === 404 && !answer.text.startsWith('{') ? {} : JSON.parse(answer.text);
    return { code: answer.status, body: parsed };
  };

/** The recorded outcomes of a recording's steps, without those of steps that are not recorded yet. */
export const recordedSteps = (name: string): readonly RecordedStep[] => (SCENARIOS.get(name) ?? []).flatMap(outcomesOf);

const outcomesOf = ({ name, steps }: Scenario): readonly RecordedStep[] =>
  steps.flatMap(({ title, codes, state }) => (codes === undefined || state === undefined ? [] : [{ scenario: name, title, codes, state }]));

export interface PlayOptions {
  readonly recorded: readonly RecordedStep[];
  /** Replaces the recorded state of a step, by `scenario: title`. */
  readonly deviations?: Readonly<Record<string, (recorded: Observed) => Observed>>;
  /** The part of a state that is compared; absent = all. */
  readonly compared?: (state: Observed, recorded: Observed) => Observed;
  /** Added to the time in which a step must come to its recorded state. */
  readonly restMs?: number;
}

/**
 * Yields each step's outcome beside the recorded one. In a world with a store, which takes no real time, the state must also stay as recorded for as long as the
 * reference's had to.
 */
export async function* played(
  stage: Stage,
  scenario: Scenario,
  { recorded, deviations = {}, compared = (state) => state, restMs: longer = 0 }: PlayOptions,
): AsyncGenerator<{ readonly found: PlayedStep; readonly wanted: PlayedStep }> {
  const { clock, store } = stage.world;
  await stage.open();
  for (const step of scenario.steps) {
    const { title } = step;
    const known = recorded.find((one) => one.scenario === scenario.name && one.title === title);
    if (known === undefined) throw new Error(`${title} is not recorded`);
    const wanted = deviations[`${scenario.name}: ${title}`]?.(known.state) ?? known.state;
    const outcome = await runStep(stage, scenario, step, (quietMs) => {
      const observe = async (): Promise<Observed> => compared(await stage.observe(scenario.collections), wanted);
      const waits = { clock, timeoutMs: COMES_TO_REST_MS + quietMs + longer };
      if (store === undefined) return untilSeen(observe, wanted, waits);
      const isStored = !scenario.collections.some(({ isAggregated }) => isAggregated);
      return untilAtRest(isStored ? unlessUnchanged(observe, store) : observe, wanted, { ...waits, quietMs });
    });
    yield { found: { title, ...outcome }, wanted: { title, codes: known.codes, state: wanted } };
  }
  await stage.close(scenario);
}

interface Waits {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** The wanted state as soon as it is seen, or the last state before the timeout. */
async function untilSeen(look: () => Promise<Observed>, wanted: Observed, { clock, timeoutMs }: Waits): Promise<Observed> {
  const deadline = clock.monotonic() + timeoutMs;
  for (let wait = LOOK_MS; ; wait = Math.min(LATE_LOOK_MS, wait * 1.25)) {
    const state = await look();
    if (isSame(state, wanted) || clock.monotonic() >= deadline) return state;
    await clock.sleep(wait);
  }
}

/** The wanted state when it is seen at the beginning and at the end of a quiet period, or the last state before the timeout. */
async function untilAtRest(
  look: () => Promise<Observed>,
  wanted: Observed,
  { clock, timeoutMs, quietMs }: Waits & { readonly quietMs: number },
): Promise<Observed> {
  const deadline = clock.monotonic() + timeoutMs;
  for (;;) {
    const first = await untilSeen(look, wanted, { clock, timeoutMs: deadline - clock.monotonic() });
    if (!isSame(first, wanted)) return first;
    await clock.sleep(quietMs);
    const state = await look();
    if (isSame(state, wanted) || clock.monotonic() >= deadline) return state;
  }
}

/** Repeats the last result as long as nothing was written to the store. */
function unlessUnchanged(look: () => Promise<Observed>, store: { readonly current: number }): () => Promise<Observed> {
  let last: { readonly revision: number; readonly state: Observed } | undefined;
  return async () => {
    const revision = store.current;
    if (last?.revision !== revision) last = { revision, state: await look() };
    return last.state;
  };
}

const isSame = (one: Observed, other: Observed): boolean => JSON.stringify(one) === JSON.stringify(other);

const EVENTS = 'events';

/**
 * Replaces a state's Events with the recorded ones of its step, and adds those that are not allowed. A controller that is killed may lose an Event, and the next process may
 * record one again.
 */
export function withoutLostEvents(allowed: readonly Json[]): (state: Observed, recorded: Observed) => Observed {
  const known = new Set(allowed.map((event) => JSON.stringify(event)));
  return (state, recorded) => {
    const found = state[EVENTS];
    if (found === undefined) return state;
    const unexpected = found.filter((event) => !known.has(JSON.stringify(event)));
    return { ...state, [EVENTS]: [...(recorded[EVENTS] ?? []), ...unexpected] };
  };
}

/** All Events of a scenario's recording. */
export const eventsOf = (recorded: readonly RecordedStep[], scenario: string): readonly Json[] =>
  recorded.filter((one) => one.scenario === scenario).flatMap(({ state }) => (state[EVENTS] ?? []).map(parsed));

function parsed(value: unknown): Json {
  const event: Json = JSON.parse(JSON.stringify(value));
  if (!isBody(event)) throw new Error(`no event: ${inspect(value)}`);
  return event;
}
