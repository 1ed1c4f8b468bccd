/**
 * Finds the volume for a claim: the smallest one that is large enough, among volumes with the fewest access modes.
 * Available volumes are sorted by size in buckets of class, volumeMode and access modes, so that a search takes
 * logarithmic time in each bucket of the class; only a claim with a selector inspects volumes one after the other.
 * Volumes that are reserved for a claim by their claimRef are found by the claim. Keeping the index up to date is left to
 * storage-state.ts.
 */
import BTree from 'sorted-btree';
import { compileLabelSelector, type LabelMatcher } from '../../shared/api/selectors/label-selector';
import { requirementsOfSelector } from '../../shared/api/selectors/object-selector';
import { isBeingDeleted, keyOf } from '../../shared/client/rest/api-object';
import type { Claim } from '../../shared/client/rest/typed-objects';
import { compareNames } from '../runtime/pods';
import {
  accessModesOf,
  capacityOf,
  claimRefOf,
  classNameOf,
  isBoundToClaim,
  requestOf,
  volumeModeOf,
  volumePhaseOf,
  type Volume,
} from './storage-objects';

/** The place of a volume in the order of its bucket. */
interface SizedName {
  /** In billionths of a byte. */
  readonly size: bigint;
  readonly name: string;
}

/** Sorted by size, then by name. */
type VolumeTree = BTree<SizedName, Volume>;

/** Volumes of one class with the same mode and access modes. */
interface Bucket {
  readonly volumeMode: string;
  readonly accessModes: ReadonlySet<string>;
  readonly volumes: VolumeTree;
}

/** Holds volumes in the version that was last added; see {@link remove}. */
export class VolumeIndex {
  /** Available volumes: buckets by class, then by mode and access modes. */
  private readonly available = new Map<string, Map<string, Bucket>>();
  /** Volumes with a claimRef, by the key of the claim and their name. */
  private readonly reserved = new Map<string, Map<string, Volume>>();

  /**
   * Ignores a volume that is neither reserved nor available. The version that was added before must be removed first.
   */
  add(volume: Volume): void {
    const reference = claimRefOf(volume);
    if (reference !== undefined) {
      const volumes = this.reserved.get(reference.key) ?? new Map<string, Volume>();
      this.reserved.set(reference.key, volumes.set(volume.name, volume));
    } else if (isAvailable(volume)) {
      this.bucketOf(volume).volumes.set(sizedNameOf(volume), volume);
    }
  }

  /** `volume`: in the version that was added. */
  remove(volume: Volume): void {
    const reference = claimRefOf(volume);
    if (reference !== undefined) {
      const volumes = this.reserved.get(reference.key);
      volumes?.delete(volume.name);
      if (volumes?.size === 0) this.reserved.delete(reference.key);
    } else if (isAvailable(volume)) {
      const className = classNameOf(volume);
      const bucketKey = bucketKeyOf(volume);
      const buckets = this.available.get(className);
      const bucket = buckets?.get(bucketKey);
      if (buckets === undefined || bucket === undefined) return;
      bucket.volumes.delete(sizedNameOf(volume));
      if (bucket.volumes.isEmpty) buckets.delete(bucketKey);
      if (buckets.size === 0) this.available.delete(className);
    }
  }

  /**
   * The best volume for the claim; undefined when none fits. `reservedOnly`: for a claim that waits for its first
   * consumer, which is bound to no volume but a reserved one. Of volumes with the same number of access modes a
   * reserved one is preferred.
   */
  find(claim: Claim, { reservedOnly }: { readonly reservedOnly: boolean }): Volume | undefined {
    const reserved = this.findReserved(claim);
    const available = reservedOnly ? undefined : this.findAvailable(claim);
    if (reserved === undefined || available === undefined) return reserved ?? available;
    return accessModesOf(available).length < accessModesOf(reserved).length ? available : reserved;
  }

  /** The volumes with this claim in their claimRef, whatever its uid. */
  reservedFor(claimKey: string): Iterable<Volume> {
    return this.reserved.get(claimKey)?.values() ?? [];
  }

  private findReserved(claim: Claim): Volume | undefined {
    const mode = volumeModeOf(claim);
    const accessModes = accessModesOf(claim);
    const request = requestOf(claim);
    let best: Volume | undefined;
    for (const volume of this.reservedFor(keyOf(claim))) {
      if (!isBoundToClaim(volume, claim) || isBeingDeleted(volume)) continue;
      if (volumeModeOf(volume) !== mode || capacityOf(volume) < request) continue;
      const modes = new Set(accessModesOf(volume));
      if (!accessModes.every((accessMode) => modes.has(accessMode))) continue;
      if (best === undefined || isPreferredReservation(volume, best)) best = volume;
    }
    return best;
  }

  private findAvailable(claim: Claim): Volume | undefined {
    const mode = volumeModeOf(claim);
    const accessModes = accessModesOf(claim);
    const request = requestOf(claim);
    const matches = selectorOf(claim);
    let best: { readonly modes: number; readonly volume: Volume } | undefined;
    for (const bucket of this.available.get(classNameOf(claim))?.values() ?? []) {
      const modes = bucket.accessModes.size;
      const hasBetterMatch = best !== undefined && best.modes < modes;
      if (bucket.volumeMode !== mode || hasBetterMatch) continue;
      if (!accessModes.every((accessMode) => bucket.accessModes.has(accessMode))) continue;
      const volume = smallestIn(bucket.volumes, request, matches);
      if (volume === undefined) continue;
      if (best === undefined || modes < best.modes || compareSized(sizedNameOf(volume), sizedNameOf(best.volume)) < 0)
        best = { modes, volume };
    }
    return best?.volume;
  }

  private bucketOf(volume: Volume): Bucket {
    const className = classNameOf(volume);
    const bucketKey = bucketKeyOf(volume);
    const buckets = this.available.get(className) ?? new Map<string, Bucket>();
    this.available.set(className, buckets);
    const bucket = buckets.get(bucketKey) ?? {
      volumeMode: volumeModeOf(volume),
      accessModes: new Set(accessModesOf(volume)),
      volumes: new BTree<SizedName, Volume>(undefined, compareSized),
    };
    buckets.set(bucketKey, bucket);
    return bucket;
  }
}

const isAvailable = (volume: Volume): boolean => volumePhaseOf(volume) === 'Available' && !isBeingDeleted(volume);

const bucketKeyOf = (volume: Volume): string => `${volumeModeOf(volume)} ${[...new Set(accessModesOf(volume))].sort().join()}`;

function selectorOf({ body }: Claim): LabelMatcher | undefined {
  const selector = body.spec?.selector;
  return selector === undefined ? undefined : compileLabelSelector(requirementsOfSelector(selector));
}

/** The smallest volume of at least this size that the selector matches. */
function smallestIn(volumes: VolumeTree, size: bigint, matches: LabelMatcher | undefined): Volume | undefined {
  // The empty name sorts before all others: the iteration starts with the first volume of the size.
  for (const [, volume] of volumes.entries({ size, name: '' })) {
    if (matches === undefined || matches(volume.metadata.labels ?? {})) return volume;
  }
  return undefined;
}

const sizedNameOf = (volume: Volume): SizedName => ({ size: capacityOf(volume), name: volume.name });

function compareSized(a: SizedName, b: SizedName): number {
  if (a.size === b.size) return compareNames(a, b);
  return a.size < b.size ? -1 : 1;
}

/** A volume that names the uid of the claim comes first, then fewer access modes, then the name. */
function isPreferredReservation(volume: Volume, other: Volume): boolean {
  const hasUid = claimRefOf(volume)?.uid !== '';
  const otherHasUid = claimRefOf(other)?.uid !== '';
  if (hasUid !== otherHasUid) return hasUid;
  const modes = accessModesOf(volume).length;
  const otherModes = accessModesOf(other).length;
  return modes === otherModes ? volume.name < other.name : modes < otherModes;
}
