/** What the admission plug-ins that are on by default make of requests, as release 1.31.1 did (test/recordings/admission.ts), step by step. */
import { AS_THE_TABLE_SAYS } from '../../../apiserver/admission/switches';
import { casesOf } from '../../recordings/recording';
import { body, either, nothing, number, shape, text } from '../../recordings/shape';
import { call, json, startFixture, type Fixture } from './fixture';

const SUITES = ['default-toleration-seconds', 'priority', 'runtime-class', 'service-account', 'storage-class', 'taint-nodes'];

/** Of the recorded plug-ins that have to be asked for, those that are here; the others have no step of their own below. */
const ASKED_FOR = ['AlwaysPullImages', 'DenyServiceExternalIPs', 'LimitPodHardAntiAffinityTopology'];
/** Steps of what else the reference was told to have: nodes that a namespace chooses, and tolerations that come with amounts. */
const OF_OTHERS = /rec-selected|"limits"/;

const isStep = shape(
  {
    method: text,
    path: text,
    answer: shape({ code: number }, { message: either(text, nothing), reason: either(text, nothing), object: body }),
  },
  { type: text, body },
);

describe.each(SUITES)('%s', (suite) => {
  let fixture: Fixture;
  beforeAll(async () => (fixture = await startFixture({ naming: 'kubernetes', plugins: AS_THE_TABLE_SAYS })));
  afterAll(() => fixture.stop());

  const steps = casesOf(`admission/${suite}`, isStep);
  it.each(steps.map((step, at) => [at, step] as const))('step %i', async (_at, { method, path, type, body: sent, answer }) => {
    const got = await call(fixture, path, {
      method,
      headers: { 'content-type': type ?? 'application/json' },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    });
    const object = json(got);
    if (answer.object === undefined) {
      const { message, reason } = object;
      expect({ code: got.status, message: firstLine(message), reason }).toEqual({ ...answer, message: firstLine(answer.message) });
      return;
    }
    expect({ code: got.status, object: reduced(object) }).toEqual(answer);
  });
});

/** What follows is a difference in the notation of another language. */
const firstLine = (text: unknown): string => String(text).split('\n', 1)[0] ?? '';

/** As the recorder has it. */
function reduced(object: Readonly<Record<string, unknown>>): unknown {
  const annotations = (object['metadata'] as { readonly annotations?: unknown } | undefined)?.annotations ?? null;
  const kept: Record<string, unknown> = { annotations };
  for (const member of ['spec', 'secrets', 'value', 'overhead']) if (object[member] !== undefined) kept[member] = object[member];
  return JSON.parse(JSON.stringify(kept).replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-*'));
}

describe('plug-ins that are asked for', () => {
  let fixture: Fixture;
  beforeAll(
    async () => (fixture = await startFixture({ naming: 'kubernetes', plugins: { enabled: ASKED_FOR, disabled: ['ServiceAccount'] } })),
  );
  afterAll(() => fixture.stop());

  const steps = casesOf('admission/asked-for', isStep).filter((step) => !OF_OTHERS.test(JSON.stringify(step)));
  it.each(steps.map((step, at) => [at, step] as const))('step %i', async (_at, { method, path, type, body: sent, answer }) => {
    const headers = { 'content-type': type ?? 'application/json' };
    const got = await call(fixture, path, { method, headers, ...(sent === undefined ? {} : { body: JSON.stringify(sent) }) });
    const object = json(got);
    if (answer.object === undefined) expect({ code: got.status, message: object['message'], reason: object['reason'] }).toEqual(answer);
    else expect({ code: got.status, object: unplaced(reduced(object)) }).toEqual({ ...answer, object: unplaced(answer.object) });
  });

  /** Services get an address of the server's own range. */
  const unplaced = (object: unknown): unknown => JSON.parse(JSON.stringify(object).replace(/"10\.[0-9.]+"/g, '"<address>"'));
});
