/**
 * Records what the reference server says of the price of rules (the cases in expressions/):
 *   node deploy/scripts/run.mjs test/replay/expressions.js
 * Everything is a dry run. A rule is sent once as it stands, and then on the items of a list that is as long as it takes for the rule to be refused:
 * what the refusal says of its price has six digits where it is just above the limit.
 */
import { PRICED, PRICES } from './expressions/prices';
import { writeRecording } from './recording';
import { call, causesOf, hangUp, type Body } from './reference';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
const LIMIT = 10_000_000;
/** Above the limit, and below half as much again, where few digits are said. */
const WANTED = 1.2 * LIMIT;
const TURNS = 12;

async function main(): Promise<void> {
  const lines: Body[] = [{ schema: PRICED }];
  for (const rules of Object.values(PRICES)) {
    for (const rule of rules) lines.push({ rule, errors: await errorsOf(rule, 1), ...(await priceOf(rule)) });
  }
  writeRecording('expressions/prices', lines);
  hangUp();
}

/** How many items make the rule too expensive, and how the reference says so. */
async function priceOf(rule: string): Promise<Body> {
  let times = LIMIT;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const errors = await errorsOf(rule, times);
    const [, factor] = /\|Forbidden: estimated rule cost exceeds budget by factor of ([0-9.]+)x/.exec(errors.join('\n')) ?? [];
    if (factor?.length === '1.200000'.length) return { times, refused: errors };
    const isMore = errors.some((error) => error.includes('more than 100x'));
    if (factor === undefined && !isMore) return {};
    if (isMore && times === 1) return { times, refused: errors };
    const next = isMore ? Math.max(1, Math.floor(times / 100)) : Math.ceil(WANTED / ((Number(factor) * LIMIT) / times));
    if (next === times) return { times, refused: errors };
    times = next;
  }
  throw new Error(`no price of ${rule}`);
}

async function errorsOf(rule: string, times: number): Promise<string[]> {
  const item = { ...PRICED, 'x-kubernetes-validations': [{ rule }] };
  const schema = { type: 'object', properties: { v: { type: 'array', maxItems: times, items: item } } };
  const reply = await call('POST', PATH, 'application/json', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'prices.schema.example.com' },
    spec: {
      group: 'schema.example.com',
      scope: 'Namespaced',
      names: { plural: 'prices', kind: 'Price' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  if (reply.code === 201) return [];
  const root = 'spec.validation.openAPIV3Schema';
  return causesOf(reply)
    .map(
      ([field, reason, message]) =>
        `${field.replace(root, 'S').replace('spec.versions[0].schema.openAPIV3Schema', 'S')}|${reason}|${message}`,
    )
    .sort();
}

void main();
