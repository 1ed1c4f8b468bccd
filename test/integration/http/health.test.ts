/** Health as the reference server tells it: which checks there are, in which order, and what is said of those that are asked for and left out. */
import { featureGates } from '../../../shared/runtime/feature-gates';
import { HEALTH_PATHS, WHO } from '../../recordings/health-paths';
import { casesOf } from '../../recordings/recording';
import { number, shape, text } from '../../recordings/shape';
import { call, startFixture, type Fixture } from './fixture';

const RECORDED = casesOf('health/answers', shape({ who: text, path: text, code: number, text }));

/** Lines of the reference server that would say nothing here: there is no such work at the start. docs/guide/operating.md says why. */
const LEFT_OUT: readonly string[] = [
  'poststarthook/priority-and-fairness-filter',
  'poststarthook/storage-object-count-tracker-hook',
  'poststarthook/apiservice-status-local-available-controller',
];

const comparable = (answer: string): readonly string[] =>
  answer.split('\n').filter((line) => !LEFT_OUT.includes(line.replace(/^\[\+\](\S+) ok$/, '$1')));

let fixture: Fixture;
beforeAll(async () => void (fixture = await startFixture({ naming: 'kubernetes', gates: featureGates(new Map()) })));
afterAll(() => fixture.stop());

it('has recorded what is asked', () => {
  expect(RECORDED.map(({ who, path }) => `${who} ${path}`)).toEqual(WHO.flatMap((who) => HEALTH_PATHS.map((path) => `${who} ${path}`)));
  expect(LEFT_OUT.filter((name) => !RECORDED.some((recorded) => recorded.text.includes(`[+]${name} ok`)))).toEqual([]);
});

test.each(RECORDED.map((recorded) => [`${recorded.who} ${recorded.path}`, recorded] as const))('%s', async (_, recorded) => {
  const answer = await call(fixture, recorded.path, recorded.who === 'admin' ? {} : { token: null });
  expect([answer.status, comparable(answer.text)]).toEqual([recorded.code, comparable(recorded.text)]);
});

it('does not speak of flow control where there is none', async () => {
  const without = await startFixture({ flowControl: false });
  const { text: told } = await call(without, '/readyz?verbose');
  await without.stop();
  expect(told).not.toContain('priority-and-fairness-config-consumer');
  expect(told).toContain('[+]poststarthook/priority-and-fairness-config-producer ok\n');
  expect(told.endsWith('[+]shutdown ok\nreadyz check passed\n')).toBe(true);
});
