import { STORED_KINDS, storedRowOf } from '../../shared/api/kinds';
import { buildResources, entryKey } from './resources';
import { STRATEGY_ROWS } from '../kinds';
import { groupResourceText } from '../../shared/api/identity/identity';

const resources = buildResources();

it('Resources finds a resource by either spelling of its group', () => {
  const lease = resources.find('coordination.platform.io', 'v1', 'leases');
  expect(lease?.row.kind).toBe('Lease');
  expect(resources.find(['coordination', 'k8s', 'io'].join('.'), 'v1', 'leases')).toBe(lease);
  expect(resources.findByKind({ group: 'coordination.platform.io', version: 'v1', kind: 'Lease' })).toBe(lease);
  expect(resources.find('coordination.platform.io', 'v2', 'leases')).toBeUndefined();
  expect(resources.find('', 'v1', 'leases')).toBeUndefined();
});

it('Resources has one stored type per key segment', () => {
  const segments = resources.storedTypes.map((type) => type.segment);
  expect(new Set(segments).size).toBe(segments.length);
  expect(segments).toEqual(expect.arrayContaining(['configmaps', 'services/specs', 'minions']));
  const [first] = STORED_KINDS;
  if (first === undefined) throw new Error('no kinds');
  const twice = buildResources([first, { ...first, version: 'v2' }]);
  expect(twice.storedTypes).toHaveLength(1);
  expect(twice.builtInResources[0]?.stored).toBe(twice.builtInResources[1]?.stored);
});

it('every strategy belongs to a resource of its type', () => {
  const typeOf = new Map(STORED_KINDS.map((row) => [groupResourceText(row), storedRowOf(row).type]));
  for (const { resource, type } of STRATEGY_ROWS) expect([resource, typeOf.get(resource)]).toEqual([resource, type]);
});

it('entryKey joins namespace and name', () => {
  expect(entryKey({ namespace: 'a', name: 'b' })).toBe('a/b');
  expect(entryKey({ namespace: '', name: 'b' })).toBe('b');
});
