import { readSchema } from '../../shared/api/structural/read-schema';
import { Meter } from '../../shared/expression/run/meter';
import type { CustomVersion } from '../../shared/api/structural/version';
import type { JsonObject } from '../../shared/values/json';
import { TooLong } from '../../shared/values/steps';
import { customStrategy } from './strategy';

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
const version: CustomVersion = {
  definition: 'things.example.com',
  schema,
  schemaText: () => Buffer.from('{}'),
  schemaId: '',
  shownId: '',
  versions: new Map(),
  storageVersion: 'v1',
  columns: [],
  scale: undefined,
  webhook: undefined,
};
const contextWarningTo = (warnings: string[]): never =>
  ({ names: {}, user: {}, now: 0, serviceFamilies: [], gates: {}, warn: (text: string) => void warnings.push(text) }) as never;
const context = { names: {}, user: {}, now: 0, serviceFamilies: [], gates: {}, warn: () => undefined } as never;

it('judges an object with its apiVersion and kind, which are not kept with it', () => {
  const strategy = customStrategy({ group: 'example.com', version: 'v1', kind: 'Thing' }, version);
  const good = { metadata: {}, spec: {} };
  expect(strategy.validate?.(good, undefined, context)).toEqual([]);
  expect(strategy.update?.validate?.(good, good, context)).toEqual([]);
  expect(strategy.validate?.({ metadata: {} }, undefined, context).map(({ text }) => text)).toEqual([
    '<nil>: Invalid value: 3:  in body should have at least 4 properties',
    'spec: Required value',
  ]);
});

describe('rules', () => {
  const ruled = readSchema({
    type: 'object',
    'x-kubernetes-validations': [{ rule: "self.kind == 'Thing' && self.metadata.name != 'bad'", message: 'bad name' }],
    properties: { spec: { type: 'object', properties: { n: { type: 'integer', maximum: 3 }, e: { type: 'string', enum: ['x'] } } } },
  });
  const strategy = customStrategy({ group: 'example.com', version: 'v1', kind: 'Thing' }, { ...version, schema: ruled });
  const texts = (spec: JsonObject): string[] =>
    (strategy.validate?.({ metadata: { name: 'bad' }, spec }, undefined, context) ?? []).map(({ text }) => text);

  it('are asked where a value is only out of its bounds', () => {
    expect(texts({ n: 4 })).toEqual([
      'spec.n: Invalid value: 4: spec.n in body should be less than or equal to 3',
      '<nil>: Invalid value: "object": bad name',
    ]);
  });

  it("of the schema's types, of its scale, of its lists and its own are told in this order", () => {
    const scaled = readSchema({
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
    const { validate } = customStrategy({ group: 'o.example.com', version: 'v1', kind: 'Wid' }, { ...version, schema: scaled, scale });
    const told = (size: number | string): string[] =>
      (validate?.({ metadata: {}, spec: { b: 'no', size, l: ['a', 'a'] } }, undefined, context) ?? []).map(({ text }) => text);
    expect(told(-1)).toEqual([
      '.spec.size: Invalid value: -1: should be a non-negative integer',
      'spec.l[1]: Duplicate value: "a"',
      `spec: Invalid value: "object": failed rule: self.b != 'no'`,
    ]);
    expect(told('x')).toEqual([
      'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
      '.spec.size: Invalid value: 0: .spec.size accessor error: x is of the type string, expected int64',
      'spec.l[1]: Duplicate value: "a"',
      expect.stringMatching(/^<nil>: Invalid value: "null": some validation rules were not checked/),
    ]);
  });

  it('are not asked where it may not be what they are written for', () => {
    expect(texts({ e: 'y' })).toEqual([
      'spec.e: Unsupported value: "y": supported values: "x"',
      '<nil>: Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });
});

it('asks its rules once on an update, for errors and for warnings', () => {
  const spent: number[] = [];
  const spend = jest.spyOn(Meter.prototype, 'charge').mockImplementation((cost) => void spent.push(cost));
  const ruled = readSchema({
    type: 'object',
    properties: { spec: { type: 'object', properties: { n: { type: 'integer' } }, 'x-kubernetes-validations': [{ rule: 'self.n > 5' }] } },
  });
  const strategy = customStrategy({ group: 'example.com', version: 'v1', kind: 'Thing' }, { ...version, schema: ruled });
  const [object, old] = [
    { metadata: {}, spec: { n: 1 } },
    { metadata: {}, spec: { n: 1 } },
  ];
  const warnings: string[] = [];
  expect(strategy.update?.validate?.(object, old, contextWarningTo(warnings))).toEqual([]);
  const asked = spent.length;
  expect(asked).toBeGreaterThan(0);
  expect(warnings).toEqual([expect.stringContaining('failed rule: self.n > 5')]);
  expect(strategy.warningsOnUpdate?.(object, old)).toEqual([]);
  expect(spent).toHaveLength(asked);
  spend.mockRestore();
});

it.each(['update', 'status'] as const)(
  'warns of validation rules that stored values break even when the %s request is rejected for another field',
  (endpoint) => {
    const ruled = readSchema({
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { n: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 5' }] }, m: { type: 'integer', maximum: 5 } },
        },
      },
    });
    const strategy = customStrategy({ group: 'example.com', version: 'v1', kind: 'Thing' }, { ...version, schema: ruled });
    const old = { metadata: {}, spec: { n: 1, m: 1 } };
    const warnings: string[] = [];
    const errors = strategy[endpoint]?.validate?.({ metadata: {}, spec: { n: 1, m: 9 } }, old, contextWarningTo(warnings)) ?? [];
    expect(errors.map(({ field }) => field)).toEqual(['spec.m']);
    expect(warnings).toEqual(['spec.n: Invalid value: "integer": failed rule: self > 5']);
  },
);

it('does not match more text than it has time for', () => {
  const patterned = readSchema({
    type: 'object',
    properties: { spec: { type: 'object', additionalProperties: { type: 'string', pattern: '^([a-z]{1,50}){1,20}$' } } },
  });
  const strategy = customStrategy({ group: 'example.com', version: 'v1', kind: 'Thing' }, { ...version, schema: patterned });
  const judge = (spec: JsonObject): readonly string[] =>
    (strategy.validate?.({ metadata: {}, spec }, undefined, context) ?? []).map(({ text }) => text);
  expect(judge({ a: 'x'.repeat(50) })).toEqual([]);
  const long = judge(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 'x'.repeat(1000)])));
  expect(long.length).toBeGreaterThan(50);
  expect(long.at(-1)).toContain('too long to be matched');
});

describe('what takes long', () => {
  const strategyWith = (spec: JsonObject): ReturnType<typeof customStrategy> =>
    customStrategy(
      { group: 'example.com', version: 'v1', kind: 'Thing' },
      { ...version, schema: readSchema({ type: 'object', properties: { spec: { type: 'object', ...spec } } }) },
    );
  const hasty = { names: {}, user: {}, now: 0, serviceFamilies: [], gates: {}, warn: () => undefined, hasty: true } as never;

  it('is given up in haste: rules', () => {
    const rule = 'self.l.all(a, self.l.all(b, self.l.exists(c, c == a + b - b)))';
    const { validate } = strategyWith({
      properties: { l: { type: 'array', items: { type: 'integer' } } },
      'x-kubernetes-validations': [{ rule }],
    });
    const of = (length: number): JsonObject => ({ metadata: {}, spec: { l: Array.from({ length }, (_, n) => n) } });
    expect(validate?.(of(5), undefined, hasty)).toEqual([]);
    expect(() => validate?.(of(100), undefined, hasty)).toThrow(TooLong);
    expect(validate?.(of(100), undefined, context).map(({ text }) => text)).toEqual([
      expect.stringContaining('no further validation rules will be run due to call cost exceeds limit'),
    ]);
  });

  it('is given up in haste: patterns', () => {
    const { validate } = strategyWith({ additionalProperties: { type: 'string', pattern: '^([a-z]{1,50}){1,20}$' } });
    const of = (length: number): JsonObject => ({ metadata: {}, spec: { a: 'x'.repeat(length) } });
    expect(validate?.(of(10), undefined, hasty)).toEqual([]);
    expect(() => validate?.(of(1000), undefined, hasty)).toThrow(TooLong);
    expect(validate?.(of(1000), undefined, context)).toEqual([]);
  });
});
