/** Validation of custom resources: order and conditions of its checks, and which writes run on the server's thread. */
import { readSchema } from '../../shared/api/structural/read-schema';
import { CostMeter } from '../../shared/expression/run/meter';
import type { CustomVersion } from '../../shared/api/structural/version';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import type { JsonObject } from '../../shared/values/json';
import type { StrategyContext } from '../registry/strategy';
import { customResourceStrategy } from './strategy';

const schema = readSchema({
  type: 'object',
  required: ['apiVersion', 'kind', 'spec'],
  minProperties: 4,
  properties: {
    apiVersion: { type: 'string', pattern: '^example.com/v1$' },
    kind: { type: 'string', enum: ['Thing'] },
    spec: { type: 'object' },
  },
});
const THING = { group: 'example.com', version: 'v1', kind: 'Thing' };
/** The version with this schema. Tests replace the schema. */
const version: CustomVersion = {
  definition: 'things.example.com',
  schema,
  schemaText: () => Buffer.from('{}'),
  schemaId: '',
  displayId: '',
  versions: new Map(),
  storageVersion: 'v1',
  columns: [],
  scale: undefined,
  webhook: undefined,
};
/** A context that appends warnings to the list. */
const contextWarningTo = (warnings: string[]): StrategyContext => ({
  names: GENERATED_NAMES.platform,
  user: { name: 'tester', groups: [] },
  now: 0,
  serviceFamilies: [],
  gates: { isEnabled: () => false },
  warn: (text) => void warnings.push(text),
});
const context = contextWarningTo([]);

it('custom resource validation includes apiVersion and kind, which stored objects omit', () => {
  const strategy = customResourceStrategy(THING, version);
  const valid = { metadata: {}, spec: {} };
  expect(strategy.validate?.(valid, undefined, context)).toEqual([]);
  expect(strategy.update?.validate?.(valid, valid, context)).toEqual([]);
  expect(strategy.validate?.({ metadata: {} }, undefined, context).map(({ text }) => text)).toEqual([
    '<nil>: Invalid value: 3:  in body should have at least 4 properties',
    'spec: Required value',
  ]);
});

describe('validation rules of a custom resource', () => {
  const schemaWithRules = readSchema({
    type: 'object',
    'x-kubernetes-validations': [{ rule: "self.kind == 'Thing' && self.metadata.name != 'bad'", message: 'bad name' }],
    properties: { spec: { type: 'object', properties: { n: { type: 'integer', maximum: 3 }, e: { type: 'string', enum: ['x'] } } } },
  });
  const strategy = customResourceStrategy(THING, { ...version, schema: schemaWithRules });
  const textsOf = (spec: JsonObject): string[] =>
    (strategy.validate?.({ metadata: { name: 'bad' }, spec }, undefined, context) ?? []).map(({ text }) => text);

  it('are evaluated when a value is only out of its bounds', () => {
    expect(textsOf({ n: 4 })).toEqual([
      'spec.n: Invalid value: 4: spec.n in body should be less than or equal to 3',
      '<nil>: Invalid value: "object": bad name',
    ]);
  });

  it('report errors of types, scale, lists and rules in this order', () => {
    const schemaWithScale = readSchema({
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          'x-kubernetes-validations': [{ rule: "self.b != 'no'" }],
          properties: {
            b: { type: 'string' },
            size: { type: 'integer' },
            l: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          },
        },
      },
    });
    const scale = { specReplicas: '.spec.size', statusReplicas: '.status.size', labelSelector: '' };
    const { validate } = customResourceStrategy(
      { group: 'o.example.com', version: 'v1', kind: 'Wid' },
      { ...version, schema: schemaWithScale, scale },
    );
    const errorsOf = (size: number | string): string[] =>
      (validate?.({ metadata: {}, spec: { b: 'no', size, l: ['a', 'a'] } }, undefined, context) ?? []).map(({ text }) => text);
    expect(errorsOf(-1)).toEqual([
      '.spec.size: Invalid value: -1: should be a non-negative integer',
      'spec.l[1]: Duplicate value: "a"',
      `spec: Invalid value: "object": failed rule: self.b != 'no'`,
    ]);
    expect(errorsOf('x')).toEqual([
      'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
      '.spec.size: Invalid value: 0: .spec.size accessor error: x is of the type string, expected int64',
      'spec.l[1]: Duplicate value: "a"',
      expect.stringMatching(/^<nil>: Invalid value: "null": some validation rules were not checked/),
    ]);
  });

  it('are not evaluated when the object may not have the types that they expect', () => {
    expect(textsOf({ e: 'y' })).toEqual([
      'spec.e: Unsupported value: "y": supported values: "x"',
      '<nil>: Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });
});

it('custom resource update evaluates validation rules once for errors and warnings', () => {
  // Each evaluation of a rule charges its cost.
  const charges: number[] = [];
  const charge = jest.spyOn(CostMeter.prototype, 'charge').mockImplementation((cost) => void charges.push(cost));
  const schemaWithRules = readSchema({
    type: 'object',
    properties: { spec: { type: 'object', properties: { n: { type: 'integer' } }, 'x-kubernetes-validations': [{ rule: 'self.n > 5' }] } },
  });
  const strategy = customResourceStrategy(THING, { ...version, schema: schemaWithRules });
  const object = { metadata: {}, spec: { n: 1 } };
  const old = { metadata: {}, spec: { n: 1 } };
  const warnings: string[] = [];
  expect(strategy.update?.validate?.(object, old, contextWarningTo(warnings))).toEqual([]);
  const chargesOfUpdate = charges.length;
  expect(chargesOfUpdate).toBeGreaterThan(0);
  expect(warnings).toEqual([expect.stringContaining('failed rule: self.n > 5')]);
  expect(strategy.warningsOnUpdate?.(object, old)).toEqual([]);
  expect(charges).toHaveLength(chargesOfUpdate);
  charge.mockRestore();
});

it.each(['update', 'status'] as const)(
  'custom resource validation warns of rules that stored values violate even when the %s request is rejected for another field',
  (endpoint) => {
    const schemaWithRules = readSchema({
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { n: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 5' }] }, m: { type: 'integer', maximum: 5 } },
        },
      },
    });
    const strategy = customResourceStrategy(THING, { ...version, schema: schemaWithRules });
    const old = { metadata: {}, spec: { n: 1, m: 1 } };
    const warnings: string[] = [];
    const errors = strategy[endpoint]?.validate?.({ metadata: {}, spec: { n: 1, m: 9 } }, old, contextWarningTo(warnings)) ?? [];
    expect(errors.map(({ field }) => field)).toEqual(['spec.m']);
    expect(warnings).toEqual(['spec.n: Invalid value: "integer": failed rule: self > 5']);
  },
);

it('custom resource validation limits the amount of text matched against patterns', () => {
  const schemaWithPattern = readSchema({
    type: 'object',
    properties: { spec: { type: 'object', additionalProperties: { type: 'string', pattern: '^([a-z]{1,50}){1,20}$' } } },
  });
  const strategy = customResourceStrategy(THING, { ...version, schema: schemaWithPattern });
  const errorTexts = (spec: JsonObject): readonly string[] =>
    (strategy.validate?.({ metadata: {}, spec }, undefined, context) ?? []).map(({ text }) => text);
  expect(errorTexts({ a: 'x'.repeat(50) })).toEqual([]);
  const errors = errorTexts(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 'x'.repeat(1000)])));
  expect(errors.length).toBeGreaterThan(50);
  expect(errors.at(-1)).toContain('too long to be matched');
});

describe('write of a custom resource runs on the server thread', () => {
  /** The size limit of writes on the server's thread, for a kind with this schema of `spec`. */
  const maxInlineBytesFor = (spec: JsonObject): number | undefined =>
    customResourceStrategy(THING, { ...version, schema: readSchema({ type: 'object', properties: { spec: { type: 'object', ...spec } } }) })
      .maxInlineBytes;
  /** A schema with a list `l` of integers, and a rule about it. */
  const listWith = (rule: string, maxItems?: number): JsonObject => ({
    properties: { l: { type: 'array', items: { type: 'integer' }, ...(maxItems === undefined ? {} : { maxItems }) } },
    'x-kubernetes-validations': [{ rule }],
  });

  it('whatever its size, when its kind has no rules and no patterns', () => {
    expect(maxInlineBytesFor({ properties: { l: { type: 'array', items: { type: 'integer' } } } })).toBeGreaterThanOrEqual(1_000_000);
  });

  it('up to the size at which nested loops of its rules may take long', () => {
    const rule = 'self.l.all(a, self.l.all(b, a + b >= 0))';
    const maxBytes = maxInlineBytesFor(listWith(rule)) ?? 0;
    expect(maxBytes).toBeGreaterThan(100);
    expect(maxBytes).toBeLessThan(1_000);
    expect(maxInlineBytesFor(listWith(rule, 10))).toBe(Infinity);
    expect(maxInlineBytesFor(listWith('self.l.all(a, a >= 0)'))).toBeGreaterThan(16 * 1024);
  });

  it('up to the size at which its patterns may take long', () => {
    const maxBytes = maxInlineBytesFor({ additionalProperties: { type: 'string', pattern: '^([a-z]{1,50}){1,20}$' } }) ?? 0;
    expect(maxBytes).toBeGreaterThan(100);
    expect(maxBytes).toBeLessThan(10_000);
    expect(maxInlineBytesFor({ additionalProperties: { type: 'string', pattern: '^[a-z0-9-]+$' } })).toBeGreaterThan(16 * 1024);
  });

  it('never, when the rules of its kind are too long to be estimated', () => {
    expect(maxInlineBytesFor(listWith(`self.l.size() >= 0 ${'&& self.l.size() >= 0 '.repeat(1_000)}`))).toBe(0);
  });

  it('never, when the types of its rules are too large to be estimated', () => {
    const members = Object.fromEntries(Array.from({ length: 12_000 }, (_, index) => [`m${index}`, { type: 'integer' }]));
    expect(maxInlineBytesFor({ properties: members, 'x-kubernetes-validations': [{ rule: 'self.m1 >= 0' }] })).toBe(0);
  });
});
