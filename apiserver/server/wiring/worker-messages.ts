/**
 * The messages between the server and its worker threads for large objects. A job contains all that its thread needs,
 * except for the steps of a write that need the server's state. Types only.
 */
import type { MessagePort } from 'node:worker_threads';
import type { Dialect } from '../../../shared/names/dialect';
import type { FeatureName } from '../../../shared/cli/feature-gates';
import type { PluginOverrides } from '../../admission/plugins/plugin-overrides';
import type { PortRange, ServiceRanges } from '../../allocation/ranges';
import type { EncoderForm, OffloadedEncoding } from '../../endpoints/representation/encoding-offload';
import type { OffloadedWrite, OffloadResult, TransferredEntry, TransferredResource } from '../../registry/write/executor/offload/messages';

/** Settings of the server; the same in every job. */
export interface WorkerSettings {
  readonly naming: Dialect;
  readonly prefix: string;
  readonly eventTtlSeconds: number;
  readonly gates: ReadonlyMap<FeatureName, boolean>;
  readonly plugins: PluginOverrides | undefined;
  readonly ranges: ServiceRanges;
  readonly nodePorts: PortRange;
}

/** Encodes an object for a response. */
export interface EncodeTask extends Omit<EncoderForm, 'row'> {
  readonly type: 'encode';
  readonly resource: TransferredResource;
  readonly entry: TransferredEntry;
  /** Whether the result is the encoding of a list item, or a response body. */
  readonly as: 'item' | 'object';
}

/** A write, and the port for its step calls to the server's thread. */
export interface WriteTask extends OffloadedWrite {
  readonly server: MessagePort;
}

/** A message from the server to a worker thread. A thread has one job at a time. */
export interface WorkerJob {
  readonly settings: WorkerSettings;
  readonly task: EncodeTask | WriteTask;
}

/**
 * The message from a worker thread at the end of a job: the result of a write, or an encoding. `error` is the stack of an
 * unexpected error; refusals of a write are part of its result.
 */
export type WorkerResult = { readonly result: OffloadResult } | { readonly encoding: OffloadedEncoding } | { readonly error: string };
