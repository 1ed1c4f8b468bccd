/** The metrics of the binder, under upstream's names. */
import type { Claim } from '../../shared/client/rest/typed-objects';
import type { LabelledValue, MetricMaker } from '../runtime/controller';
import { claimPhaseOf, classNameOf, volumeModeOf, volumePhaseOf, type Volume } from './storage-objects';
import { pluginNameOf } from './in-tree-plugins';

/** Returns a function that counts attempts to give claims without a class the default one. */
export function assignedClassMetrics(metrics: Pick<MetricMaker, 'counter'>): (succeeded: boolean) => void {
  const countAll = metrics.counter('retroactive_storageclass_total', 'Claims that were to be given the default class later.');
  const countErrors = metrics.counter('retroactive_storageclass_errors_total', 'Claims that could not be given the default class.');
  return (succeeded) => {
    countAll();
    if (!succeeded) countErrors();
  };
}

export interface CountedObjects {
  readonly volumes: () => Iterable<Volume>;
  readonly claims: () => Iterable<Claim>;
}

interface CountRow<T> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly isCounted: (object: T) => boolean;
  /** In the order of the names. */
  readonly labelsOf: (object: T) => readonly string[];
}

const isBoundVolume = (volume: Volume): boolean => volumePhaseOf(volume) === 'Bound';
const isBoundClaim = (claim: Claim): boolean => claimPhaseOf(claim) === 'Bound';
const claimLabels = (claim: Claim): readonly string[] => [
  claim.namespace,
  classNameOf(claim),
  claim.body.spec?.volumeAttributesClassName ?? '',
];
const CLAIM_LABELS = ['namespace', 'storage_class', 'volume_attributes_class'];

const volumeCounts = (prefix: string): readonly CountRow<Volume>[] => [
  {
    name: 'pv_collector_total_pv_count',
    help: 'PersistentVolumes.',
    labelNames: ['plugin_name', 'volume_mode'],
    isCounted: () => true,
    labelsOf: (volume) => [pluginNameOf(volume, prefix), volumeModeOf(volume)],
  },
  {
    name: 'pv_collector_bound_pv_count',
    help: 'PersistentVolumes that are bound.',
    labelNames: ['storage_class'],
    isCounted: isBoundVolume,
    labelsOf: (volume) => [classNameOf(volume)],
  },
  {
    name: 'pv_collector_unbound_pv_count',
    help: 'PersistentVolumes that are not bound.',
    labelNames: ['storage_class'],
    isCounted: (volume) => !isBoundVolume(volume),
    labelsOf: (volume) => [classNameOf(volume)],
  },
];

const CLAIM_COUNTS: readonly CountRow<Claim>[] = [
  {
    name: 'pv_collector_bound_pvc_count',
    help: 'PersistentVolumeClaims that are bound.',
    labelNames: CLAIM_LABELS,
    isCounted: isBoundClaim,
    labelsOf: claimLabels,
  },
  {
    name: 'pv_collector_unbound_pvc_count',
    help: 'PersistentVolumeClaims that are not bound.',
    labelNames: CLAIM_LABELS,
    isCounted: (claim) => !isBoundClaim(claim),
    labelsOf: claimLabels,
  },
];

/**
 * Counts volumes and claims at each scrape, until the returned function is called. `prefix`: of the names of plug-ins.
 */
export function countStorage(
  metrics: Pick<MetricMaker, 'collectedGauge'>,
  prefix: string,
  { volumes, claims }: CountedObjects,
): () => void {
  const ends = [
    ...volumeCounts(prefix).map((row) => metrics.collectedGauge(row.name, row.help, row.labelNames, () => countBy(volumes(), row))),
    ...CLAIM_COUNTS.map((row) => metrics.collectedGauge(row.name, row.help, row.labelNames, () => countBy(claims(), row))),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function countBy<T>(objects: Iterable<T>, { labelNames, isCounted, labelsOf }: CountRow<T>): Iterable<LabelledValue> {
  const counts = new Map<string, { readonly labels: Readonly<Record<string, string>>; value: number }>();
  for (const object of objects) {
    if (!isCounted(object)) continue;
    const values = labelsOf(object);
    const key = values.join('\n');
    const count = counts.get(key) ?? { labels: Object.fromEntries(labelNames.map((name, index) => [name, values[index] ?? ''])), value: 0 };
    count.value += 1;
    counts.set(key, count);
  }
  return counts.values();
}
