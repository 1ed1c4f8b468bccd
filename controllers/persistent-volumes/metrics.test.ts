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
  const counts = countStorage({ collectedGauge }, 'kubernetes.io');
  const collect = (): Record<string, LabelledValue[]> => Object.fromEntries([...collectors].map(([name, values]) => [name, [...values()]]));
  for (const object of volumes) counts.onVolumeChange(undefined, object);
  for (const object of claims) counts.onClaimChange(undefined, object);
  const claimLabels = { namespace: 'n', storage_class: 'm', volume_attributes_class: '' };
  expect(collect()).toEqual({
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
  for (const object of volumes) counts.onVolumeChange(object, undefined);
  for (const object of claims) counts.onClaimChange(object, claim(object.name, 'Bound'));
  expect(collect()).toEqual({
    pv_collector_total_pv_count: [],
    pv_collector_bound_pv_count: [],
    pv_collector_unbound_pv_count: [],
    pv_collector_bound_pvc_count: [{ labels: claimLabels, value: 3 }],
    pv_collector_unbound_pvc_count: [],
  });
  counts.end();
  expect(collectors.size).toBe(0);
});

test('countStorage reads no object at a scrape', () => {
  const collected: (() => Iterable<LabelledValue>)[] = [];
  const counts = countStorage(
    { collectedGauge: (_name, _help, _labels, collect) => (collected.push(collect), () => undefined) },
    'platform.io',
  );
  const reads: string[] = [];
  const watched = new Proxy(volume('a', { storageClassName: 'm' }, 'Bound'), {
    get: (object, member, receiver) => (reads.push(String(member)), Reflect.get(object, member, receiver)),
  });
  counts.onVolumeChange(undefined, watched);
  reads.length = 0;
  expect(collected.flatMap((collect) => [...collect()])).toHaveLength(2);
  expect(reads).toEqual([]);
});
