/**
 * Selections of the kinds of the kind table, which determines the fields of a kind and the message for an unknown one.
 * Entries have keys of the form `namespace/name`, and of the form `name` for cluster-scoped kinds.
 */
import { STORED_KINDS, type KindRow } from '../../../shared/api/kinds';
import { OPTIONAL_VERSIONS } from '../../../shared/api/kinds/optional';
import { canonicalNamespace, GENERATED_NAMES } from '../../../shared/names/dialect';
import type { Entry } from '../../cache/cache';
import { EVERYTHING, selectionFor } from './selection';

const ALL = [...STORED_KINDS, ...OPTIONAL_VERSIONS];

/** The row of the kind; of several rows the first, which is that of the storage version. */
function rowOf(kind: string): KindRow {
  const row = ALL.find((candidate) => candidate.kind === kind);
  if (row === undefined) throw new Error(`no row for ${kind}`);
  return row;
}

function entry(key: string, more: Partial<Entry> = {}): Entry {
  return { key, revision: 1, bytes: Buffer.alloc(0), labels: {}, fields: {}, isDialectSensitive: false, ...more };
}

/** Whether an entry of the kind matches the field selector, in a server with the names of the platform dialect. */
function matches(kind: string, fieldSelector: string, candidate: Entry): boolean {
  const canonicalName = (namespace: string): string => canonicalNamespace(GENERATED_NAMES.platform, namespace);
  return selectionFor(rowOf(kind), '', fieldSelector, canonicalName).matches(candidate);
}

const badRequest = (message: string) => expect.objectContaining({ code: 400, reason: 'BadRequest', message });

/** The errors of an unsupported field, by the `fieldLabelErrorForm` of the kind. Recorded from release 1.31.1. */
describe('selectionFor with an unsupported field', () => {
  it.each([
    { kind: 'ConfigMap', fields: 'data.i=3', field: 'data.i' },
    { kind: 'ConfigMap', fields: '=x', field: '' },
    { kind: 'ConfigMap', fields: ' metadata.name=a', field: ' metadata.name' },
    // Terms are evaluated in the order of their texts, so `bar=y` is the first.
    { kind: 'ConfigMap', fields: 'foo=x,bar=y', field: 'bar' },
    { kind: 'ServiceAccount', fields: 'metadata.uid=x', field: 'metadata.uid' },
  ])('rejects $fields of a $kind, which has no form, with the fields of every kind', ({ kind, fields, field }) => {
    const message = `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
    expect(() => selectionFor(rowOf(kind), '', fields)).toThrow(badRequest(message));
  });

  it.each([
    { kind: 'Pod', fields: 'data.i=3', field: 'data.i' },
    { kind: 'Pod', fields: '=x', field: '' },
    { kind: 'Event', fields: 'metadata.uid=x', field: 'metadata.uid' },
    { kind: 'Secret', fields: 'foo=', field: 'foo' },
    { kind: 'Namespace', fields: 'metadata.namespace=x', field: 'metadata.namespace' },
    { kind: 'Node', fields: 'metadata.namespace=x', field: 'metadata.namespace' },
  ])('rejects $fields of a $kind, which has the form `plain`, with the field alone', ({ kind, fields, field }) => {
    expect(() => selectionFor(rowOf(kind), '', fields)).toThrow(badRequest(`field label not supported: ${field}`));
  });

  it('rejects foo.bar=1 of a Job, which has the form `with-kind`, with the field and the kind', () => {
    expect(() => selectionFor(rowOf('Job'), '', 'foo.bar=1')).toThrow(badRequest('field label "foo.bar" not supported for Job'));
  });
});

test('selectionFor rejects a field selector without an operator with 400', () => {
  expect(() => selectionFor(rowOf('ConfigMap'), '', 'foo')).toThrow(badRequest("invalid selector: 'foo'; can't understand 'foo'"));
});

test('selectionFor rejects an invalid label selector with 400', () => {
  const message = "found '=', expected: !, identifier, or 'end of string'";
  expect(() => selectionFor(rowOf('Pod'), '=x', '')).toThrow(badRequest(message));
});

test('selectionFor returns EVERYTHING for empty selectors', () => {
  expect(selectionFor(rowOf('Pod'), '', '')).toBe(EVERYTHING);
  expect(selectionFor(rowOf('Pod'), ' ', ',')).toBe(EVERYTHING);
});

test('a selection exposes the required name and namespace, which alone are not filters', () => {
  const selection = (labels: string, fields: string): object => {
    const { hasFilters, name, namespace } = selectionFor(rowOf('Pod'), labels, fields);
    return { hasFilters, name, namespace };
  };
  expect(selection('', 'metadata.name=x')).toEqual({ hasFilters: false, name: 'x', namespace: undefined });
  expect(selection('', 'metadata.name=x,metadata.namespace=n')).toEqual({ hasFilters: false, name: 'x', namespace: 'n' });
  expect(selection('', 'metadata.name!=x')).toEqual({ hasFilters: true, name: undefined, namespace: undefined });
  expect(selection('a', 'metadata.name=x')).toEqual({ hasFilters: true, name: 'x', namespace: undefined });
  // The selection is limited to the name x, and the other term still has to be checked.
  expect(selection('', 'metadata.name=x,metadata.name=y')).toEqual({ hasFilters: true, name: 'x', namespace: undefined });
});

test('a selection exposes the required value of an indexed field', () => {
  const indexed = (kind: string, fields: string): object | undefined => selectionFor(rowOf(kind), '', fields).indexed;
  expect(indexed('Pod', 'status.phase!=Failed,spec.nodeName=n1')).toEqual({ field: 'spec.nodeName', value: 'n1' });
  expect(indexed('ResourceSlice', 'spec.nodeName==n1')).toEqual({ field: 'spec.nodeName', value: 'n1' });
  expect(indexed('Pod', 'spec.nodeName=')).toEqual({ field: 'spec.nodeName', value: '' });
  expect(indexed('Pod', 'spec.nodeName!=n1')).toBeUndefined();
  expect(indexed('Pod', 'status.phase=Running')).toBeUndefined();
  expect(indexed('Event', 'reason=x')).toBeUndefined();
});

/** The index has an entry that lacks the field under the empty value, so a selector for a default would not find it. */
test('no indexed field of the kind table has a default for entries that lack it', () => {
  const indexed = ALL.flatMap(({ selectableFields }) => selectableFields ?? []).filter((field) => field.indexed);
  expect(indexed.length).toBeGreaterThan(0);
  expect(indexed.filter(({ absent }) => absent !== undefined)).toEqual([]);
});

test('a field selector matches names and namespaces', () => {
  expect(matches('Pod', 'metadata.name=x', entry('n/x'))).toBe(true);
  expect(matches('Pod', 'metadata.name=x', entry('x/n'))).toBe(false);
  expect(matches('Pod', 'metadata.name!=x', entry('n/x'))).toBe(false);
  expect(matches('Pod', 'metadata.namespace=n', entry('n/x'))).toBe(true);
  expect(matches('Pod', 'metadata.namespace!=n', entry('n/x'))).toBe(false);
  expect(matches('Pod', 'metadata.name=x,metadata.name=y', entry('n/x'))).toBe(false);
  expect(matches('Node', 'metadata.name=x', entry('x'))).toBe(true);
});

test('a field selector matches an absent field as empty or as the default of its kind', () => {
  const bare = entry('n/x');
  const bound = entry('n/y', { fields: { 'spec.nodeName': 'n1', 'spec.hostNetwork': 'true' } });
  const matching = (fields: string): readonly Entry[] => [bare, bound].filter((candidate) => matches('Pod', fields, candidate));
  expect(matching('spec.nodeName=')).toEqual([bare]);
  expect(matching('spec.nodeName!=')).toEqual([bound]);
  expect(matching('spec.hostNetwork=false')).toEqual([bare]);
  expect(matching('spec.nodeName=n1,spec.hostNetwork=true')).toEqual([bound]);
  expect(matches('Node', 'spec.unschedulable=false', entry('x'))).toBe(true);
});

test('a selection matches when both labels and fields match', () => {
  const selection = selectionFor(rowOf('Pod'), 'a=b', 'status.phase=Running');
  expect(selection.matches(entry('n/x', { labels: { a: 'b' }, fields: { 'status.phase': 'Running' } }))).toBe(true);
  expect(selection.matches(entry('n/x', { labels: { a: 'b' } }))).toBe(false);
  expect(selection.matches(entry('n/x', { fields: { 'status.phase': 'Running' } }))).toBe(false);
});

const TOKEN_SECRET = entry('n/x', { fields: { type: 'platform.io/service-account-token' } });

/** The platform dialect stores its own spelling of groups and system namespaces; Secret types are stored as sent. */
describe('a field selector in the spelling of Kubernetes', () => {
  it.each([
    {
      title: 'an API version',
      kind: 'Event',
      fields: 'involvedObject.apiVersion=coordination.k8s.io/v1',
      candidate: entry('n/e', { fields: { 'involvedObject.apiVersion': 'coordination.platform.io/v1' } }),
    },
    { title: 'the namespace of an object', kind: 'Pod', fields: 'metadata.namespace=kube-system', candidate: entry('platform-system/x') },
    { title: 'the name of a Namespace', kind: 'Namespace', fields: 'metadata.name=kube-system', candidate: entry('platform-system') },
    {
      title: 'a namespace in a reference',
      kind: 'Event',
      fields: 'involvedObject.namespace=kube-system',
      candidate: entry('platform-system/e', { fields: { 'involvedObject.namespace': 'platform-system' } }),
    },
    { title: 'a type of Secrets', kind: 'Secret', fields: 'type=kubernetes.io/service-account-token', candidate: TOKEN_SECRET },
  ])('matches $title in the spelling of the platform', ({ kind, fields, candidate }) => {
    expect(matches(kind, fields, candidate)).toBe(true);
  });

  it('excludes a type of Secrets in the spelling of the platform', () => {
    expect(matches('Secret', 'type!=kubernetes.io/service-account-token', TOKEN_SECRET)).toBe(false);
  });
});
