/**
 * Replays requests about custom resources (test/replay/custom-suites.ts) whose answers were recorded from release 1.31.1 by test/replay/custom-requests.ts:
 * status, warnings and the whole body, ids and times masked.
 */
import { isDeepStrictEqual } from 'node:util';
import { DEFINITIONS } from '../../replay/custom-steps';
import { CUSTOM_SUITES, type CustomSuite } from '../../replay/custom-suites';
import { isRecordedStep, type RecordedStep } from '../../replay/record-step';
import { casesOf } from '../../replay/recording';
import { isBody, type Body, type Json } from '../../replay/reference';
import type { RequestStep } from '../../replay/update-steps';
import { comparableAnswer, withDeviation } from '../../support/deviating-steps';
import { call, startFixture, type Fixture } from './fixture';
import { replay } from './replay';

const NAMESPACE = 'steps-of-customers';

describe.each(Object.entries<CustomSuite>(CUSTOM_SUITES))('%s', (recording, { definitions, steps: scenario }) => {
  const recorded = casesOf(`custom/${recording}`, isRecordedStep);
  const seen = { version: '', uid: '' };
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture({ naming: 'kubernetes' });
    await call(fixture, '/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: NAMESPACE } }) });
    for (const definition of definitions) {
      expect((await call(fixture, DEFINITIONS, { method: 'POST', body: JSON.stringify(definition) })).status).toBe(201);
    }
    while (definitions.length > (await established(fixture)));
  });
  afterAll(() => fixture.stop());

  let next = 0;
  describe.each(Object.entries(scenario))('%s', (_name, steps) => {
    it.each(steps.map((step) => [`${step.method} ${step.path} ${step.note}`, step, recorded[next++]] as const))(
      '%s',
      async (_title, recordedStep, recordedAnswer) => {
        if (recordedAnswer === undefined) throw new Error('not recorded');
        const { step, expected } = withDeviation(recordedStep, recordedAnswer);
        const wanted = inOrder(expected);
        const answered = async (): Promise<RecordedStep> =>
          comparableAnswer(asOwned(inOrder(await replay(fixture, step, NAMESPACE, seen)), wanted), wanted);
        let answer = await answered();
        // What is said of a definition is said a little later.
        while (isLookAtDefinition(step) && !isDeepStrictEqual(conditionsOf(answer), conditionsOf(wanted))) {
          answer = await answered();
        }
        // Some of a client's mistakes are upstream's own fault there.
        const isMilder = answer.status === 400 && wanted.status === 500;
        expect(isMilder ? { ...answer, status: 500, body: withCode(answer.body, 500) } : answer).toEqual(wanted);
      },
    );
  });
});

async function established(fixture: Fixture): Promise<number> {
  const { text } = await call(fixture, DEFINITIONS);
  return text.split('"InitialNamesAccepted"').length - 1;
}

const isLookAtDefinition = ({ method, path }: RequestStep): boolean => method === 'GET' && path.startsWith(`${DEFINITIONS}/`);

function withCode(body: Json, code: number): Json {
  return isBody(body) ? { ...body, code } : body;
}

/** Upstream forgets who owns what when an object is written in a version that does not know all of it: there ours is not compared. */
function asOwned(step: RecordedStep, wanted: RecordedStep): RecordedStep {
  return { ...step, body: withoutOwners(step.body, wanted.body) };
}

function withoutOwners(answer: Json, wanted: Json): Json {
  if (Array.isArray(answer))
    return answer.map((item, index) => withoutOwners(item, Array.isArray(wanted) ? (wanted[index] ?? null) : null));
  if (!isBody(answer) || !isBody(wanted)) return answer;
  const { metadata, items, ...others } = answer;
  const isOwned = !isBody(wanted['metadata']) || 'managedFields' in wanted['metadata'];
  return {
    ...others,
    ...(metadata === undefined ? {} : { metadata: isOwned || !isBody(metadata) ? metadata : without(metadata, 'managedFields') }),
    ...(items === undefined ? {} : { items: withoutOwners(items, wanted['items'] ?? null) }),
  };
}

function without(body: Body, member: string): Body {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== member));
}

function conditionsOf({ body }: RecordedStep): Json {
  return isBody(body) && isBody(body['status']) ? (body['status']['conditions'] ?? null) : null;
}

/** Upstream's controllers write the conditions of a definition in any order. */
function inOrder(step: RecordedStep): RecordedStep {
  const { body } = step;
  if (!isBody(body) || body['kind'] !== 'CustomResourceDefinition' || !isBody(body['status'])) return step;
  const conditions = body['status']['conditions'];
  if (!Array.isArray(conditions)) return step;
  const typeOf = (condition: Json): string => JSON.stringify(isBody(condition) ? condition['type'] : '');
  const sorted = [...conditions].sort((a, b) => (typeOf(a) < typeOf(b) ? -1 : 1));
  return { ...step, body: { ...body, status: { ...body['status'], conditions: sorted } } };
}
