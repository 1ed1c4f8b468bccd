/**
 * Records which metrics the reference server shows, and which series grow with which requests:
 *   REFERENCE_URL=… node deploy/scripts/run.mjs test/replay/metrics.js
 * It has to be a fresh one, with an issuer of service account tokens and the range 10.96.0.0/16. test/integration/http/metrics.test.ts replays the recording.
 */
import { systemClock } from '../../shared/runtime/clock';
import { growth, readExposition, type Exposition } from '../support/exposition';
import { grownBy } from './metric-growth';
import { METRIC_STEPS } from './metric-steps';
import { writeRecording } from './recording';
import { ask, hangUp } from './reference';
import { sendStep } from './request-step';

/** What follows a request by itself has happened by then. */
const SETTLED_MS = 400;
const IDLE_LOOKS = 30;

async function look(path = '/metrics'): Promise<Exposition> {
  return readExposition((await ask('GET', path)).bytes.toString());
}

/** What grows although nobody asks for anything. */
async function growsAnyhow(): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  let before = await look();
  for (let at = 0; at < IDLE_LOOKS; at += 1) {
    await systemClock.sleep(SETTLED_MS);
    const after = await look();
    for (const name of growth(before, after).keys()) names.add(name);
    before = after;
  }
  return names;
}

async function record(): Promise<void> {
  const anyhow = await growsAnyhow();
  const cases: unknown[] = [];
  let before = await look();
  for (const step of METRIC_STEPS) {
    const code = await sendStep(step, { 'user-agent': 'recorder' });
    await systemClock.sleep(SETTLED_MS);
    const after = await look();
    cases.push({ step: step.name, code, grown: grownBy(before, after, anyhow) });
    before = after;
  }
  writeRecording('metrics/steps', cases);
  writeRecording(
    'metrics/families',
    [...before.families.values()].filter(({ name }) => !name.startsWith('go_')),
  );
  writeRecording('metrics/slis', (await look('/metrics/slis')).families.values());
}

void record().finally(hangUp);
