/**
 * Replays the cases of test/replay/service against the answers of release 1.31.1 that test/replay/service.ts recorded: which causes a
 * refusal has, or what the server makes of the object. Addresses and ports that the server chooses are masked.
 */
import { auditStore } from '../../../test/support/allocations';
import { SERVICE_DEVIATIONS } from '../../../test/support/deviations';
import { writeFixture, type Fixture } from '../../../test/support/write-fixture';
import { addressRules } from '../../../test/replay/service/addresses';
import { BASES, changeOf, madeOf, masked, merged, type Case, type Rule } from '../../../test/replay/service/case';
import { BALANCER_RULES } from '../../../test/replay/service/balancer-rules';
import { FIELD_RULES } from '../../../test/replay/service/field-rules';
import { PORT_RULES } from '../../../test/replay/service/port-rules';
import { DUAL_SEQUENCES, SEQUENCES, type Sequence, type SequenceStep } from '../../../test/replay/service/sequences';
import { casesOf } from '../../../test/replay/recording';
import type { Body, Json } from '../../../test/replay/reference';
import { anything, listOf, number, shape, text, tupleOf, type Check } from '../../../test/replay/shape';
import { StatusError } from '../../../shared/api/errors/status';
import type { Entry } from '../../cache/cache';
import type { Subresource } from '../verbs';

interface Answer {
  readonly code: number;
  readonly made?: Json;
  readonly causes?: readonly (readonly string[])[];
  readonly message?: string;
  readonly warnings?: readonly string[];
}

const isAnswer: Check<Answer> = shape(
  { code: number },
  { made: anything, causes: listOf(listOf(text)), message: text, warnings: listOf(text) },
);

const CLUSTERS = [
  {
    title: 'one family',
    ranges: '10.96.0.0/16',
    rules: [...PORT_RULES, ...FIELD_RULES, ...BALANCER_RULES, ...addressRules('10.96')],
    sequences: SEQUENCES,
    answers: answersIn('single'),
  },
  {
    title: 'two families',
    ranges: '10.0.0.0/16,fd00::/108',
    rules: addressRules('10.0'),
    sequences: DUAL_SEQUENCES,
    answers: answersIn('dual'),
  },
];

/** By the text of the case or sequence. */
function answersIn(recording: string): ReadonlyMap<string, readonly Answer[]> {
  const cases = casesOf(`service/${recording}`, tupleOf(anything, listOf(isAnswer)));
  return new Map(cases.map(([key, answers]) => [JSON.stringify(key), answers]));
}

const expectedAnswers = (answers: ReadonlyMap<string, readonly Answer[]>, key: string): readonly (Answer | undefined)[] =>
  (answers.get(key) ?? []).map((answer, place) => SERVICE_DEVIATIONS.get(key)?.get(place) ?? answer);

describe.each(CLUSTERS)('$title', ({ ranges, rules, sequences, answers }) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await writeFixture({ ranges });
  });

  it.each(rules.flatMap(rowsOf))('%s: %s', async (_rule, key) => {
    const [base, given] = parseCase(key);
    const change = changeOf(given);
    const [onCreate, onUpdate] = expectedAnswers(answers, key);
    expect(await play(fixture, [['create', merged({ spec: BASES[base] }, change)]], change)).toEqual([onCreate]);
    const steps: Sequence = [
      ['create', { spec: BASES[base] }],
      ['put', change],
    ];
    expect((await play(fixture, steps, change))[1]).toEqual(onUpdate);
  });

  it.each(sequences.map((sequence) => [JSON.stringify(sequence), sequence] as const))('%s', async (key, sequence) => {
    expect(await play(fixture, sequence, { steps: key })).toEqual(expectedAnswers(answers, key));
  });

  // Every case has removed what it made, so whatever is left was left by a refusal or a change.
  it('has left no address and no port allocated', async () => {
    expect(await auditStore(fixture.store)).toEqual({ services: 0, allocations: 0, findings: [] });
  });
});

function rowsOf({ rule, cases }: Rule): (readonly [rule: string, key: string])[] {
  return cases.map((made) => [rule, JSON.stringify(made)] as const);
}

function parseCase(key: string): Case {
  const parsed: Case = JSON.parse(key);
  return parsed;
}

let count = 0;

/** The answers to the steps, one after the other. */
async function play(fixture: Fixture, sequence: Sequence, scope: Body): Promise<readonly Json[]> {
  const name = `case-${++count}`;
  let object: Body = {};
  const answers: Json[] = [];
  for (const step of sequence) {
    await fixture.cache.catchUp();
    fixture.warnings.length = 0;
    let answer: Body;
    try {
      const { entry, created, sent } = await perform(fixture, name, step, object);
      object = JSON.parse(entry.bytes.toString());
      answer = { code: created ? 201 : 200, made: madeOf(sent, object) };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      answer = refusalOf(error);
    }
    const warnings = fixture.warnings.length > 0 ? { warnings: [...new Set(fixture.warnings)] } : {};
    answers.push(masked({ ...answer, ...warnings }, scope, name));
  }
  await fixture.cache.catchUp();
  if (object['metadata'] !== undefined) await fixture.remove('services', name);
  return answers;
}

function refusalOf({ code, status: { message = '', details } }: StatusError): Body {
  const causes = (details?.causes ?? []).map((cause) => [cause.field ?? '', cause.reason ?? '', cause.message ?? '']);
  return { code, ...(code === 422 && causes.length > 0 ? { causes } : { message }) };
}

interface Performed {
  readonly entry: Entry;
  readonly created: boolean;
  readonly sent: Json;
}

async function perform(fixture: Fixture, name: string, step: SequenceStep, object: Body): Promise<Performed> {
  const [verb, body] = step;
  if (verb === 'json') return { ...(await fixture.patch('services', name, 'json', body)), sent: object };
  const subresource: Subresource = verb.startsWith('status') ? 'status' : undefined;
  const named = merged({ metadata: { name } }, body);
  switch (verb) {
    case 'create':
      return { ...(await fixture.create('services', structuredClone(named))), sent: named };
    case 'replace':
      return { ...(await fixture.update('services', name, structuredClone(named))), sent: named };
    case 'put':
    case 'status': {
      const sent = merged(object, body);
      return { ...(await fixture.update('services', name, structuredClone(sent), { subresource })), sent };
    }
    case 'apply':
    case 'status-apply': {
      const config = merged({ apiVersion: 'v1', kind: 'Service' }, named);
      return { ...(await fixture.patch('services', name, 'apply', config, { subresource, force: true })), sent: object };
    }
    case 'merge':
    case 'status-merge':
      return { ...(await fixture.patch('services', name, 'merge', body, { subresource })), sent: object };
    case 'strategic':
      return { ...(await fixture.patch('services', name, 'strategic', body)), sent: object };
  }
}
