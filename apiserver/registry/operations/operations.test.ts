import type { JsonObject } from '../../../shared/values/json';
import type { KindRow } from '../../../shared/api/kinds';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { NON_MUTATING_PLUGINS } from '../../../test/support/objects/non-mutating-plugins';
import { objectOf, refusalStatus, openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import { createDefaultAdmission } from '../../admission/plugins/default-admission';
import type { Entry } from '../../cache/cache';
import type { ParsedBody, WriteOptions } from '../verbs';
import type { Operations, OperationTable } from './operation';
import { createOperations, operationTable } from './operations';

const names = GENERATED_NAMES.platform;
const OPTIONS: WriteOptions = { dryRun: false, fieldValidation: 'Warn', fieldManager: 'test' };
const body = (value: JsonObject): ParsedBody => ({ value, duplicates: [], format: 'json' });

let fixture: WriteFixture;
beforeEach(async () => (fixture = await openWriteFixture()));

function operations(more?: OperationTable): Operations {
  const { writer, clock, cache, random, resources } = fixture;
  const none = (): Promise<never> => Promise.reject(new Error('no reads in this test'));
  const reader = { get: none, list: none };
  const budgets = fixture.resource('poddisruptionbudgets');
  const table = { ...operationTable({ reader, writer, names, clock, pods: fixture.resource('pods'), budgets }), ...more };
  const parts = {
    table,
    cache,
    namespaces: fixture.resource('namespaces'),
    admission: createDefaultAdmission({ names, random, clock, cache, resources }, NON_MUTATING_PLUGINS),
    clock,
    names,
  };
  return createOperations(parts, rowsOfTable(resources));
}

/** Rows with operations in the table of this folder. Reviews have their own. */
function rowsOfTable({ rows }: WriteFixture['resources']): readonly KindRow[] {
  return rows.filter(({ group, resource }) => group === '' && resource !== 'serviceaccounts');
}

function bind(value: JsonObject, options: { readonly namespace?: string; readonly table?: OperationTable } = {}): Promise<Entry> {
  const { namespace = 'ns', table } = options;
  const resource = fixture.resources.find('', 'v1', 'bindings');
  if (resource === undefined) throw new Error('no bindings');
  const key = { namespace, name: '' };
  return operations(table).run(fixture.context, { resource, subresource: undefined }, key, body(value), OPTIONS);
}

const echo: OperationTable = { bindings: ({ object }) => Promise.resolve(object) };

it('an operation receives the decoded body with namespace and managedFields and without server-set metadata', async () => {
  const value = { metadata: { name: 'p', uid: 'u', creationTimestamp: '2020-01-01T00:00:00Z' }, target: { name: 'n' }, more: 1 };
  expect(objectOf(await bind(value, { table: echo }))).toEqual({
    metadata: {
      name: 'p',
      namespace: 'ns',
      creationTimestamp: null,
      managedFields: [
        {
          manager: 'test',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2026-01-02T03:04:05Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:target': {} },
        },
      ],
    },
    target: { name: 'n' },
  });
  expect(fixture.warnings).toEqual(['unknown field "more"']);
});

it('an operation rejects another kind, another namespace, and an absent or terminating namespace', async () => {
  expect(await refusalStatus(bind({ kind: 'Pod', apiVersion: 'v1' }))).toMatchObject({
    code: 400,
    message: 'Pod in version "v1" cannot be handled as a Binding: converting (v1.Pod) to (core.Binding): unknown conversion',
  });
  expect(await refusalStatus(bind({ metadata: { namespace: 'other' } }))).toMatchObject({
    code: 400,
    message: 'the namespace of the provided object does not match the namespace sent on the request',
  });
  expect(await refusalStatus(bind({}, { namespace: 'none', table: echo }))).toMatchObject({
    code: 404,
    message: 'namespaces "none" not found',
  });
  await fixture.remove('namespaces', 'ns');
  await fixture.cache.catchUp();
  expect(await refusalStatus(bind({ metadata: { name: 'p' } }, { table: echo }))).toMatchObject({ code: 403, reason: 'Forbidden' });
});

it('an operation reads a namespace from the store when the cache has not seen it', async () => {
  await fixture.create('namespaces', { metadata: { name: 'late' } });
  expect(objectOf(await bind({}, { namespace: 'late', table: echo }))).toMatchObject({ metadata: { namespace: 'late' } });
});

it('createOperations throws for an operation without a function', () => {
  const { writer: _, clock, cache, random, resources } = fixture;
  const parts = {
    table: {},
    cache,
    namespaces: fixture.resource('namespaces'),
    admission: createDefaultAdmission({ names, random, clock, cache, resources }, NON_MUTATING_PLUGINS),
    clock,
    names,
  };
  expect(() => createOperations(parts, rowsOfTable(resources))).toThrow('no function for the operation pods/binding');
});
