import type { JsonObject } from '../../../shared/values/json';
import type { KindRow } from '../../../shared/api/kinds';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { NON_MUTATING_PLUGINS } from '../../../test/support/objects/non-mutating-plugins';
import { objectOf, refusalStatus, openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import { createDefaultAdmission } from '../../admission/plugins/default-admission';
import type { Entry } from '../../cache/cache';
import type { ParsedBody, WriteOptions } from '../verbs';
import type { Operations, OperationTable } from './operation';
import { createOperations, operationTable, type OperationDependencies } from './operations';
import { useForEachTest } from '../../../test/support/use-resource';

const names = GENERATED_NAMES.platform;
const OPTIONS: WriteOptions = { dryRun: false, fieldValidation: 'Warn', fieldManager: 'test' };
const body = (value: JsonObject): ParsedBody => ({ value, duplicates: [], format: 'json' });

const fixture = useForEachTest(() => openWriteFixture());

function operationDependencies(table: OperationTable): OperationDependencies {
  const { clock, cache, random, resources } = fixture();
  const admission = createDefaultAdmission({ names, random, clock, cache, resources }, NON_MUTATING_PLUGINS);
  return { table, cache, namespaces: fixture().resource('namespaces'), admission, clock, names };
}

/** The operations on pods, of which `handlers` replaces some. */
function openOperations(handlers: OperationTable = {}): Operations {
  const { writer, clock, resources } = fixture();
  const rejectRead = (): Promise<never> => Promise.reject(new Error('no reads in this test'));
  const reader = { get: rejectRead, list: rejectRead };
  const budgets = fixture().resource('poddisruptionbudgets');
  const podOperations = operationTable({ reader, writer, names, clock, pods: fixture().resource('pods'), budgets });
  return createOperations(operationDependencies({ ...podOperations, ...handlers }), podRows(resources));
}

/** The rows with the operations on pods. Those of other groups and of ServiceAccounts are in other tables. */
function podRows({ rows }: WriteFixture['resources']): readonly KindRow[] {
  return rows.filter(({ group, resource }) => group === '' && resource !== 'serviceaccounts');
}

/** POST `bindings`. */
function bind(value: JsonObject, options: { readonly namespace?: string; readonly handlers?: OperationTable } = {}): Promise<Entry> {
  const { namespace = 'ns', handlers } = options;
  const resource = fixture().resources.find('', 'v1', 'bindings');
  if (resource === undefined) throw new Error('no bindings');
  const key = { namespace, name: '' };
  return openOperations(handlers).run(fixture().context, { resource, subresource: undefined }, key, body(value), OPTIONS);
}

/** Returns the object that the handler receives. */
const ECHO: OperationTable = { bindings: ({ object }) => Promise.resolve(object) };

it('an operation receives the decoded body with namespace and managedFields and without server-set metadata', async () => {
  const value = { metadata: { name: 'p', uid: 'u', creationTimestamp: '2020-01-01T00:00:00Z' }, target: { name: 'n' }, more: 1 };
  expect(objectOf(await bind(value, { handlers: ECHO }))).toEqual({
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
  expect(fixture().warnings).toEqual(['unknown field "more"']);
});

it('an operation rejects a body of another kind or namespace', async () => {
  expect(await refusalStatus(bind({ kind: 'Pod', apiVersion: 'v1' }))).toMatchObject({
    code: 400,
    message: 'Pod in version "v1" cannot be handled as a Binding: converting (v1.Pod) to (core.Binding): unknown conversion',
  });
  expect(await refusalStatus(bind({ metadata: { namespace: 'other' } }))).toMatchObject({
    code: 400,
    message: 'the namespace of the provided object does not match the namespace sent on the request',
  });
});

it('an operation rejects an absent namespace with 404 and a terminating one with 403', async () => {
  expect(await refusalStatus(bind({}, { namespace: 'none', handlers: ECHO }))).toMatchObject({
    code: 404,
    message: 'namespaces "none" not found',
  });
  await fixture().remove('namespaces', 'ns');
  await fixture().cache.catchUp();
  expect(await refusalStatus(bind({ metadata: { name: 'p' } }, { handlers: ECHO }))).toMatchObject({ code: 403, reason: 'Forbidden' });
});

it('an operation reads a namespace from the store when the cache has not seen it', async () => {
  await fixture().create('namespaces', { metadata: { name: 'late' } });
  expect(objectOf(await bind({}, { namespace: 'late', handlers: ECHO }))).toMatchObject({ metadata: { namespace: 'late' } });
});

it('createOperations throws for an operation without a function', () => {
  const rows = podRows(fixture().resources);
  expect(() => createOperations(operationDependencies({}), rows)).toThrow('no function for the operation pods/binding');
});
