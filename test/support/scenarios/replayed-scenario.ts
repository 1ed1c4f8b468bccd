/**
 * Plays a recorded scenario to a server with its controllers and waits after each step for the recorded state. Yields
 * the actual and the recorded outcome of each step; callers compare them.
 */
import { inspect } from 'node:util';
import type { Clock } from '../../../shared/runtime/clock';
import { isBody, type Json } from '../../replay/json-response';
import { SCENARIOS } from '../../replay/scenarios';
import { runStep, type StepOutcome } from '../../replay/scenarios/run-step';
import type { ObservedState, Scenario } from '../../replay/scenarios/scenario';
import type { ScenarioSend, ScenarioSession } from '../../replay/scenarios/scenario-session';
import type { ApiClient } from '../http/api-client';

/** The time limit for a step, besides the time for which the cluster must be at rest. */
const STEADY_TIMEOUT_MS = 30_000;
/** Interval between two observations, at first and at most. */
const FIRST_POLL_MS = 50;
const MAX_POLL_MS = 500;

/** The outcome of a step: the status codes of its requests, and the state after it. */
export interface PlayedStep extends StepOutcome {
  readonly title: string;
}

export interface RecordedStep extends PlayedStep {
  readonly scenario: string;
}

/** Sends a scenario's requests through a client that may be created later. */
export const sendWith =
  (api: () => ApiClient): ScenarioSend =>
  async (method, path, headers, body) => {
    const response = await api().send(method, path, body === undefined ? undefined : JSON.stringify(body), { headers });
    // The response to a path that is not served is plain text.
    const isPlainText = response.status === 404 && !response.text.startsWith('{');
    const responseBody: Json = isPlainText ? {} : JSON.parse(response.text);
    return { code: response.status, body: responseBody };
  };

/** The recorded outcomes of a recording's steps, without those of steps that are not recorded yet. */
export const recordedSteps = (name: string): readonly RecordedStep[] => (SCENARIOS.get(name) ?? []).flatMap(outcomesOf);

const outcomesOf = ({ name, steps }: Scenario): readonly RecordedStep[] =>
  steps.flatMap(({ title, codes, state }) => (codes === undefined || state === undefined ? [] : [{ scenario: name, title, codes, state }]));

export interface PlayOptions {
  readonly recorded: readonly RecordedStep[];
  /** Replaces the recorded state of a step, by `scenario: title`. */
  readonly deviations?: Readonly<Record<string, (recorded: ObservedState) => ObservedState>>;
  /** The part of a state that is compared; absent for the whole state. */
  readonly compared?: (state: ObservedState, recorded: ObservedState) => ObservedState;
  /** Added to the time in which a step must reach its recorded state. Milliseconds. */
  readonly extraMs?: number;
}

/**
 * Yields the outcome of each step beside the recorded one. When the session knows the writes to the server's store, the
 * state must also stay as recorded for the quiet period of the step.
 */
export async function* playSteps(
  session: ScenarioSession,
  scenario: Scenario,
  { recorded, deviations = {}, compared = (state) => state, extraMs = 0 }: PlayOptions,
): AsyncGenerator<{ readonly actual: PlayedStep; readonly expected: PlayedStep }> {
  const { clock, lastWrite } = session.environment;
  await session.open();
  for (const step of scenario.steps) {
    const { title } = step;
    const recordedStep = recorded.find((candidate) => candidate.scenario === scenario.name && candidate.title === title);
    if (recordedStep === undefined) throw new Error(`${title} is not recorded`);
    const expected = deviations[`${scenario.name}: ${title}`]?.(recordedStep.state) ?? recordedStep.state;
    const outcome = await runStep(session, scenario, step, (quietMs) => {
      const observe = async (): Promise<ObservedState> => compared(await session.observe(scenario.collections), expected);
      const waitOptions = { clock, timeoutMs: STEADY_TIMEOUT_MS + quietMs + extraMs };
      if (lastWrite === undefined) return waitUntilSeen(observe, expected, waitOptions);
      // Objects of aggregated API servers change without a write to the store.
      const isStored = !scenario.collections.some(({ isAggregated }) => isAggregated);
      const observer = isStored ? observeWrites(observe, () => lastWrite(session.namespace)) : { atRest: observe, now: observe };
      return waitUntilSteady(observer, expected, { ...waitOptions, quietMs });
    });
    yield { actual: { title, ...outcome }, expected: { title, codes: recordedStep.codes, state: expected } };
  }
  await session.close(scenario);
}

interface WaitOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** The expected state as soon as it is observed, or the last state before the timeout. */
async function waitUntilSeen(
  observe: () => Promise<ObservedState>,
  expected: ObservedState,
  { clock, timeoutMs }: WaitOptions,
): Promise<ObservedState> {
  const deadline = clock.monotonic() + timeoutMs;
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(MAX_POLL_MS, pollMs * 1.25)) {
    const state = await observe();
    if (isSame(state, expected) || clock.monotonic() >= deadline) return state;
    await clock.sleep(pollMs);
  }
}

/** Two ways to observe a state. Both may return the last observation again. */
interface Observer {
  /** May return an earlier state while the state still changes. */
  atRest(): Promise<ObservedState>;
  /** Returns the present state. */
  now(): Promise<ObservedState>;
}

/**
 * The expected state when it is observed at the beginning and at the end of a quiet period, or the last state before
 * the timeout.
 */
async function waitUntilSteady(
  observer: Observer,
  expected: ObservedState,
  { clock, timeoutMs, quietMs }: WaitOptions & { readonly quietMs: number },
): Promise<ObservedState> {
  const deadline = clock.monotonic() + timeoutMs;
  for (;;) {
    const first = await waitUntilSeen(observer.atRest, expected, { clock, timeoutMs: deadline - clock.monotonic() });
    if (!isSame(first, expected)) return observer.now();
    await clock.sleep(quietMs);
    const state = await observer.now();
    if (isSame(state, expected) || clock.monotonic() >= deadline) return state;
  }
}

/**
 * Observes again only after a write. `atRest` also waits for two polls without a write between them, because most lists
 * of a replay would otherwise be those of states that controllers are still changing.
 */
function observeWrites(observe: () => Promise<ObservedState>, lastWrite: () => number): Observer {
  let observed: { readonly revision: number; readonly state: ObservedState } | undefined;
  let polledRevision: number | undefined;
  const now = async (): Promise<ObservedState> => {
    const revision = lastWrite();
    if (observed?.revision !== revision) observed = { revision, state: await observe() };
    return observed.state;
  };
  const atRest = async (): Promise<ObservedState> => {
    const isAtRest = polledRevision === lastWrite();
    polledRevision = lastWrite();
    return isAtRest || observed === undefined ? now() : observed.state;
  };
  return { atRest, now };
}

const isSame = (a: ObservedState, b: ObservedState): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The path of Events in a state. */
const EVENTS = 'events';

/**
 * Replaces a state's Events with the recorded ones of its step, and adds those that are not allowed. A controller that
 * is killed may lose an Event, and the next process may record one again.
 */
export function withoutLostEvents(allowed: readonly Json[]): (state: ObservedState, recorded: ObservedState) => ObservedState {
  const allowedTexts = new Set(allowed.map((event) => JSON.stringify(event)));
  return (state, recorded) => {
    const events = state[EVENTS];
    if (events === undefined) return state;
    const unexpected = events.filter((event) => !allowedTexts.has(JSON.stringify(event)));
    return { ...state, [EVENTS]: [...(recorded[EVENTS] ?? []), ...unexpected] };
  };
}

/** All Events of a scenario's recording. */
export const recordedEvents = (recorded: readonly RecordedStep[], scenario: string): readonly Json[] =>
  recorded.filter((step) => step.scenario === scenario).flatMap(({ state }) => (state[EVENTS] ?? []).map(parseEvent));

function parseEvent(value: unknown): Json {
  const event: Json = JSON.parse(JSON.stringify(value));
  if (!isBody(event)) throw new Error(`no event: ${inspect(value)}`);
  return event;
}
