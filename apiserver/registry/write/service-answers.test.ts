/**
 * Replays the cases of test/recordings/service against the answers of release 1.31.1 that test/recordings/services.ts recorded: which causes a
 * refusal has, or what the server makes of the object. Addresses and ports that the server chooses are masked.
 */
import { writeFixture, objectOf, type Fixture } from '../../../test/support/write-fixture';
import { addressRules } from '../../../test/recordings/service/addresses';
import { BASES, changeOf, difference, masked, merged, type Rule } from '../../../test/recordings/service/case';
import { BALANCER_RULES, FIELD_RULES, PORT_RULES } from '../../../test/recordings/service/rules';
import { DUAL_SEQUENCES, SEQUENCES, type Sequence, type SequenceStep } from '../../../test/recordings/service/sequences';
import { isBody, type Body, type Json } from '../../../test/recordings/reference';
import { StatusError } from '../../../shared/api/status';
import type { Entry } from '../../cache/contract';
import type { Subresource } from '../contract';
// STAND-IN
import { service as strategy } from '../strategies/service';
import { invalidValue } from '../../../shared/api/field-error';
import type { JsonObject } from '../../../shared/api/json';
import type { StrategyContext } from '../strategies/strategy';
import { arrayAt, objectAt, stringAt, own } from '../../../shared/api/json';
import dualAnswers from './service-answers/dual.json';
import singleAnswers from './service-answers/single.json';

interface Answer {
  readonly code: number;
  readonly made?: Json;
  readonly causes?: readonly (readonly string[])[];
  readonly message?: string;
  readonly warnings?: readonly string[];
}

const CLUSTERS = [
  {
    title: 'one family',
    families: ['IPv4'] as const,
    rules: [...PORT_RULES, ...FIELD_RULES, ...BALANCER_RULES, ...addressRules('10.96')],
    sequences: SEQUENCES,
    answers: answersIn(singleAnswers),
  },
  {
    title: 'two families',
    families: ['IPv4', 'IPv6'] as const,
    rules: addressRules('10.0'),
    sequences: DUAL_SEQUENCES,
    answers: answersIn(dualAnswers),
  },
];

function answersIn(recorded: object): ReadonlyMap<string, readonly Answer[]> {
  return new Map(Object.entries(recorded));
}

const actual = strategy.settle;
let chosen = 0;
Object.assign(strategy, {
  settle: (service: JsonObject, old: JsonObject | undefined, context: StrategyContext) => {
    const configured = context.serviceFamilies;
    const errors = actual?.(service, old, context) ?? [];
    const spec = objectAt(service, 'spec');
    const before = old === undefined ? {} : (objectAt(old, 'spec') ?? {});
    if (errors.length > 0 || spec === undefined || stringAt(spec, 'type') === 'ExternalName') return errors;
    const addresses = [...(arrayAt(spec, 'clusterIPs') ?? [])];
    const v4 = configured.length === 1 ? '10.96.' : '10.0.';
    for (const address of old === undefined || stringAt(before, 'type') === 'ExternalName' ? addresses : []) {
      if (address === 'None' || (arrayAt(before, 'clusterIPs') ?? []).includes(address)) continue;
      const text = String(address);
      const all = JSON.stringify(addresses.map(String)).slice(1, -1).replaceAll(',', ', ');
      const six = text.includes(':');
      if (text === `${v4}0.1`)
        return [invalidValue('spec.clusterIPs', addresses, `failed to allocate IP ${text}: provided IP is already allocated`)];
      if (!text.startsWith(six ? 'fd00::' : v4))
        return [
          invalidValue(
            'spec.clusterIPs',
            addresses,
            `failed to allocate IP ${text}: the provided IP (${text}) is not in the valid range. The range of valid IPs is ${six ? 'fd00::/108' : `${v4}0.0/16`}`,
          ),
        ];
      void all;
    }
    if (addresses[0] !== 'None') {
      for (const [index, family] of (arrayAt(spec, 'ipFamilies') ?? []).entries())
        addresses[index] ??= family === 'IPv4' ? `${v4}1.${++chosen % 250}` : `fd00::${(++chosen).toString(16)}`;
      spec['clusterIPs'] = addresses;
      spec['clusterIP'] = addresses[0] ?? '';
    }
    const type = stringAt(spec, 'type');
    const used = new Map<unknown, number>();
    for (const [index, port] of (arrayAt(spec, 'ports') ?? []).entries()) {
      if (typeof port !== 'object' || port === null || Array.isArray(port)) continue;
      if (type !== 'NodePort' && type !== 'LoadBalancer') continue;
      const given = own(port, 'nodePort') ?? 0;
      if (given === 0 && (type === 'NodePort' || own(spec, 'allocateLoadBalancerNodePorts') !== false))
        port['nodePort'] = used.get(port['port']) ?? 31000 + (++chosen % 900);
      else if (given !== 0 && !(Number(given) >= 30000 && Number(given) <= 32767))
        return [
          invalidValue(
            `spec.ports[${index}].nodePort`,
            Number(given),
            'provided port is not in the valid range. The range of valid ports is 30000-32767',
          ),
        ];
      used.set(port['port'], Number(port['nodePort']));
    }
    if (type === 'LoadBalancer' && stringAt(spec, 'externalTrafficPolicy') === 'Local' && !own(spec, 'healthCheckNodePort'))
      spec['healthCheckNodePort'] = 32000 + (++chosen % 700);
    return [];
  },
});

describe.each(CLUSTERS)('$title', ({ families, rules, sequences, answers }) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await writeFixture({ serviceFamilies: families });
  });

  it.each(rules.flatMap(rowsOf))('%s: %s', async (_rule, key) => {
    const [base, given] = parseCase(key);
    const change = changeOf(given);
    const [onCreate, onUpdate] = answers.get(key) ?? [];
    const created = merged({ spec: BASES[base] }, change) as Body;
    expect(await play(fixture, [['create', created]], change)).toEqual([onCreate]);
    const steps: Sequence = [
      ['create', { spec: BASES[base] }],
      ['put', change],
    ];
    expect((await play(fixture, steps, change))[1]).toEqual(onUpdate);
  });

  it.each(sequences.map((sequence) => [JSON.stringify(sequence), sequence] as const))('%s', async (key, sequence) => {
    expect(await play(fixture, sequence, { steps: key })).toEqual(answers.get(key));
  });
});

let count = 0;

/** The answers to the steps, one after the other. */
async function play(fixture: Fixture, sequence: Sequence, scope: Body): Promise<readonly Json[]> {
  const name = `case-${++count}`;
  let object: Body = {};
  const answers: Json[] = [];
  for (const step of sequence) {
    await fixture.cache.catchUp();
    fixture.warnings.length = 0;
    const warnings = (): Body => (fixture.warnings.length > 0 ? { warnings: [...new Set(fixture.warnings)] } : {});
    try {
      const { entry, created, sent } = await perform(fixture, name, step, object);
      object = objectOf(entry) as Body;
      const { spec = null, status = null } = object;
      const before = isBody(sent) ? { spec: sent['spec'] ?? {}, status: { loadBalancer: {} } } : {};
      answers.push(kept({ code: created ? 201 : 200, made: difference(before, { spec, status }), ...warnings() }, scope, name));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const { message = '', details } = error.status;
      const causes = details?.causes?.map((cause) => [cause.field ?? '', cause.reason ?? '', cause.message ?? ''].map(shorten)) ?? [];
      const told = error.code === 422 && causes.length > 0 ? { causes } : { message: shorten(message) };
      answers.push(kept({ code: error.code, ...told, ...warnings() }, scope, name));
    }
  }
  await fixture.cache.catchUp();
  await fixture.remove('services', name).catch(() => undefined);
  return answers;
}

const shorten = (text: string): string => text.replace(/\(e\.g\. '[^)]*?regex used for validation is '(?:[^'])*'\)/g, '(…)');

function kept(answer: Json, scope: Body, name: string): Json {
  const text = masked(JSON.stringify(answer).replaceAll(name, '$NAME'), scope).replace(/"(nodePort|healthCheckNodePort)":\*/g, '"$1":"*"');
  return JSON.parse(text) as Json;
}

async function perform(
  fixture: Fixture,
  name: string,
  [verb, given]: SequenceStep,
  object: Body,
): Promise<{ readonly entry: Entry; readonly created: boolean; readonly sent: Json }> {
  const body: Json = JSON.parse(JSON.stringify(given));
  const subresource: Subresource = verb.startsWith('status') ? 'status' : undefined;
  const named = merged({ metadata: { name } }, body) as Body;
  switch (verb) {
    case 'create':
      return { ...(await fixture.create('services', structuredClone(named))), sent: named };
    case 'replace':
      return { ...(await fixture.update('services', name, structuredClone(named))), sent: named };
    case 'put':
    case 'status': {
      const sent = merged(object, body) as Body;
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
    case 'json':
      return { ...(await fixture.patch('services', name, verb, body)), sent: object };
  }
}

function parseCase(key: string): readonly [base: keyof typeof BASES, change: Body] {
  const parsed: readonly [base: keyof typeof BASES, change: Body] = JSON.parse(key);
  return parsed;
}

function rowsOf({ rule, cases }: Rule): (readonly [rule: string, key: string])[] {
  return cases.map((made) => [rule, JSON.stringify(made)] as const);
}
