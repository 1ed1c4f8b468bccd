import { apiVersionOf } from '../../shared/api/identity/identity';
import { SERVED_KINDS } from '../../shared/api/kinds';
import { desiredApiServices } from './api-service-reconciler';

it('desiredApiServices returns every group version except apiregistration, with the priorities of release 1.31.1', () => {
  const desired = desiredApiServices(SERVED_KINDS);
  const versions = new Set(SERVED_KINDS.map(apiVersionOf));
  versions.delete('apiregistration.platform.io/v1');
  expect(new Set(desired.map(apiVersionOf))).toEqual(versions);
  expect(desired).toHaveLength(versions.size);
  expect(desired.every(({ managed, priorities }) => managed === 'onstart' && priorities.group > 16_000)).toBe(true);
  expect(desired).toContainEqual({ group: '', version: 'v1', managed: 'onstart', priorities: { group: 18_000, version: 1 } });
  expect(desired).toContainEqual({ group: 'autoscaling', version: 'v2', managed: 'onstart', priorities: { group: 17_500, version: 30 } });
});
