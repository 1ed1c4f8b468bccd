/** What a thread for heavy writes is told, and what it answers. Holds no code. */
import type { Dialect } from '../../../shared/names/dialect';
import type { FeatureName } from '../../../shared/runtime/feature-gates';
import type { PortRange, ServiceRanges } from '../../allocation/ranges';
import type { HeavyOutcome, HeavyRemoval, HeavyRemovalOutcome, HeavyWork } from '../../registry/write/heavy';

/** Of the server; the same in every job. */
export interface WriteSetting {
  readonly naming: Dialect;
  readonly prefix: string;
  readonly eventTtlSeconds: number;
  readonly gates: ReadonlyMap<FeatureName, boolean>;
  readonly ranges: ServiceRanges;
  readonly nodePorts: PortRange;
  /** Of a transaction of the store. */
  readonly maxOperations: number;
}

export interface WriteJob {
  readonly setting: WriteSetting;
  readonly work: HeavyRemoval | HeavyWork;
}

export type WriteAnswer = { readonly outcome: HeavyOutcome } | { readonly removal: HeavyRemovalOutcome } | { readonly fault: string };
