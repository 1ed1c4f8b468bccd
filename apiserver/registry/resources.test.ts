import { STORED_KINDS, storedRowOf } from '../../shared/api/kinds';
import { buildResources, entryKey } from './resources';
import { STRATEGY_ROWS } from '../kinds';
import { groupResourceText } from '../../shared/api/identity/identity';

describe('Resources', () => {
  const resources = buildResources();

  it('finds a resource by either spelling of its group, and by its kind', () => {
    const lease = resources.find('coordination.platform.io', 'v1', 'leases');
    expect(lease?.row.kind).toBe('Lease');
    expect(resources.find('coordination.k8s.io', 'v1', 'leases')).toBe(lease);
    expect(resources.findByKind({ group: 'coordination.platform.io', version: 'v1', kind: 'Lease' })).toBe(lease);
  });

  it('finds no resource in another version or group', () => {
    expect(resources.find('coordination.platform.io', 'v2', 'leases')).toBeUndefined();
    expect(resources.find('', 'v1', 'leases')).toBeUndefined();
  });

  it('has one stored type for each key segment, as upstream names it', () => {
    const segments = resources.storedTypes.map((type) => type.segment);
    expect(new Set(segments).size).toBe(segments.length);
    expect(segments).toEqual(expect.arrayContaining(['configmaps', 'services/specs', 'minions']));
  });

  it('has one stored type for two versions of a kind', () => {
    const [row] = STORED_KINDS;
    if (row === undefined) throw new Error('no kinds');
    const { storedTypes, builtInResources } = buildResources([row, { ...row, version: 'v2' }]);
    expect(storedTypes).toHaveLength(1);
    expect(builtInResources.map(({ stored }) => stored)).toEqual([storedTypes[0], storedTypes[0]]);
  });
});

it('every strategy belongs to a resource of its type', () => {
  const typeOf = new Map(STORED_KINDS.map((row) => [groupResourceText(row), storedRowOf(row).type]));
  for (const { resource, type } of STRATEGY_ROWS) expect([resource, typeOf.get(resource)]).toEqual([resource, type]);
});

it('entryKey joins namespace and name', () => {
  expect(entryKey({ namespace: 'a', name: 'b' })).toBe('a/b');
  expect(entryKey({ namespace: '', name: 'b' })).toBe('b');
});
