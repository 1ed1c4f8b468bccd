import { apiVersionOf } from '../../shared/api/identity/identity';
import { SERVED_KINDS } from '../../shared/api/kinds';
import { wantedServices } from './api-service-reconciler';

it('wantedServices contains every group version except apiregistration, with the priorities of release 1.31.1', () => {
  const wanted = wantedServices(SERVED_KINDS);
  const versions = new Set(SERVED_KINDS.map(apiVersionOf));
  versions.delete('apiregistration.platform.io/v1');
  expect(new Set(wanted.map(apiVersionOf))).toEqual(versions);
  expect(wanted).toHaveLength(versions.size);
  expect(wanted.every(({ managed, priorities }) => managed === 'onstart' && priorities.group > 16_000)).toBe(true);
  expect(wanted).toContainEqual({ group: '', version: 'v1', managed: 'onstart', priorities: { group: 18_000, version: 1 } });
  expect(wanted).toContainEqual({ group: 'autoscaling', version: 'v2', managed: 'onstart', priorities: { group: 17_500, version: 30 } });
});
