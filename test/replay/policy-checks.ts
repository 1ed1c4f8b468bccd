/**
 * Records what the reference's controllers write into the status of admission policies:
 *   (start the reference with its controllers) REFERENCE_URL=… node deploy/scripts/run.mjs test/replay/policy-checks.js
 * controllers/policy-status/check.test.ts replays the recording.
 */
import { systemClock } from '../../shared/runtime/clock';
import { CHECKED, DEFINITION } from './policy-checks/cases';
import { writeRecording } from './recording';
import { call, hangUp, isBody, type Body, type Json } from './reference';

const JSON_TYPE = 'application/json';
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Time for the controllers to know of a definition. */
const KNOWN_MS = 3_000;
const ROUNDS = 100;
const PAUSE_MS = 50;

async function statusOf(spec: Body, name: string): Promise<Json> {
  const made = await call('POST', POLICIES, JSON_TYPE, { metadata: { name }, spec });
  if (made.code !== 201) throw new Error(JSON.stringify(made.body));
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      await systemClock.sleep(PAUSE_MS);
      const { status = {} } = (await call('GET', `${POLICIES}/${name}`, JSON_TYPE)).body;
      if (isBody(status) && status['observedGeneration'] !== undefined) return status;
    }
    throw new Error(`nothing came of ${name}`);
  } finally {
    await call('DELETE', `${POLICIES}/${name}`, JSON_TYPE);
  }
}

async function record(): Promise<void> {
  await call('POST', DEFINITIONS, JSON_TYPE, DEFINITION);
  await systemClock.sleep(KNOWN_MS);
  const lines: Body[] = [];
  for (const [index, [title, spec]] of Object.entries(CHECKED).entries())
    lines.push({ title, status: await statusOf(spec, `checked-${index}`) });
  await call('DELETE', `${DEFINITIONS}/things.tc.example.com`, JSON_TYPE);
  writeRecording('admission/policy-checks', lines);
}

void record().finally(hangUp);
