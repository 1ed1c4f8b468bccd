/**
 * Tests updates of single-stack Services after the cluster became dual-stack, as release 1.31.1 handles them across a
 * restart. Services in a cluster with constant ranges are tested in write/service-answers.test.ts.
 */
import { objectAt, type JsonObject } from '../../../../shared/values/json';
import { initIpFamilyFields } from './ip-families';

const BOTH_FAMILIES = ['IPv4', 'IPv6'] as const;
const PREFER_DUAL_STACK = { type: 'ClusterIP', ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4'] };
const withClusterIp = { ...PREFER_DUAL_STACK, clusterIP: '10.96.1.1', clusterIPs: ['10.96.1.1'] };
const headless = { ...PREFER_DUAL_STACK, clusterIP: 'None', clusterIPs: ['None'], selector: { a: 'b' } };

/** The families of a Service after an update. */
function familiesAfterUpdate(old: JsonObject, change: JsonObject): unknown {
  const service = { spec: { ...old, ...change } };
  expect(initIpFamilyFields(service, { spec: old }, BOTH_FAMILIES)).toEqual([]);
  return objectAt(service, 'spec')?.['ipFamilies'];
}

it.each<[string, JsonObject, JsonObject, string[]]>([
  ['keeps its single family when other fields change', withClusterIp, { ports: [{ port: 81 }] }, ['IPv4']],
  ['keeps its single family when it is headless and other fields change', headless, { publishNotReadyAddresses: true }, ['IPv4']],
  ['gets the second family when its type changes', withClusterIp, { type: 'NodePort' }, ['IPv4', 'IPv6']],
  ['gets the second family when its ipFamilies are cleared', headless, { ipFamilies: [] }, ['IPv4', 'IPv6']],
  [
    'gets the second family when its policy changes to RequireDualStack',
    withClusterIp,
    { ipFamilyPolicy: 'RequireDualStack' },
    ['IPv4', 'IPv6'],
  ],
])('a PreferDualStack Service %s', (_title, old, change, expected) => {
  expect(familiesAfterUpdate(old, change)).toEqual(expected);
});

it('a Service gets the family of the first service range by default', () => {
  const service = { spec: { type: 'ClusterIP' } };
  expect(initIpFamilyFields(service, undefined, ['IPv6', 'IPv4'])).toEqual([]);
  expect(service.spec).toEqual({ type: 'ClusterIP', ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] });
});
