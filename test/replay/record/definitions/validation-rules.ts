/**
 * Drivers of recordings about validation rules in the schemas of definitions: errors of rules (`rule-errors`) and of
 * whole schemas (`schema-errors`), estimated costs (`rule-costs`, `rule-prices`), and the outcomes of objects
 * (`rule-outcomes`) and updates (`rule-updates`) under rules.
 */
import { errorsOfMember, ruleErrors } from '../../formats/rule-errors';
import { readRecording } from '../../recording';
import { causesOf, type Body } from '../../json-response';
import { anything, body, either, shape, text } from '../../shape';
import { CustomDefinition, definitionVersion, DEFINITIONS } from './custom-definition';
import type { ReferenceServer } from '../reference-server';

/** The path of the schema in a definition. */
const ROOT_PATHS = /\bspec\.(?:validation|versions\[0\]\.schema)\.openAPIV3Schema/g;
/** The limit of a rule's cost, summed over all values that it may apply to. */
const COST_LIMIT = 10_000_000;
/** Above the limit by a factor that the server prints with six digits. */
const AIMED_COST = 1.2 * COST_LIMIT;
/** The length of such a factor. Larger ones have one digit behind the point. */
const SIX_DIGITS = '1.200000'.length;
/** Lengths that are tried for one rule. */
const MAX_ATTEMPTS = 12;
/** Members of one schema, each with a rule of its own. */
const RULES_AT_ONCE = 20;

const isRule = either(text, body);
const isSchemaHead = shape({ format: text, schema: body });
type Rule = string | Body;

const schemaWithRule = (schema: Body, rule: Rule): Body => ({
  ...schema,
  'x-kubernetes-validations': [typeof rule === 'string' ? { rule } : rule],
});

/** Each line is a rule on the schema of the head. */
export async function recordRuleErrors(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isSchemaHead, shape({ rule: isRule }, { errors: anything }));
  const lines: unknown[] = [head];
  for (const line of cases) lines.push({ ...line, errors: await memberErrors(server, schemaWithRule(head.schema, line.rule)) });
  return lines;
}

/** Each line is a schema with rules. */
export async function recordSchemaErrors(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, shape({ format: text }), shape({ schema: body }, { errors: anything }));
  const lines: unknown[] = [head];
  for (const line of cases) lines.push({ ...line, errors: await schemaErrors(server, line.schema) });
  return lines;
}

/**
 * Records the number of items of a list that makes the rule too expensive, and the error with the factor of the excess.
 */
export async function recordRulePrices(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(
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
  const { head, cases } = readRecording(recording, isSchemaHead, shape({ rule: text }, { schema: body, cost: anything }));
  const lines: unknown[] = [head];
  for (const line of cases) {
    const { times, errors } = await priceOf(server, line.schema ?? head.schema, line.rule);
    lines.push({ ...line, cost: times === undefined ? 0 : costOf(factorIn(errors), times) });
  }
  return lines;
}

/** The cost of a rule that exceeds the limit by a factor when it applies to this many items. */
function costOf(factor: string | undefined, items: number): number | 'more' {
  if (factor === undefined) return 'more';
  const cost = (Number(factor) * COST_LIMIT) / items;
  return Number(cost.toPrecision(3));
}

interface Price {
  /** The length of the list that makes the rule too expensive; `undefined` when there is none. */
  readonly times?: number;
  /** The errors with that length. */
  readonly errors: readonly string[];
}

/**
 * Finds a length of a list for which the cost of its rule is just above the limit, so that the server states the factor
 * with six digits; a larger factor has one digit, and above 100 the server states only that. Each attempt corrects the
 * length by the factor of the previous one.
 */
async function priceOf(server: ReferenceServer, schema: Body, rule: string): Promise<Price> {
  let times = COST_LIMIT;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const errors = await itemErrors(server, schema, rule, times);
    const factor = factorIn(errors);
    const exceedsFactor = errors.some((error) => error.includes('more than 100x'));
    if (factor === undefined && !exceedsFactor) {
      if (times >= AIMED_COST) return { errors };
      // A rule with cost 1 only reaches the limit.
      times = AIMED_COST;
      continue;
    }
    const isPrecise = factor?.length === SIX_DIGITS;
    if (isPrecise || (exceedsFactor && times === 1)) return { times, errors };
    const costPerItem = (Number(factor) * COST_LIMIT) / times;
    const next = exceedsFactor ? Math.max(1, Math.floor(times / 100)) : Math.ceil(AIMED_COST / costPerItem);
    if (next === times) return { times, errors };
    times = next;
  }
  throw new Error(`no list makes the rule exceed the limit by a small factor: ${rule}`);
}

/** The factor that the server states, as it is printed; `undefined` when it states none. */
function factorIn(errors: readonly string[]): string | undefined {
  return /\|Forbidden: estimated rule cost exceeds budget by factor of ([0-9.]+)x/.exec(errors.join('\n'))?.[1];
}

/** The errors of a schema with a rule, used for a member of an object. */
async function memberErrors(server: ReferenceServer, schema: Body): Promise<string[]> {
  return errorsOfMember(await schemaErrors(server, { type: 'object', properties: { v: schema } }));
}

/** The errors of a rule on the items of a list. */
function itemErrors(server: ReferenceServer, schema: Body, rule: string, maxItems: number): Promise<string[]> {
  const items = schemaWithRule(schema, rule);
  return schemaErrors(server, { type: 'object', properties: { v: { type: 'array', maxItems, items } } });
}

/** The errors of a definition with the schema. The path of the schema is shortened to `S`. */
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

/** Each line is a rule on the schema of the head. An object has the value of the head once for each rule of a batch. */
export async function recordRuleOutcomes(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(
    recording,
    shape({ format: text, schema: body, value: body }),
    shape({ rule: isRule }, { errors: anything }),
  );
  const lines: unknown[] = [head];
  for (let start = 0; start < cases.length; start += RULES_AT_ONCE) {
    const batch = cases.slice(start, start + RULES_AT_ONCE);
    const schemas = batch.map(({ rule }, index) => [`v${index}`, schemaWithRule(head.schema, rule)] as const);
    const version = definitionVersion('v2', { type: 'object', properties: Object.fromEntries(schemas) });
    const definition = new CustomDefinition(server, 'rules', start, [version]);
    await definition.during(async () => {
      const reply = await definition.create(Object.fromEntries(schemas.map(([name]) => [name, head.value])));
      for (const [index, line] of batch.entries()) {
        const member = new RegExp(`^v${index}(?![0-9])`);
        const causes = causesOf(reply).flatMap(([field, ...rest]) =>
          member.test(field) ? [[field.replace(member, ''), ...rest] as const] : [],
        );
        lines.push({ ...line, errors: ruleErrors(causes).map((error) => error.replace(/^\|/, '')) });
      }
    });
  }
  return lines;
}

/** Each line is a schema with rules and an update. The old object is stored through a version with the same schema without its rules. */
export async function recordRuleUpdates(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const isUpdate = shape({ schema: body, old: anything, new: anything }, { warnings: anything, errors: anything });
  const { head, cases } = readRecording(recording, shape({ format: text }), isUpdate);
  const lines: unknown[] = [head];
  for (const [index, line] of cases.entries()) {
    const schema: Body = { type: 'object', properties: { v: line.schema } };
    const definition = new CustomDefinition(server, 'rules', index, [definitionVersion('v2', schema)], withoutRules(schema));
    await definition.during(async () => {
      await definition.store('o', { v: line.old });
      const reply = await definition.update('o', { v: line.new });
      lines.push({ ...line, warnings: [...reply.warnings].sort(), errors: ruleErrors(causesOf(reply)) });
    });
  }
  return lines;
}

function withoutRules(schema: Body): Body {
  const text = JSON.stringify(schema, (member, value: unknown) => (member === 'x-kubernetes-validations' ? undefined : value));
  return JSON.parse(text) as Body;
}
