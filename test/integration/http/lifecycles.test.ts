/** The life of objects of each kind by requests alone: replays what the reference server answered (test/recordings/lifecycles.ts). */
import { LIVING_KINDS } from '../../recordings/lifecycles/kinds';
import { runLifecycle, type LifecycleSend } from '../../recordings/lifecycles/run';
import { casesOf } from '../../recordings/recording';
import { isBody, type Body, type Json } from '../../recordings/reference';
import { body } from '../../recordings/shape';
import { collectionDeletionStatus } from '../../support/deviations';
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
  const steps = Array.isArray(recorded?.['steps']) ? recorded['steps'].map(withDeviation) : [];
  expect(lives[index]).toEqual({ ...recorded, steps });
});

function withDeviation(step: Json): Json {
  if (!isBody(step) || !isBody(step['body']) || typeof step['request'] !== 'string') return step;
  const { body: answer, request } = step;
  const { kind } = answer;
  const isDeletedList = request.startsWith('DELETE ') && typeof kind === 'string' && kind.endsWith('List');
  return isDeletedList ? { ...step, body: collectionDeletionStatus(request.slice('DELETE '.length)) } : step;
}
