/**
 * Replays requests about custom resources (test/recordings/custom-steps.ts) whose answers were recorded from release 1.31.1 by test/recordings/custom-requests.ts:
 * status, warnings and the whole body, ids and times masked.
 */
import { CUSTOM_DEFINITIONS, CUSTOM_STEPS, DEFINITIONS, GROUP } from '../../recordings/custom-steps';
import { isRecordedStep } from '../../recordings/record-step';
import { casesOf } from '../../recordings/recording';
import { isBody, type Json } from '../../recordings/reference';
import { call, startFixture, type Fixture } from './fixture';
import { replay } from './replay';

const recorded = casesOf('custom/requests', isRecordedStep);

const NAMESPACE = 'steps-of-customers';
const seen = { version: '', uid: '' };
let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ naming: 'kubernetes' });
  await call(fixture, '/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: NAMESPACE } }) });
  for (const definition of CUSTOM_DEFINITIONS) {
    expect((await call(fixture, DEFINITIONS, { method: 'POST', body: JSON.stringify(definition) })).status).toBe(201);
  }
  for (const resource of ['v1/widgets', 'v2/gadgets', 'v3/ranges']) {
    while ((await call(fixture, `/apis/${GROUP}/${resource}`)).status === 404);
  }
});
afterAll(() => fixture.stop());

function withCode(body: Json, code: number): Json {
  return isBody(body) ? { ...body, code } : body;
}

let next = 0;

describe.each(Object.entries(CUSTOM_STEPS))('%s', (_name, steps) => {
  it.each(steps.map((step) => [`${step.method} ${step.path} ${step.note}`, step, recorded[next++]] as const))(
    '%s',
    async (_title, step, expected) => {
      const answer = await replay(fixture, step, NAMESPACE, seen);
      // Some of a client's mistakes are upstream's own fault there.
      const isMilder = answer.status === 400 && expected?.status === 500;
      expect(isMilder ? { ...answer, status: 500, body: withCode(answer.body, 500) } : answer).toEqual(expected);
    },
  );
});
