/**
 * Executes the decisions about claims and volumes: writes claimRef, volumeName, annotations, classes and phases, in an
 * order that a later sync completes when a write fails. A conflict is thrown, so that the queue repeats the sync on the
 * newer state.
 */
import type { CoreV1PersistentVolume, CoreV1PersistentVolumeClaim } from '../../shared/api/types/generated/members';
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import type { ObjectReference } from '../../shared/client/events/event-correlator';
import { undefinedIfNotFound } from '../../shared/client/rest/api-error';
import { keyOf } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import type { Claim } from '../../shared/client/rest/typed-objects';
import type { Clock } from '../../shared/runtime/clock';
import { claimBoundTo, claimInPhase, unboundVolume, volumeBoundTo, volumeInPhase, type ClaimPhase, type VolumePhase } from './binding';
import { markedClaim, markedVolume } from './in-tree-plugins';
import { reconcileClaim, type ClaimAction, type ObservedStorage, type StorageEvent } from './reconcile-claim';
import { hasLostClaim, isReleased, reconcileVolume } from './reconcile-volume';
import { RepeatedEvents } from './repeated-events';
import type { StorageNames } from './storage-names';
import { claimReference, claimRefOf, volumeReference, type Volume } from './storage-objects';

export const VOLUMES = resourceOf('core.v1.PersistentVolume');
export const CLAIMS = resourceOf('core.v1.PersistentVolumeClaim');

/** The clients of the binder, the state that it decides from, and what it calls. */
export interface VolumeBinderOptions {
  readonly client: RestClient;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly names: StorageNames;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly signal: AbortSignal;
  /** `claim` returns undefined when no claim has the key. */
  readonly observed: ObservedStorage & { claim(key: string): Claim | undefined };
  /** Called with the object of each response to a write, before the next decision. */
  readonly onWritten: { volume(volume: Volume): void; claim(claim: Claim): void };
  readonly enqueueClaim: (key: string) => void;
  /** Called after each attempt to give a claim the default class. */
  readonly countAssignedClass: (outcome: 'succeeded' | 'failed') => void;
}

/** Claims and volumes may be synced concurrently: when both syncs write an object, one of them gets a conflict. */
export class VolumeBinder {
  private readonly repeatedEvents: RepeatedEvents;

  constructor(private readonly options: VolumeBinderOptions) {
    this.repeatedEvents = new RepeatedEvents(options.clock);
  }

  /** Call it for each deleted claim or volume. */
  forget(key: string): void {
    this.repeatedEvents.forget(key);
  }

  /**
   * Writes the annotation of a CSI migration first. Then takes the next step of the claim, and records its Event. Throws
   * when a write fails.
   */
  async syncClaim(stored: Claim): Promise<void> {
    const { observed, names } = this.options;
    const claim = await this.writeClaim(stored, markedClaim(stored, names));
    const { action, event, reportsTransition = false } = reconcileClaim(claim, observed, names);
    const isChanged = await this.executeForClaim(claim, action);
    if (event === undefined) return;
    const isEventDue = reportsTransition ? isChanged : this.repeatedEvents.shouldRecord(claim, event);
    if (isEventDue) this.record(claimReference(claim), event);
  }

  /**
   * Returns whether the claim was or may have been written. The action `phase` also removes access modes and capacity
   * from the status: they are set only together with the phase Bound.
   */
  private async executeForClaim(claim: Claim, action: ClaimAction): Promise<boolean> {
    switch (action.type) {
      case 'none':
        return false;
      case 'bind':
        await this.bind(action.volume, claim);
        return true;
      case 'assign-class':
        return this.assignClass(claim, action.body);
      case 'update':
        await this.writeClaim(claim, action.body);
        return true;
      case 'phase':
        return (await this.writeClaimPhase(claim, action.phase, undefined)) !== claim;
    }
  }

  /** Binds step by step; each step that was done before is skipped. */
  private async bind(volume: Volume, claim: Claim): Promise<void> {
    const { names } = this.options;
    const reserved = await this.writeVolume(volume, volumeBoundTo(volume, claim, names));
    const bound = await this.writeVolumePhase(reserved, 'Bound');
    const boundClaim = await this.writeClaim(claim, claimBoundTo(claim, bound, names));
    await this.writeClaimPhase(boundClaim, 'Bound', bound);
  }

  private async assignClass(claim: Claim, body: CoreV1PersistentVolumeClaim): Promise<boolean> {
    const { countAssignedClass } = this.options;
    try {
      await this.writeClaim(claim, body);
      countAssignedClass('succeeded');
      return true;
    } catch (error) {
      countAssignedClass('failed');
      throw error;
    }
  }

  /**
   * Writes the annotation of a CSI migration and the finalizer first. Then takes the next step of the volume, and records
   * its Event. Throws when a write fails.
   */
  async syncVolume(stored: Volume): Promise<void> {
    const { enqueueClaim, names } = this.options;
    const volume = await this.writeVolume(stored, markedVolume(stored, names));
    const claim = await this.claimOf(volume);
    const { unbinds = false, phase, event, isAboutClaim = false, enqueuesClaim = false } = reconcileVolume(volume, claim);
    const unbound = unbinds ? await this.writeVolume(volume, unboundVolume(volume)) : volume;
    const written = phase === undefined ? unbound : await this.writeVolumePhase(unbound, phase.name, phase.message);
    // An Event about a phase is recorded when the phase changes, any other Event at most once in five minutes.
    const isEventDue = event !== undefined && (phase === undefined ? this.repeatedEvents.shouldRecord(volume, event) : written !== unbound);
    if (isEventDue) {
      this.record(volumeReference(written), event);
      if (isAboutClaim && claim !== undefined) this.record(claimReference(claim), event);
    }
    if (enqueuesClaim && claim !== undefined) enqueueClaim(keyOf(claim));
  }

  /**
   * The claim in the claimRef. Before a volume is released it is read from the API server, because the informer may not
   * show it yet.
   */
  private async claimOf(volume: Volume): Promise<Claim | undefined> {
    const { client, observed, signal } = this.options;
    const key = claimRefOf(volume)?.key;
    const known = key === undefined ? undefined : observed.claim(key);
    if (key === undefined || isReleased(volume) || !hasLostClaim(volume, known)) return known;
    const { namespace = '', name = '' } = volume.body.spec?.claimRef ?? {};
    // A GET with an empty name would be a list, and one without a namespace finds no claim.
    if (namespace === '' || name === '') return known;
    return undefinedIfNotFound(client.of(CLAIMS).namespace(namespace).get(name, { signal }));
  }

  private writeVolumePhase(volume: Volume, phase: VolumePhase, message?: string): Promise<Volume> {
    return this.writeVolume(volume, volumeInPhase(volume, phase, message), 'status');
  }

  private writeClaimPhase(claim: Claim, phase: ClaimPhase, volume: Volume | undefined): Promise<Claim> {
    return this.writeClaim(claim, claimInPhase(claim, phase, volume), 'status');
  }

  /** Returns the volume as it is stored: the given one, by identity, when there is no `body` to write. */
  private async writeVolume(volume: Volume, body: CoreV1PersistentVolume | undefined, subresource?: 'status'): Promise<Volume> {
    const { client, signal, onWritten } = this.options;
    if (body === undefined) return volume;
    const volumes = client.of(VOLUMES);
    const written = await (subresource === 'status' ? volumes.updateStatus(body, { signal }) : volumes.update(body, { signal }));
    onWritten.volume(written);
    return written;
  }

  /** Returns the claim as it is stored: the given one, by identity, when there is no `body` to write. */
  private async writeClaim(claim: Claim, body: CoreV1PersistentVolumeClaim | undefined, subresource?: 'status'): Promise<Claim> {
    const { client, signal, onWritten } = this.options;
    if (body === undefined) return claim;
    const claims = client.of(CLAIMS).namespace(claim.namespace);
    const written = await (subresource === 'status' ? claims.updateStatus(body, { signal }) : claims.update(body, { signal }));
    onWritten.claim(written);
    return written;
  }

  private record(about: ObjectReference, event: StorageEvent): void {
    this.options.events.record({ about, ...event });
  }
}
