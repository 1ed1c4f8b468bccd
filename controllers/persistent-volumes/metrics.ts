/**
 * The metrics of the volume binder, under upstream's names: counts of volumes and claims, which follow each change, and
 * attempts to assign the default class. Reporting the changes is left to the binder and its state.
 */
import type { Claim } from '../../shared/client/rest/typed-objects';
import type { LabelledValue, MetricMaker } from '../runtime/controller';
import { claimPhaseOf, classNameOf, volumeModeOf, volumePhaseOf, type Volume } from './storage-objects';
import { pluginNameOf } from './in-tree-plugins';

/** Returns a function that counts attempts to give claims without a class the default one. */
export function assignedClassMetrics(metrics: Pick<MetricMaker, 'counter'>): (outcome: 'succeeded' | 'failed') => void {
  const countAll = metrics.counter('retroactive_storageclass_total', 'Claims that were to be given the default class later.');
  const countErrors = metrics.counter('retroactive_storageclass_errors_total', 'Claims that could not be given the default class.');
  return (outcome) => {
    countAll();
    if (outcome === 'failed') countErrors();
  };
}

/** A gauge of objects by labels. */
interface CountRow<T> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly isCounted: (object: T) => boolean;
  /** The values of `labelNames`, in the same order. */
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

/** Receives the changes that the gauges follow. */
export interface StorageCounts {
  /** Call it for each change: `previous` is undefined for a new volume, `current` for a deleted one. */
  readonly onVolumeChange: (previous: Volume | undefined, current: Volume | undefined) => void;
  /** Call it for each change, as {@link onVolumeChange}. */
  readonly onClaimChange: (previous: Claim | undefined, current: Claim | undefined) => void;
  /** Removes the gauges' values. */
  readonly end: () => void;
}

/**
 * Keeps the counts of volumes and claims for scrapes, until it is ended. Each change updates the counts, because counting
 * 100,000 objects of each kind at a scrape takes hundreds of milliseconds. `prefix`: of the names of plug-ins, such as
 * `platform.io`.
 */
export function countStorage(metrics: Pick<MetricMaker, 'collectedGauge'>, prefix: string): StorageCounts {
  const volumes = volumeCounts(prefix).map((row) => new Count(row));
  const claims = CLAIM_COUNTS.map((row) => new Count(row));
  const ends = [...volumes, ...claims].map(({ row: { name, help, labelNames }, values }) =>
    metrics.collectedGauge(name, help, labelNames, () => values.values()),
  );
  return {
    onVolumeChange: (previous, current) => {
      for (const count of volumes) count.replace(previous, current);
    },
    onClaimChange: (previous, current) => {
      for (const count of claims) count.replace(previous, current);
    },
    end: () => {
      for (const end of ends) end();
    },
  };
}

/** The objects of one row, counted by their labels. */
class Count<T> {
  /** The counts above zero. Key: the label values as JSON. */
  readonly values = new Map<string, LabelledValue>();

  constructor(readonly row: CountRow<T>) {}

  replace(previous: T | undefined, current: T | undefined): void {
    if (previous !== undefined) this.add(previous, -1);
    if (current !== undefined) this.add(current, 1);
  }

  private add(object: T, step: 1 | -1): void {
    const { labelNames, isCounted, labelsOf } = this.row;
    if (!isCounted(object)) return;
    const texts = labelsOf(object);
    const key = JSON.stringify(texts);
    const value = (this.values.get(key)?.value ?? 0) + step;
    if (value === 0) this.values.delete(key);
    else this.values.set(key, { labels: Object.fromEntries(labelNames.map((name, index) => [name, texts[index] ?? ''])), value });
  }
}
