import { apiObject } from '../../shared/client/rest/api-object';
import type { Claim } from '../../shared/client/rest/typed-objects';
import type { LabelledValue, MetricMaker } from '../runtime/controller';
import { countStorage } from './metrics';
import type { Volume } from './storage-objects';

const volume = (name: string, spec: Volume['body']['spec'], phase: string): Volume =>
  apiObject({ metadata: { name }, spec: spec ?? {}, status: { phase } });
const claim = (name: string, phase: string): Claim =>
  apiObject({ metadata: { namespace: 'n', name }, spec: { storageClassName: 'm' }, status: { phase } });

test('countStorage counts volumes and claims under the labels of upstream until it is ended', () => {
  const collectors = new Map<string, () => Iterable<LabelledValue>>();
  const collectedGauge: MetricMaker['collectedGauge'] = (name, _help, _labels, collect) => {
    collectors.set(name, collect);
    return () => collectors.delete(name);
  };
  const volumes = [
    volume('a', { hostPath: { path: '/x' }, storageClassName: 'm' }, 'Bound'),
    volume('b', { csi: { driver: 'd', volumeHandle: 'h' }, volumeMode: 'Block' }, 'Available'),
    volume('c', { nfs: { server: 's', path: '/p' } }, 'Released'),
  ];
  const claims = [claim('a', 'Bound'), claim('b', 'Pending'), claim('c', 'Lost')];
  const end = countStorage({ collectedGauge }, 'kubernetes.io', { volumes: () => volumes, claims: () => claims });
  const collected = Object.fromEntries([...collectors].map(([name, collect]) => [name, [...collect()]]));
  const claimLabels = { namespace: 'n', storage_class: 'm', volume_attributes_class: '' };
  expect(collected).toEqual({
    pv_collector_total_pv_count: [
      { labels: { plugin_name: 'kubernetes.io/host-path', volume_mode: 'Filesystem' }, value: 1 },
      { labels: { plugin_name: 'N/A', volume_mode: 'Block' }, value: 1 },
      { labels: { plugin_name: 'kubernetes.io/nfs', volume_mode: 'Filesystem' }, value: 1 },
    ],
    pv_collector_bound_pv_count: [{ labels: { storage_class: 'm' }, value: 1 }],
    pv_collector_unbound_pv_count: [{ labels: { storage_class: '' }, value: 2 }],
    pv_collector_bound_pvc_count: [{ labels: claimLabels, value: 1 }],
    pv_collector_unbound_pvc_count: [{ labels: claimLabels, value: 2 }],
  });
  end();
  expect(collectors.size).toBe(0);
});
