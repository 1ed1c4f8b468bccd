/** Reads the recordings of scenarios (`controllers/<name>`). */
import { readRecording, listRecordings } from '../recording';
import { either } from '../shape';
import { isScenarioLine, isScenariosHead, isScenarioStep, type Scenario, type ScenariosHead, type ScenarioStep } from './scenario';

const AREA = 'controllers';

/** Throws where a step precedes the first scenario. */
export function scenarioRecording(recording: string): { readonly head: ScenariosHead; readonly scenarios: readonly Scenario[] } {
  const { head, cases } = readRecording(recording, isScenariosHead, either(isScenarioLine, isScenarioStep));
  const scenarios: (Scenario & { readonly steps: ScenarioStep[] })[] = [];
  for (const line of cases) {
    if ('scenario' in line) {
      const { scenario: name, ...settings } = line;
      scenarios.push({ name, ...settings, steps: [] });
    } else {
      const current = scenarios.at(-1);
      if (current === undefined) throw new Error(`${recording} has a step before the first scenario`);
      current.steps.push(line);
    }
  }
  return { head, scenarios };
}

/** The scenarios of a recording, which each call reads again; `undefined` when there is no such recording. */
export const SCENARIOS = {
  get: (name: string): readonly Scenario[] | undefined =>
    listRecordings(AREA).includes(`${AREA}/${name}`) ? scenarioRecording(`${AREA}/${name}`).scenarios : undefined,
};
