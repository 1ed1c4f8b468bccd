/**
 * Services that were made while the cluster had addresses of one family, on the cluster that has both now (as seen at release 1.31.1 across a
 * restart). What one cluster makes of a request is in write/service-answers.test.ts.
 */
import { objectAt, type JsonObject } from '../../../../shared/values/json';
import { settleFamilies } from './families';

const BOTH = ['IPv4', 'IPv6'] as const;
const PREFERS = { type: 'ClusterIP', ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4'] };
const plain = { ...PREFERS, clusterIP: '10.96.1.1', clusterIPs: ['10.96.1.1'] };
const headless = { ...PREFERS, clusterIP: 'None', clusterIPs: ['None'], selector: { a: 'b' } };

function families(old: JsonObject, change: JsonObject): unknown {
  const service = { spec: { ...old, ...change } };
  expect(settleFamilies(service, { spec: old }, BOTH)).toEqual([]);
  return objectAt(service, 'spec')?.['ipFamilies'];
}

it.each<[string, JsonObject, JsonObject, string[]]>([
  ['keeps its one family when it is written for another reason', plain, { ports: [{ port: 81 }] }, ['IPv4']],
  ['so does a headless one', headless, { publishNotReadyAddresses: true }, ['IPv4']],
  ['gets the second with another type', plain, { type: 'NodePort' }, ['IPv4', 'IPv6']],
  ['gets the second when its families are asked for anew', headless, { ipFamilies: [] }, ['IPv4', 'IPv6']],
  ['gets the second with another policy', plain, { ipFamilyPolicy: 'RequireDualStack' }, ['IPv4', 'IPv6']],
])('a Service that prefers both %s', (_title, old, change, expected) => {
  expect(families(old, change)).toEqual(expected);
});

it('the family that stands first among the ranges is the default', () => {
  const service = { spec: { type: 'ClusterIP' } };
  expect(settleFamilies(service, undefined, ['IPv6', 'IPv4'])).toEqual([]);
  expect(service.spec).toEqual({ type: 'ClusterIP', ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] });
});
