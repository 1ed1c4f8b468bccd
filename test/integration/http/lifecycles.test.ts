/** The life of objects of each kind by requests alone: replays what the reference server answered (test/replay/lifecycles.ts). */
import { LIVING_KINDS } from '../../replay/lifecycles/kinds';
import { runLifecycle, type LifecycleSend } from '../../replay/lifecycles/run';
import { casesOf } from '../../replay/recording';
import type { Body } from '../../replay/reference';
import { body } from '../../replay/shape';
import { withCollectionDeletion } from '../../support/deviating-steps';
import { call, startFixture, warningsOf, type Fixture } from './fixture';

const RECORDED = casesOf('writes/lifecycles', body);

let fixture: Fixture;
let lives: readonly Body[] = [];

const send: LifecycleSend = async (method, path, headers, sent) => {
  const answer = await call(fixture, path, { method, ...(sent === '' ? {} : { body: sent }), headers, local: true });
  return { code: answer.status, text: answer.text, warnings: warningsOf(answer) };
};

beforeAll(async () => {
  fixture = await startFixture({ naming: 'kubernetes' });
  // Side by side: each ends with a watch that lasts a second.
  lives = await Promise.all(LIVING_KINDS.map((kind) => runLifecycle(send, kind, `life-${kind.name}`)));
});
afterAll(() => fixture.stop());

test.each(LIVING_KINDS.map(({ name }, index) => [name, index] as const))('%s', (_name, index) => {
  const recorded = RECORDED[index];
  const steps = Array.isArray(recorded?.['steps']) ? recorded['steps'].map(withCollectionDeletion) : [];
  expect(lives[index]).toEqual({ ...recorded, steps });
});
