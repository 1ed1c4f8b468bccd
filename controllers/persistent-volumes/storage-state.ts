/**
 * The observed volumes, claims, classes and pods with their indexes, and which claims and volumes a change enqueues.
 * Claims that wait are enqueued when a volume for them appears. The new volumes of a second form a batch: the waiting
 * claims of their classes are then inspected once, and only those that have a match are enqueued.
 */
import type {
  CoreV1PersistentVolume,
  CoreV1PersistentVolumeClaim,
  CoreV1Pod,
  StorageV1StorageClass,
} from '../../shared/api/types/generated/members';
import type { Informer } from '../../shared/client/informer/informer';
import { ObjectStore } from '../../shared/client/informer/object-store';
import { creationTimestampOf, keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Claim, Pod } from '../../shared/client/rest/typed-objects';
import type { Clock } from '../../shared/runtime/clock';
import { TimeSlice } from '../../shared/scheduling/yielding';
import type { JsonObject } from '../../shared/values/json';
import { claimNamesOf, compareNames, nodeNameOf } from '../runtime/pods';
import { indexInformer, type ObjectIndex } from '../runtime/object-index';
import type { StorageCounts } from './metrics';
import type { ObservedStorage } from './reconcile-claim';
import { isDefaultClass } from './storage-names';
import {
  claimRefOf,
  classNameOf,
  hasNoClass,
  volumeNameOf,
  waitsForFirstConsumer,
  type StorageClass,
  type Volume,
} from './storage-objects';
import { VersionedStore } from '../runtime/versioned-store';
import { VolumeIndex } from './volume-index';

/** The informers of all observed kinds. */
export interface StorageInformers {
  readonly volumes: Informer<CoreV1PersistentVolume>;
  readonly claims: Informer<CoreV1PersistentVolumeClaim>;
  readonly classes: Informer<StorageV1StorageClass>;
  readonly pods: Informer<CoreV1Pod>;
}

/** The queues of the two workers. */
export interface StorageQueues {
  readonly enqueueClaim: (key: string) => void;
  readonly enqueueVolume: (name: string) => void;
}

/** New volumes within this time cause one pass over the claims that wait. Milliseconds. */
const BATCH_MS = 1_000;
const BY_CLASS = 'class';
const BY_VOLUME = 'volume';
const BY_CLAIM = 'claim';

/** What the state follows, and what its changes enqueue. */
export interface StorageStateOptions {
  readonly informers: StorageInformers;
  readonly queues: StorageQueues;
  /** Gets every change of a volume or a claim. */
  readonly counts: Pick<StorageCounts, 'onVolumeChange' | 'onClaimChange'>;
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  /** Aborted when the controller ends: no further batch is started. */
  readonly signal: AbortSignal;
}

/** Follows the informers from its creation until {@link end}. */
export class StorageState implements ObservedStorage {
  readonly volumes: VersionedStore<CoreV1PersistentVolume>;
  readonly claims: VersionedStore<CoreV1PersistentVolumeClaim>;
  private readonly index = new VolumeIndex();
  /** All claims: by the volume that they name, those without one by class. */
  private readonly claimIndex = new ObjectStore<CoreV1PersistentVolumeClaim>({
    [BY_CLASS]: (claim) => (volumeNameOf(claim) === '' ? [classNameOf(claim)] : []),
    [BY_VOLUME]: (claim) => [volumeNameOf(claim)].filter((name) => name !== ''),
  });
  private readonly pods: ObjectIndex<CoreV1Pod>;
  /** Classes with new volumes. The next pass inspects the claims that wait for one. */
  private readonly batch = new Set<string>();
  private readonly endClasses: () => void;

  constructor(private readonly options: StorageStateOptions) {
    const { informers } = options;
    this.volumes = new VersionedStore(informers.volumes, { onChange: (previous, current) => this.onVolumeChange(previous, current) });
    this.claims = new VersionedStore(informers.claims, { onChange: (previous, current) => this.onClaimChange(previous, current) });
    this.pods = indexInformer(informers.pods, { [BY_CLAIM]: (pod) => (nodeNameOf(pod) === '' ? claimKeysOf(pod) : []) });
    this.endClasses = informers.classes.handle({
      added: (storageClass) => this.onClassChange(storageClass),
      updated: (_, storageClass) => this.onClassChange(storageClass),
    });
  }

  /** Stops following the informers. */
  end(): void {
    this.volumes.end();
    this.claims.end();
    this.pods.end();
    this.endClasses();
  }

  /** Enqueues all volumes and claims. Yields to the event loop: 100,000 objects of each type take longer than a quarter of a second. */
  async enqueueAll(): Promise<void> {
    const { clock, queues } = this.options;
    const slice = new TimeSlice(clock);
    await enqueueEach(this.volumes, slice, ({ name }) => queues.enqueueVolume(name));
    await enqueueEach(this.claims, slice, (claim) => queues.enqueueClaim(keyOf(claim)));
  }

  volume(name: string): Volume | undefined {
    return this.volumes.get(name);
  }

  claim(key: string): Claim | undefined {
    return this.claims.get(key);
  }

  findVolume(claim: Claim, options: { readonly reservedOnly: boolean }): Volume | undefined {
    return this.index.find(claim, options);
  }

  storageClass(name: string): StorageClass | undefined {
    return this.options.informers.classes.byKey(name);
  }

  /** The default class; of several, the newest one, then the first by name. */
  defaultClass(): StorageClass | undefined {
    return this.options.informers.classes.list().filter(isDefaultClass).sort(compareDefaultClasses)[0];
  }

  unscheduledPods(claim: Claim): readonly string[] {
    return this.pods
      .find(BY_CLAIM, keyOf(claim))
      .map(({ name }) => name)
      .sort();
  }

  private onVolumeChange(previous: Volume | undefined, current: Volume | undefined): void {
    const { counts, queues } = this.options;
    counts.onVolumeChange(previous, current);
    if (previous !== undefined) this.index.remove(previous);
    if (current !== undefined) this.index.add(current);
    const name = (current ?? previous)?.name ?? '';
    queues.enqueueVolume(name);
    const [before, after] = [previous, current].map((volume) => (volume === undefined ? undefined : claimRefOf(volume)));
    const isUpdate = previous !== undefined && current !== undefined;
    const hasSameClaim = before?.key === after?.key && before?.uid === after?.uid;
    if (!isUpdate || !hasSameClaim) {
      for (const reference of [before, after]) if (reference !== undefined) queues.enqueueClaim(reference.key);
      for (const claim of this.claimIndex.byIndex(BY_VOLUME, name)) queues.enqueueClaim(keyOf(claim));
    }
    if (current !== undefined && after === undefined) this.scheduleWaitingClaims(classNameOf(current));
  }

  private onClaimChange(previous: Claim | undefined, current: Claim | undefined): void {
    const { counts, queues } = this.options;
    counts.onClaimChange(previous, current);
    if (current !== undefined) this.claimIndex.set(current);
    else if (previous !== undefined) this.claimIndex.remove(keyOf(previous));
    const changed = current ?? previous;
    if (changed !== undefined) queues.enqueueClaim(keyOf(changed));
    if (previous === undefined) return;
    const namesSameVolume = current?.uid === previous.uid && volumeNameOf(current) === volumeNameOf(previous);
    if (namesSameVolume) return;
    // Volumes with this claim in their claimRef may have lost it.
    for (const { name } of this.index.reservedFor(keyOf(previous))) queues.enqueueVolume(name);
  }

  /** A new or changed class may start the provisioning of claims, or become the class of those without one. */
  private onClassChange(storageClass: StorageClass): void {
    const { enqueueClaim } = this.options.queues;
    for (const claim of this.claimIndex.byIndex(BY_CLASS, storageClass.name)) enqueueClaim(keyOf(claim));
    if (!isDefaultClass(storageClass)) return;
    for (const claim of this.claimIndex.byIndex(BY_CLASS, '')) if (hasNoClass(claim)) enqueueClaim(keyOf(claim));
  }

  /** Starts a pass over the waiting claims of the class after {@link BATCH_MS}, unless one is due already. */
  private scheduleWaitingClaims(className: string): void {
    const { clock, signal } = this.options;
    if (this.batch.size === 0 && !signal.aborted) {
      clock.after(BATCH_MS, () => {
        void this.enqueueMatching([...this.batch]);
        this.batch.clear();
      });
    }
    this.batch.add(className);
  }

  /** Enqueues the claims of the classes that a volume fits. */
  private async enqueueMatching(classNames: readonly string[]): Promise<void> {
    const { clock, queues } = this.options;
    const slice = new TimeSlice(clock);
    for (const className of classNames) {
      const isDelayed = waitsForFirstConsumer(this.storageClass(className));
      for (const claim of this.claimIndex.byIndex(BY_CLASS, className)) {
        const pause = slice.yieldIfDue();
        if (pause !== undefined) await pause;
        if (this.index.find(claim, { reservedOnly: isDelayed }) !== undefined) queues.enqueueClaim(keyOf(claim));
      }
    }
  }
}

/**
 * Enqueues the objects of the store. Drops those that the informer no longer has: the response to a write that arrived
 * after the deletion of its object has put it into the store again.
 */
async function enqueueEach<Body extends JsonObject>(
  store: VersionedStore<Body>,
  slice: TimeSlice,
  enqueue: (object: ApiObject<Body>) => void,
): Promise<void> {
  for (const object of store.values()) {
    const pause = slice.yieldIfDue();
    if (pause !== undefined) await pause;
    if (!store.dropIfDeleted(object)) enqueue(object);
  }
}

const claimKeysOf = (pod: Pod): readonly string[] => claimNamesOf(pod).map((name) => keyOf({ namespace: pod.namespace, name }));

function compareDefaultClasses(a: StorageClass, b: StorageClass): number {
  const [createdA, createdB] = [creationTimestampOf(a), creationTimestampOf(b)];
  if (createdA !== createdB) return createdA > createdB ? -1 : 1;
  return compareNames(a, b);
}
