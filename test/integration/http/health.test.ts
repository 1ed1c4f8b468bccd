/** Health as the reference server tells it: which checks there are, in which order, and what is said of those that are asked for and left out. */
import { featureGates } from '../../../shared/runtime/feature-gates';
import { HEALTH_PATHS, WHO } from '../../replay/health-paths';
import { casesOf } from '../../replay/recording';
import { number, shape, text } from '../../replay/shape';
import { call, startFixture, type Fixture } from './fixture';

const RECORDED = casesOf('health/answers', shape({ who: text, path: text, code: number, text }));

let fixture: Fixture;
beforeAll(async () => void (fixture = await startFixture({ naming: 'kubernetes', gates: featureGates(new Map()) })));
afterAll(() => fixture.stop());

it('has recorded what is asked', () => {
  expect(RECORDED.map(({ who, path }) => `${who} ${path}`)).toEqual(WHO.flatMap((who) => HEALTH_PATHS.map((path) => `${who} ${path}`)));
});

test.each(RECORDED.map((recorded) => [`${recorded.who} ${recorded.path}`, recorded] as const))('%s', async (_, recorded) => {
  const answer = await call(fixture, recorded.path, recorded.who === 'admin' ? {} : { token: null });
  // A deviation: the specification has the same last line for all three paths.
  expect([answer.status, answer.text]).toEqual([
    recorded.code,
    recorded.text.replace(/^(?:livez|readyz) check passed$/m, 'healthz check passed'),
  ]);
});

it('speaks of the number of requests where there is no flow control', async () => {
  const without = await startFixture({ flowControl: false });
  const { text: told } = await call(without, '/readyz?verbose');
  await without.stop();
  const names = told.split('\n').flatMap((line) => /^\[\+\]poststarthook\/(\S+) ok$/.exec(line)?.[1] ?? []);
  expect(names.slice(1, 4)).toEqual(['generic-apiserver-start-informers', 'max-in-flight-filter', 'storage-object-count-tracker-hook']);
  expect(names.filter((name) => name.startsWith('priority-and-fairness'))).toEqual(['priority-and-fairness-config-producer']);
  expect(told.endsWith('[+]shutdown ok\nhealthz check passed\n')).toBe(true);
});
