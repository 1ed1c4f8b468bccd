/** Plays a recorded scenario to a server with its controllers, and waits after each step for the state that is recorded. Judges nothing: it returns what came of each step. */
import { inspect } from 'node:util';
import { isBody, type Json } from '../replay/reference';
import { casesOf } from '../replay/recording';
import type { Observed, Scenario } from '../replay/scenarios/scenario';
import { beating, type Send, type Stage } from '../replay/scenarios/stage';
import { anything, listOf, mapOf, number, shape, text } from '../replay/shape';
import type { ApiClient } from './api-client';

const isStep = shape({ scenario: text, title: text, codes: listOf(number), state: mapOf(listOf(anything)) });
const COMES_TO_REST_MS = 30_000;
/** Between two looks: at first, and in the end, when the rest is long in coming. */
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

/** How a scenario reaches the server; `api` may be there only later. */
export const sendOver =
  (api: () => ApiClient): Send =>
  async (method, path, headers, body) => {
    const answer = await api().send(method, path, body === undefined ? undefined : JSON.stringify(body), { headers });
    // A path that nobody serves is refused in plain text.
    const parsed: Json = answer.status === 404 && !answer.text.startsWith('{') ? {} : JSON.parse(answer.text);
    return { code: answer.status, body: parsed };
  };

export const recordedSteps = (name: string): readonly RecordedStep[] => casesOf(`controllers/${name}`, isStep);

export interface PlayOptions {
  readonly recorded: readonly RecordedStep[];
  /** What is to be there in the recorded state's place, by step (`scenario: title`). */
  readonly deviations?: Readonly<Record<string, (recorded: Observed) => Observed>>;
  /** What of a state is compared; absent = all. */
  readonly compared?: (state: Observed, recorded: Observed) => Observed;
  readonly restMs?: number;
  /** Lets controllers that stand still go on; looks follow one another at once then. */
  readonly goOn?: (() => Promise<void>) | undefined;
}

/** Each step as it came to rest, beside what was to come of it; ends with the first one that came to rest otherwise. */
export async function* played(
  stage: Stage,
  scenario: Scenario,
  { recorded, deviations = {}, compared = (state) => state, restMs: longer = 0, goOn }: PlayOptions,
): AsyncGenerator<{ readonly found: PlayedStep; readonly wanted: PlayedStep }> {
  await stage.open();
  for (const step of scenario.steps) {
    const { title, acts, restMs = 0 } = step;
    const known = recorded.find((one) => one.scenario === scenario.name && one.title === title);
    if (known === undefined) throw new Error(`${title} is not recorded`);
    const state = deviations[`${scenario.name}: ${title}`]?.(known.state) ?? known.state;
    const wanted = { title, codes: known.codes, state };
    const codes: number[] = [];
    if (scenario.isByAge === true) await nextSecond();
    const found = await beating(stage, step, async () => {
      for (const act of acts) codes.push(await stage.act(act));
      const look = async (): Promise<Observed> => compared(await stage.look(scenario.looks), state);
      return atRest(look, state, { restMs: restMs + longer, goOn });
    });
    yield { found: { title, codes, state: found }, wanted };
  }
  await stage.close(scenario);
}

async function nextSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1000);
  while (Math.floor(Date.now() / 1000) === second) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

interface Waits {
  readonly restMs: number;
  readonly goOn: PlayOptions['goOn'];
}

/** The wanted state as soon as it is there, or what is there instead when time is up. */
async function atRest(look: () => Promise<Observed>, wanted: Observed, { restMs, goOn }: Waits): Promise<Observed> {
  const sought = JSON.stringify(wanted);
  const deadline = performance.now() + COMES_TO_REST_MS + restMs;
  for (let wait = LOOK_MS; ; wait = Math.min(LATE_LOOK_MS, wait * 1.25)) {
    await goOn?.();
    const state = await look();
    if (JSON.stringify(state) === sought || performance.now() >= deadline) return state;
    if (goOn === undefined) await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

const EVENTS = 'events';

/**
 * Where controllers are killed, an Event may be lost, or told once more by the next process; one that nobody told in the recording is a difference. The state with the
 * recorded Events in the place of its own, where these are all among them.
 */
export function withoutLostEvents(allowed: readonly Json[]): (state: Observed, recorded: Observed) => Observed {
  const told = new Set(allowed.map((event) => JSON.stringify(event)));
  return (state, recorded) => {
    const found = state[EVENTS];
    if (found === undefined) return state;
    const strange = found.filter((event) => !told.has(JSON.stringify(event)));
    return { ...state, [EVENTS]: [...(recorded[EVENTS] ?? []), ...strange] };
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
