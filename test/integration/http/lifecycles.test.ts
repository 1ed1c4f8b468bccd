/** Replays the recorded lives of objects of each kind: responses and watch events of release 1.31.1. */
import { lifecycles, runLifecycle, type Lifecycle, type LifecycleSend } from '../../replay/lifecycle';
import { withCollectionDeletion } from '../../support/deviating-steps';
import { call, startFixture, warningsOf, type Fixture } from './fixture';

const { cases } = lifecycles('writes/lifecycles');

let fixture: Fixture;
let lives: readonly Lifecycle[] = [];

const send: LifecycleSend = async (method, path, headers, sent) => {
  const answer = await call(fixture, path, { method, ...(sent === '' ? {} : { body: sent }), headers, local: true });
  return { code: answer.status, text: answer.text, warnings: warningsOf(answer) };
};

beforeAll(async () => {
  fixture = await startFixture({ naming: 'kubernetes' });
  // In parallel, because each ends with a watch of a second.
  lives = await Promise.all(cases.map(({ kind }) => runLifecycle(send, kind, `life-${kind.name}`)));
});
afterAll(() => fixture.stop());

test.each(cases.map(({ kind }, index) => [kind.name, index] as const))(
  'a %s is created, read, changed and deleted as recorded',
  (_name, index) => {
    const { steps = [], ...recorded } = cases[index]!;
    expect(lives[index]).toEqual({ ...recorded, steps: steps.map(withCollectionDeletion) });
  },
);
