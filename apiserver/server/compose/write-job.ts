/** What a thread for heavy objects is told, and what it answers. Holds no code. */
import type { Dialect } from '../../../shared/names/dialect';
import type { FeatureName } from '../../../shared/runtime/feature-gates';
import type { PluginSwitches } from '../../admission/switches';
import type { PortRange, ServiceRanges } from '../../allocation/ranges';
import type { EncoderForm, ShownHeavy } from '../../endpoints/representation/showing';
import type { HeavyOutcome, HeavyRemoval, HeavyRemovalOutcome, HeavyWork, SentEntry, SentResource } from '../../registry/write/heavy';

/** Of the server; the same in every job. */
export interface WriteSetting {
  readonly naming: Dialect;
  readonly prefix: string;
  readonly eventTtlSeconds: number;
  readonly gates: ReadonlyMap<FeatureName, boolean>;
  readonly plugins: PluginSwitches | undefined;
  readonly ranges: ServiceRanges;
  readonly nodePorts: PortRange;
  /** Of a transaction of the store. */
  readonly maxOperations: number;
}

/** How an object is to be shown. */
export interface ShowWork extends Omit<EncoderForm, 'row'> {
  readonly type: 'show';
  readonly resource: SentResource;
  readonly entry: SentEntry;
  readonly as: 'item' | 'object';
}

export interface WriteJob {
  readonly setting: WriteSetting;
  readonly work: HeavyRemoval | HeavyWork | ShowWork;
}

export type WriteAnswer =
  | { readonly outcome: HeavyOutcome }
  | { readonly removal: HeavyRemovalOutcome }
  | { readonly shown: ShownHeavy }
  | { readonly fault: string };
