/**
 * Replays requests about updates and deletion (test/replay/update-steps.ts, delete-steps.ts, patch-order-steps.ts) whose answers were recorded from release 1.31.1 by
 * test/replay/updates.ts: status, warnings and the whole body, ids and times masked.
 */
import { DELETE_QUERY_STEPS, DELETE_STEPS } from '../../replay/delete-steps';
import { HOSTILE_STEPS } from '../../replay/hostile-steps';
import { LIST_TYPE_STEPS } from '../../replay/list-type-steps';
import { PATCH_ORDER_STEPS } from '../../replay/patch-order-steps';
import { isRecordedStep } from '../../replay/record-step';
import { casesOf } from '../../replay/recording';
import { UPDATE_STEPS } from '../../replay/update-steps';
import { comparableAnswer, withDeviation } from '../../support/deviating-steps';
import { call, startFixture, type Fixture } from './fixture';
import { replay } from './replay';

const recorded = casesOf('writes/updates', isRecordedStep);

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

let next = 0;

describe.each(
  Object.entries({ ...UPDATE_STEPS, ...DELETE_STEPS, ...PATCH_ORDER_STEPS, ...DELETE_QUERY_STEPS, ...HOSTILE_STEPS, ...LIST_TYPE_STEPS }),
)('%s', (name, steps) => {
  const namespace = `updates-${name}`;
  const seen = { version: '', uid: '' };
  beforeAll(async () => {
    await call(fixture, '/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: namespace } }) });
  });

  it.each(steps.map((step) => [`${step.method} ${step.path}: ${step.note}`, step, recorded[next++]] as const))(
    '%s',
    async (_title, recordedStep, recordedAnswer) => {
      if (recordedAnswer === undefined) throw new Error('not recorded');
      const { step, expected } = withDeviation(recordedStep, recordedAnswer);
      expect(comparableAnswer(await replay(fixture, step, namespace, seen), expected)).toEqual(expected);
    },
  );
});
