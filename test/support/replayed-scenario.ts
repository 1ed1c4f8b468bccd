/**
 * Plays a recorded scenario to a server with its controllers and waits after each step for the recorded state. Compares nothing: it yields the found and the recorded
 * outcome of each step.
 */
import { inspect } from 'node:util';
import type { Clock } from '../../shared/runtime/clock';
import { isBody, type Json } from '../replay/reference';
import { casesOf } from '../replay/recording';
import { REST_MS, type Observed, type Scenario } from '../replay/scenarios/scenario';
import { beating, type Send, type Stage } from '../replay/scenarios/stage';
import { anything, listOf, mapOf, number, shape, text } from '../replay/shape';
import type { ApiClient } from './api-client';

const isStep = shape({ scenario: text, title: text, codes: listOf(number), state: mapOf(listOf(anything)) });
const COMES_TO_REST_MS = 30_000;
/** Between two looks: at first, and at most. */
const LOOK_MS = 50;
const LATE_LOOK_MS = 500;

export interface PlayedStep {
  readonly title: string;
  readonly codes: readonly number[];
  readonly state: Observed;
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

export const recordedSteps = (name: string): readonly RecordedStep[] => casesOf(`controllers/${name}`, isStep);

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
    const { title, acts, restMs } = step;
    const known = recorded.find((one) => one.scenario === scenario.name && one.title === title);
    if (known === undefined) throw new Error(`${title} is not recorded`);
    const state = deviations[`${scenario.name}: ${title}`]?.(known.state) ?? known.state;
    const wanted = { title, codes: known.codes, state };
    const codes: number[] = [];
    if (scenario.isByAge === true) await nextSecond(clock);
    const found = await beating(stage, step, async () => {
      for (const act of acts) codes.push(await stage.act(act));
      const look = async (): Promise<Observed> => compared(await stage.look(scenario.looks), state);
      const timeoutMs = COMES_TO_REST_MS + (restMs ?? 0) + longer;
      if (store === undefined) return untilSeen(look, state, { clock, timeoutMs });
      const isStored = !scenario.looks.some(({ isAggregated }) => isAggregated);
      const waits = { clock, timeoutMs, restMs: restMs ?? REST_MS };
      return untilAtRest(isStored ? unlessUnchanged(look, store) : look, state, waits);
    });
    yield { found: { title, codes, state: found }, wanted };
  }
  await stage.close(scenario);
}

async function nextSecond(clock: Clock): Promise<void> {
  const second = Math.floor(clock.now() / 1_000);
  while (Math.floor(clock.now() / 1_000) === second) await clock.sleep(1_000 - (clock.now() % 1_000));
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
  { clock, timeoutMs, restMs }: Waits & { readonly restMs: number },
): Promise<Observed> {
  const deadline = clock.monotonic() + timeoutMs;
  for (;;) {
    const first = await untilSeen(look, wanted, { clock, timeoutMs: deadline - clock.monotonic() });
    if (!isSame(first, wanted)) return first;
    await clock.sleep(restMs);
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
