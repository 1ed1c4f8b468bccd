import { GENERATED_NAMES, groupInDialect } from '../../names/dialect';
import { cloneJson } from '../../values/json';
import { canonicalizeGroups, groupFieldsOf, NAME_FIELDS_BY_TYPE, withGroupsOfDialect, respellGroups } from './group-fields';
import { schemaOf, typeNames } from './tables';

const names = GENERATED_NAMES.platform;
const other = groupInDialect('kubernetes', 'coordination.platform.io');

it('canonicalizeGroups respells the groups of owner references', () => {
  const object = { metadata: { ownerReferences: [{ apiVersion: `${other}/v1` }, { apiVersion: 'apps/v1' }, { apiVersion: 'v1' }] } };
  canonicalizeGroups(object, groupFieldsOf('core.v1.ConfigMap'), names);
  expect(object.metadata.ownerReferences).toEqual([
    { apiVersion: 'coordination.platform.io/v1' },
    { apiVersion: 'apps/v1' },
    { apiVersion: 'v1' },
  ]);
});

it.each([
  ['coordination.k8s.io/v1', true],
  ['coordination.platform.io/v1', true],
  ['apps/v1', false],
])('canonicalizeGroups returns for an owner of %s whether its group has two spellings: %s', (apiVersion, hasTwoSpellings) => {
  const object = { metadata: { ownerReferences: [{ apiVersion }] } };
  expect(canonicalizeGroups(object, groupFieldsOf('core.v1.Pod'), names)).toBe(hasTwoSpellings);
});

it('canonicalizeGroups returns false for an object without names of groups', () => {
  expect(canonicalizeGroups({ metadata: {} }, groupFieldsOf('core.v1.Pod'), names)).toBe(false);
});

it('canonicalizeGroups respells the group and namespace of the involvedObject of an Event', () => {
  const event = { involvedObject: { apiVersion: `${other}/v1`, namespace: GENERATED_NAMES.kubernetes.systemNamespace } };
  expect(canonicalizeGroups(event, groupFieldsOf('core.v1.Event'), names)).toBe(true);
  expect(event.involvedObject).toEqual({ apiVersion: 'coordination.platform.io/v1', namespace: 'platform-system' });
});

it('canonicalizeGroups respells deeply nested fields, and respellGroups reverses it', () => {
  const storage = groupInDialect('kubernetes', 'storage.platform.io');
  const pod = (apiGroup: string) => ({
    metadata: { annotations: { apiGroup: storage } },
    spec: { volumes: [{ name: 'a' }, { ephemeral: { volumeClaimTemplate: { spec: { dataSource: { apiGroup } } } } }] },
  });
  const object = pod(storage);
  expect(canonicalizeGroups(object, groupFieldsOf('core.v1.Pod'), names)).toBe(true);
  expect(object).toEqual(pod('storage.platform.io'));
  respellGroups(object, groupFieldsOf('core.v1.Pod'), 'kubernetes');
  expect(object).toEqual(pod(storage));
});

it('withGroupsOfDialect returns a respelled copy only where the spelling differs, and leaves the object unchanged', () => {
  const status = { resourceRules: [{ apiGroups: ['', 'coordination.platform.io'], verbs: ['get'] }] };
  const before = cloneJson(status);
  const fields = groupFieldsOf('authorization.v1.SubjectRulesReviewStatus');
  expect(withGroupsOfDialect(status, fields, 'platform')).toBe(status);
  expect(withGroupsOfDialect(status, fields, 'kubernetes')).toEqual({ resourceRules: [{ apiGroups: ['', other], verbs: ['get'] }] });
  expect(status).toEqual(before);
});

it('NAME_FIELDS_BY_TYPE lists every type that has an apiVersion or apiGroup field, except ObjectFieldSelector', () => {
  const types = typeNames().filter((type) => schemaOf(type).fields.some(({ name }) => name === 'apiVersion' || name === 'apiGroup'));
  expect(types.filter((type) => NAME_FIELDS_BY_TYPE[type] === undefined && type !== 'meta.v1.TypeMeta')).toEqual([
    'core.v1.ObjectFieldSelector',
  ]);
});
