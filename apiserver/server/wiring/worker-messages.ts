/** What a worker thread for large objects is told, and what it answers. Holds no code. */
import type { MessagePort } from 'node:worker_threads';
import type { Dialect } from '../../../shared/names/dialect';
import type { FeatureName } from '../../../shared/cli/feature-gates';
import type { PluginSwitches } from '../../admission/switches';
import type { PortRange, ServiceRanges } from '../../allocation/ranges';
import type { EncoderForm, ShownHeavy } from '../../endpoints/representation/showing';
import type { OffloadedWrite, OffloadResult, SentEntry, SentResource } from '../../registry/write/executor/offload/messages';

/** Of the server; the same in every job. */
export interface WriteSetting {
  readonly naming: Dialect;
  readonly prefix: string;
  readonly eventTtlSeconds: number;
  readonly gates: ReadonlyMap<FeatureName, boolean>;
  readonly plugins: PluginSwitches | undefined;
  readonly ranges: ServiceRanges;
  readonly nodePorts: PortRange;
}

/** How an object is to be shown. */
export interface ShowWork extends Omit<EncoderForm, 'row'> {
  readonly type: 'show';
  readonly resource: SentResource;
  readonly entry: SentEntry;
  readonly as: 'item' | 'object';
}

/** A write, and where its questions go. */
export interface WriteWork extends OffloadedWrite {
  readonly server: MessagePort;
}

export interface WriteJob {
  readonly setting: WriteSetting;
  readonly work: ShowWork | WriteWork;
}

export type WriteAnswer = { readonly result: OffloadResult } | { readonly shown: ShownHeavy } | { readonly fault: string };
