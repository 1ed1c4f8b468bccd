import { apiVersionOf } from '../../shared/api/identity/identity';
import { SERVED_KINDS } from '../../shared/api/kinds';
import { desiredApiServices } from './api-service-reconciler';

/** All built-in groups have higher priorities; groups of custom resources have 1,000. */
const LOWEST_GROUP_PRIORITY = 16_000;

it('desiredApiServices returns every group version except apiregistration, each with a priority of its own', () => {
  const desired = desiredApiServices(SERVED_KINDS);
  const versions = new Set(SERVED_KINDS.map(apiVersionOf));
  versions.delete('apiregistration.platform.io/v1');
  expect(new Set(desired.map(apiVersionOf))).toEqual(versions);
  expect(desired).toHaveLength(versions.size);
  for (const { managed, priorities } of desired) {
    expect(managed).toBe('onstart');
    expect(priorities.group).toBeGreaterThan(LOWEST_GROUP_PRIORITY);
  }
  expect(desired).toContainEqual({ group: '', version: 'v1', managed: 'onstart', priorities: { group: 18_000, version: 1 } });
  expect(desired).toContainEqual({ group: 'autoscaling', version: 'v2', managed: 'onstart', priorities: { group: 17_500, version: 30 } });
});
