/**
 * Drivers of recordings about validation rules in the schemas of definitions: errors of rules (`rule-errors`) and of whole schemas (`schema-errors`), estimated
 * costs (`rule-costs`, `rule-prices`), and how objects (`rule-outcomes`) and updates (`rule-updates`) fare under rules.
 */
import { errorsOfMember, ruleErrors } from '../../support/rule-errors';
import { recordingOf } from '../recording';
import { causesOf, type Body, type Json } from '../reference';
import { anything, body, either, shape, text } from '../shape';
import { CustomDefinition, definitionVersion } from './custom-definition';
import type { ReferenceServer } from './reference-server';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ROOT_PATHS = /\bspec\.(?:validation|versions\[0\]\.schema)\.openAPIV3Schema/g;
/** Of a rule, for all values that it may apply to. */
const COST_LIMIT = 10_000_000;
/** Above the limit by a factor that the server prints with six digits. */
const AIMED_COST = 1.2 * COST_LIMIT;
/** The length of such a factor. Larger ones have one digit behind the point. */
const SIX_DIGITS = '1.200000'.length;
const MAX_ATTEMPTS = 12;
/** Versions of one definition, each with a rule of its own. */
const RULES_AT_ONCE = 50;

const isRule = either(text, body);
const isSchemaHead = shape({ format: text, schema: body });
type Rule = string | Body;

/** A schema with one rule, as the member `v` of an object. */
const withRule = (schema: Body, rule: Rule): Body => ({
  type: 'object',
  properties: { v: { ...schema, 'x-kubernetes-validations': [typeof rule === 'string' ? { rule } : rule] } },
});

export async function recordRuleErrors(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = recordingOf(recording, isSchemaHead, shape({ rule: isRule }, { errors: anything }));
  const lines: unknown[] = [head];
  for (const line of cases) lines.push({ ...line, errors: errorsOfMember(await schemaErrors(server, withRule(head.schema, line.rule))) });
  return lines;
}

export async function recordSchemaErrors(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = recordingOf(recording, shape({ format: text }), shape({ schema: body }, { errors: anything }));
  const lines: unknown[] = [head];
  for (const line of cases) lines.push({ ...line, errors: await schemaErrors(server, line.schema) });
  return lines;
}

/** With the number of items of a list that makes the rule too expensive, and the error, which says by which factor. */
export async function recordRulePrices(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = recordingOf(
    recording,
    isSchemaHead,
    shape({ rule: text }, { errors: anything, times: anything, refused: anything }),
  );
  const lines: unknown[] = [head];
  for (const line of cases) {
    const { times, errors: refused } = await priceOf(server, head.schema, line.rule);
    const errors = await itemErrors(server, head.schema, line.rule, 1);
    lines.push({ ...line, errors, ...(times === undefined ? {} : { times, refused }) });
  }
  return lines;
}

/** The cost of a rule with three digits; `more` when a single value exceeds the limit by a factor over 100. */
export async function recordRuleCosts(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = recordingOf(recording, isSchemaHead, shape({ rule: text }, { schema: body, cost: anything }));
  const lines: unknown[] = [head];
  for (const line of cases) {
    const { times, errors } = await priceOf(server, line.schema ?? head.schema, line.rule);
    const factor = factorIn(errors);
    const cost = times === undefined ? 0 : factor === undefined ? 'more' : (Number(factor) * COST_LIMIT) / times;
    lines.push({ ...line, cost: typeof cost === 'number' ? Number(cost.toPrecision(3)) : cost });
  }
  return lines;
}

interface Price {
  /** `undefined` when no list makes the rule too expensive. */
  readonly times?: number;
  readonly errors: readonly string[];
}

async function priceOf(server: ReferenceServer, schema: Body, rule: string): Promise<Price> {
  let times = COST_LIMIT;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const errors = await itemErrors(server, schema, rule, times);
    const factor = factorIn(errors);
    const exceedsFactor = errors.some((error) => error.includes('more than 100x'));
    if (factor === undefined && !exceedsFactor) {
      if (times >= AIMED_COST) return { errors };
      // A rule that costs 1 only reaches the limit.
      times = AIMED_COST;
      continue;
    }
    if (factor?.length === SIX_DIGITS || (exceedsFactor && times === 1)) return { times, errors };
    const next = exceedsFactor ? Math.max(1, Math.floor(times / 100)) : Math.ceil(AIMED_COST / ((Number(factor) * COST_LIMIT) / times));
    if (next === times) return { times, errors };
    times = next;
  }
  throw new Error(`no list makes the rule exceed the limit by a small factor: ${rule}`);
}

function factorIn(errors: readonly string[]): string | undefined {
  return /\|Forbidden: estimated rule cost exceeds budget by factor of ([0-9.]+)x/.exec(errors.join('\n'))?.[1];
}

/** The errors of a rule on the items of a list. */
function itemErrors(server: ReferenceServer, schema: Body, rule: string, maxItems: number): Promise<string[]> {
  const items: Body = { ...schema, 'x-kubernetes-validations': [{ rule }] };
  return schemaErrors(server, { type: 'object', properties: { v: { type: 'array', maxItems, items } } });
}

/** The errors of a definition with the schema, whose path is shortened to `S`. */
async function schemaErrors(server: ReferenceServer, schema: Body): Promise<string[]> {
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  const names = { plural: 'prices', kind: 'Price' };
  const reply = await server.sendJson('POST', `${DEFINITIONS}?dryRun=All`, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'prices.schema.example.com' },
    spec: { group: 'schema.example.com', scope: 'Namespaced', names, versions },
  });
  const shortened = (text: string): string => text.replaceAll(ROOT_PATHS, 'S');
  return ruleErrors(causesOf(reply).map(([field, reason, message]) => [shortened(field), reason, shortened(message)] as const));
}

export async function recordRuleOutcomes(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = recordingOf(
    recording,
    shape({ format: text, schema: body, value: body }),
    shape({ rule: isRule }, { errors: anything }),
  );
  const lines: unknown[] = [head];
  for (let at = 0; at < cases.length; at += RULES_AT_ONCE) {
    const batch = cases.slice(at, at + RULES_AT_ONCE);
    const schemas = batch.map(({ rule }) => withRule(head.schema, rule));
    await withSchemas(server, at, schemas, async (definition, version, index) => {
      const reply = await definition.create({ v: head.value }, version);
      lines.push({ ...batch[index], errors: ruleErrors(causesOf(reply)).map((error) => error.replace(/^v\|?/, '')) });
    });
  }
  return lines;
}

/** The old object is stored through a version without rules. */
export async function recordRuleUpdates(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const isUpdate = shape({ schema: body, old: anything, new: anything }, { warnings: anything, errors: anything });
  const { head, cases } = recordingOf(recording, shape({ format: text }), isUpdate);
  const lines: unknown[] = [head];
  const schemas = cases.map(({ schema }): Body => ({ type: 'object', properties: { v: schema } }));
  await withSchemas(server, 0, schemas, async (definition, version, index) => {
    const line = cases[index];
    const sent = (v: Json): Body => ({ v });
    await definition.store(`o${index}`, sent(line?.old ?? null));
    const reply = await definition.update(`o${index}`, sent(line?.new ?? null), version);
    lines.push({ ...line, warnings: [...reply.warnings].sort(), errors: ruleErrors(causesOf(reply)) });
  });
  return lines;
}

/** Calls `use` for each schema, in order, while a definition has it as a version. */
async function withSchemas(
  server: ReferenceServer,
  index: number,
  schemas: readonly Body[],
  use: (definition: CustomDefinition, version: string, index: number) => Promise<void>,
): Promise<void> {
  const [first = {}] = schemas;
  const versions = schemas.map((schema, at) => definitionVersion(`p${at}`, schema));
  const definition = new CustomDefinition(server, 'rules', index, [definitionVersion('v2', first), ...versions]);
  await definition.during(async () => {
    for (const at of schemas.keys()) await use(definition, `p${at}`, at);
  });
}
