import { STORED_KINDS, type KindRow } from '../../../shared/api/kinds';
import { OPTIONAL_VERSIONS } from '../../../shared/api/kinds/optional';
import { canonicalNamespace, GENERATED_NAMES } from '../../../shared/names/dialect';
import type { Entry } from '../../cache/cache';
import { EVERYTHING, selectionFor } from './selection';

const ALL = [...STORED_KINDS, ...OPTIONAL_VERSIONS];

function rowOf(kind: string): KindRow {
  const row = ALL.find((candidate) => candidate.kind === kind);
  if (row === undefined) throw new Error(`no row for ${kind}`);
  return row;
}

function entry(key: string, more: Partial<Entry> = {}): Entry {
  return { key, revision: 1, bytes: Buffer.alloc(0), labels: {}, fields: {}, isDialectSensitive: false, ...more };
}

/** Whether an entry of the kind matches the field selector. */
const fieldMatcherOf = (kind: string, fields: string): ((candidate: Entry) => boolean) => {
  const selection = selectionFor(rowOf(kind), '', fields, (namespace) => canonicalNamespace(GENERATED_NAMES.platform, namespace));
  return (candidate) => selection.matches(candidate);
};

const unknownField = (field: string): string => `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
const unsupportedField = (field: string): string => `field label not supported: ${field}`;

/** Recorded from release 1.31.1. */
test.each([
  ['ConfigMap', 'data.i=3', unknownField('data.i')],
  ['ConfigMap', '=x', unknownField('')],
  ['ConfigMap', ' metadata.name=a', unknownField(' metadata.name')],
  ['ConfigMap', 'foo=x,bar=y', unknownField('bar')],
  ['ServiceAccount', 'metadata.uid=x', unknownField('metadata.uid')],
  ['Pod', 'data.i=3', unsupportedField('data.i')],
  ['Pod', '=x', unsupportedField('')],
  ['Event', 'metadata.uid=x', unsupportedField('metadata.uid')],
  ['Secret', 'foo=', unsupportedField('foo')],
  ['Namespace', 'metadata.namespace=x', unsupportedField('metadata.namespace')],
  ['Node', 'metadata.namespace=x', unsupportedField('metadata.namespace')],
  ['Job', 'foo.bar=1', 'field label "foo.bar" not supported for Job'],
  ['ConfigMap', 'foo', "invalid selector: 'foo'; can't understand 'foo'"],
])('selectionFor %s rejects the field selector %j', (kind, fields, message) => {
  expect(() => selectionFor(rowOf(kind), '', fields)).toThrow(expect.objectContaining({ code: 400, reason: 'BadRequest', message }));
});

test('selectionFor rejects an invalid label selector with 400', () => {
  const refusal = { code: 400, message: "found '=', expected: !, identifier, or 'end of string'" };
  expect(() => selectionFor(rowOf('Pod'), '=x', '')).toThrow(expect.objectContaining(refusal));
});

test('selectionFor empty selectors returns EVERYTHING', () => {
  expect(selectionFor(rowOf('Pod'), '', '')).toBe(EVERYTHING);
  expect(selectionFor(rowOf('Pod'), ' ', ',')).toBe(EVERYTHING);
});

test('a selection exposes the required name and namespace, which alone are not filters', () => {
  const selection = (labels: string, fields: string): object => {
    const { hasFilters, name, namespace } = selectionFor(rowOf('Pod'), labels, fields);
    return { filters: hasFilters, name, namespace };
  };
  expect(selection('', 'metadata.name=x')).toEqual({ filters: false, name: 'x', namespace: undefined });
  expect(selection('', 'metadata.name=x,metadata.namespace=n')).toEqual({ filters: false, name: 'x', namespace: 'n' });
  expect(selection('', 'metadata.name!=x')).toEqual({ filters: true, name: undefined, namespace: undefined });
  expect(selection('a', 'metadata.name=x')).toEqual({ filters: true, name: 'x', namespace: undefined });
  expect(selection('', 'metadata.name=x,metadata.name=y')).toEqual({ filters: true, name: 'x', namespace: undefined });
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

test('no indexed field has a default for entries that lack it', () => {
  const indexed = ALL.flatMap(({ selectableFields }) => selectableFields ?? []).filter((field) => field.indexed);
  expect(indexed.length).toBeGreaterThan(0);
  expect(indexed.filter(({ absent }) => absent !== undefined)).toEqual([]);
});

test('a field selector matches names and namespaces', () => {
  expect(fieldMatcherOf('Pod', 'metadata.name=x')(entry('n/x'))).toBe(true);
  expect(fieldMatcherOf('Pod', 'metadata.name=x')(entry('x/n'))).toBe(false);
  expect(fieldMatcherOf('Pod', 'metadata.name!=x')(entry('n/x'))).toBe(false);
  expect(fieldMatcherOf('Pod', 'metadata.namespace=n')(entry('n/x'))).toBe(true);
  expect(fieldMatcherOf('Pod', 'metadata.namespace!=n')(entry('n/x'))).toBe(false);
  expect(fieldMatcherOf('Pod', 'metadata.name=x,metadata.name=y')(entry('n/x'))).toBe(false);
  expect(fieldMatcherOf('Node', 'metadata.name=x')(entry('x'))).toBe(true);
});

test('a field selector matches an absent field as empty or as the default of its kind', () => {
  const bare = entry('n/x');
  const bound = entry('n/y', { fields: { 'spec.nodeName': 'n1', 'spec.hostNetwork': 'true' } });
  const matching = (fields: string): readonly Entry[] => [bare, bound].filter(fieldMatcherOf('Pod', fields));
  expect(matching('spec.nodeName=')).toEqual([bare]);
  expect(matching('spec.nodeName!=')).toEqual([bound]);
  expect(matching('spec.hostNetwork=false')).toEqual([bare]);
  expect(matching('spec.nodeName=n1,spec.hostNetwork=true')).toEqual([bound]);
  expect(fieldMatcherOf('Node', 'spec.unschedulable=false')(entry('x'))).toBe(true);
});

test('a selection matches when both labels and fields match', () => {
  const selection = selectionFor(rowOf('Pod'), 'a=b', 'status.phase=Running');
  expect(selection.matches(entry('n/x', { labels: { a: 'b' }, fields: { 'status.phase': 'Running' } }))).toBe(true);
  expect(selection.matches(entry('n/x', { labels: { a: 'b' } }))).toBe(false);
  expect(selection.matches(entry('n/x', { fields: { 'status.phase': 'Running' } }))).toBe(false);
});

test('a field selector in either spelling matches values stored in one', () => {
  expect(
    fieldMatcherOf(
      'Event',
      'involvedObject.apiVersion=coordination.k8s.io/v1',
    )(entry('n/e', { fields: { 'involvedObject.apiVersion': 'coordination.platform.io/v1' } })),
  ).toBe(true);
  expect(fieldMatcherOf('Pod', 'metadata.namespace=kube-system')(entry('platform-system/x'))).toBe(true);
  expect(fieldMatcherOf('Namespace', 'metadata.name=kube-system')(entry('platform-system'))).toBe(true);
  const event = { fields: { 'involvedObject.namespace': 'platform-system' } };
  expect(fieldMatcherOf('Event', 'involvedObject.namespace=kube-system')(entry('platform-system/e', event))).toBe(true);
  const token = { fields: { type: 'platform.io/service-account-token' } };
  expect(fieldMatcherOf('Secret', 'type=kubernetes.io/service-account-token')(entry('n/x', token))).toBe(true);
  expect(fieldMatcherOf('Secret', 'type!=kubernetes.io/service-account-token')(entry('n/x', token))).toBe(false);
});
