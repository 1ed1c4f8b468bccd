import { GENERATED_NAMES, groupIn } from '../../../shared/names/dialect';
import { canonicalizeGroups, groupFieldsOf } from './group-fields';

const names = GENERATED_NAMES.platform;
const other = groupIn('kubernetes', 'coordination.platform.io');

it('respells owners and says whether it matters', () => {
  const object = { metadata: { ownerReferences: [{ apiVersion: `${other}/v1` }, { apiVersion: 'apps/v1' }, { apiVersion: 'v1' }] } };
  expect(canonicalizeGroups(object, groupFieldsOf('core.v1.ConfigMap'), names)).toBe(true);
  expect(object.metadata.ownerReferences.map((owner) => owner.apiVersion)).toEqual(['coordination.platform.io/v1', 'apps/v1', 'v1']);
  expect(canonicalizeGroups({ metadata: { ownerReferences: [{ apiVersion: 'apps/v1' }] } }, groupFieldsOf('core.v1.Pod'), names)).toBe(
    false,
  );
  expect(canonicalizeGroups({ metadata: {} }, groupFieldsOf('core.v1.Pod'), names)).toBe(false);
});

it('respells what an Event is about', () => {
  const event = { involvedObject: { apiVersion: `${other}/v1`, namespace: GENERATED_NAMES.kubernetes.systemNamespace } };
  expect(canonicalizeGroups(event, groupFieldsOf('core.v1.Event'), names)).toBe(true);
  expect(event.involvedObject).toEqual({ apiVersion: 'coordination.platform.io/v1', namespace: 'platform-system' });
});
