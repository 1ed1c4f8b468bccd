import { apiVersionOf } from '../../shared/api/identity/identity';
import { SERVED_KINDS } from '../../shared/api/kinds';
import { desiredApiServices } from './api-service-reconciler';

describe('desiredApiServices', () => {
  const desired = desiredApiServices(SERVED_KINDS);

  it('returns one APIService for every built-in group version except that of apiregistration', () => {
    const versions = new Set(SERVED_KINDS.map(apiVersionOf));
    versions.delete('apiregistration.platform.io/v1');
    expect(desired.map(apiVersionOf).toSorted()).toEqual([...versions].toSorted());
  });

  it('gives no built-in group the priority of groups without an entry in the table, which is 1,000', () => {
    for (const { managed, priorities } of desired) {
      expect(managed).toBe('onstart');
      expect(priorities.group).toBeGreaterThan(16_000);
    }
  });

  it('gives groups and versions the priorities of upstream', () => {
    expect(desired).toContainEqual({ group: '', version: 'v1', managed: 'onstart', priorities: { group: 18_000, version: 1 } });
    expect(desired).toContainEqual({ group: 'autoscaling', version: 'v2', managed: 'onstart', priorities: { group: 17_500, version: 30 } });
  });
});
