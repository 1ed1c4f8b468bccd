/** What PodSecurity says of pods, workloads and namespaces, as release 1.31.1 did (test/replay/pod-security.ts), step by step. */
import { AS_THE_TABLE_SAYS } from '../../../apiserver/admission/switches';
import { casesOf } from '../../replay/recording';
import { body, either, listOf, nothing, number, shape, text } from '../../replay/shape';
import { call, json, startFixture, type Fixture } from './fixture';

const SUITES = ['pod-security-controls', 'pod-security-versions', 'pod-security-labels'];
const WITHOUT_ACCOUNTS = { ...AS_THE_TABLE_SAYS, disabled: ['ServiceAccount'] };

const isStep = shape(
  {
    method: text,
    path: text,
    answer: shape({ code: number, warnings: listOf(text) }, { message: either(text, nothing), reason: either(text, nothing) }),
  },
  { type: text, body },
);

let fixture: Fixture;
beforeAll(async () => (fixture = await startFixture({ naming: 'kubernetes', plugins: WITHOUT_ACCOUNTS })));
afterAll(() => fixture.stop());

describe.each(SUITES)('%s', (suite) => {
  const steps = casesOf(`admission/${suite}`, isStep);
  it.each(steps.map((step, at) => [at, step] as const))('step %i', async (_at, { method, path, type, body: sent, answer }) => {
    const got = await call(fixture, path, {
      local: true,
      method,
      headers: { 'content-type': type ?? 'application/json' },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    });
    const { message, reason } = got.status < 400 ? { message: undefined, reason: undefined } : json(got);
    expect({ code: got.status, warnings: warningsOf(got.headers['warning']), message, reason }).toEqual({ ...answer });
  });
});

const warningsOf = (header: string | readonly string[] | undefined): readonly string[] =>
  [...String(header ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) => quoted.replace(/\\(.)/g, '$1'));
