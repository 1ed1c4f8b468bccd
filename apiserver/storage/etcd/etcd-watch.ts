/**
 * One watch on etcd: a stream that is reopened whenever it ends, after the last revision that was delivered completely.
 * It resumes from the revisions of events and of ordered progress responses, never from the header of another response,
 * because that may be ahead of events that are still to come.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { Random } from '../../../shared/runtime/random';
import type { KeyRange, Revision, Watch, StoreEvent, WatchSink } from '../store';
import type { EtcdWatchRequest } from './requests';
import type { EtcdWatchResponse } from './responses';
import { status, watch } from './methods';
import type { Channel, RpcStream } from './transport';

type WatchStream = RpcStream<EtcdWatchRequest, EtcdWatchResponse>;

/** Delays before a stream is opened again: the first, which doubles, and the limit. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 1_000;
/** Time for a member to confirm a watch before another attempt. */
const CONFIRM_TIMEOUT_MS = 5_000;

/** What is watched, and how the watch connects. */
export interface EtcdWatchOptions {
  /** Opens a new connection, to another member than before when there are several. */
  readonly connect: () => Promise<Channel>;
  readonly clock: Clock;
  /** Spreads the delays of reconnecting watches. */
  readonly random: Random;
  readonly range: KeyRange;
  /** The first revision to deliver. */
  readonly from: Revision;
  readonly sink: WatchSink;
  /** Called once, when the watch is closed. */
  readonly onClose: () => void;
}

/** A watch that opens its first stream by itself, in the next event-loop turn. */
export class EtcdWatch implements Watch {
  /** The first revision that has not been delivered. */
  private next: Revision;
  private channel: Channel | undefined;
  private stream: WatchStream | undefined;
  /** Whether the member orders progress responses with events; false until its version is known. */
  private isProgressOrdered = false;
  private isConnected = false;
  private isPaused = false;
  private isClosed = false;
  /** Attempts that failed since the last confirmed watch. */
  private failures = 0;
  private timer: Timer | undefined;
  /** Incremented per attempt, so that late callbacks of an abandoned attempt are ignored. */
  private attempt = 0;
  /** Events of a response until its last fragment arrives. */
  private fragments: StoreEvent[] = [];
  /** Whether progress was requested and the request waits until the watch is confirmed. */
  private isProgressPending = false;

  constructor(private readonly options: EtcdWatchOptions) {
    this.next = options.from;
    setImmediate(() => void this.open());
  }

  requestProgress(): boolean {
    if (!this.isProgressOrdered || this.isClosed) return false;
    if (this.isConnected) this.stream?.write({ type: 'progress' });
    else this.isProgressPending = true;
    return true;
  }

  reopen(): void {
    if (this.isClosed) return;
    this.disconnect();
    void this.open();
  }

  pause(): void {
    this.isPaused = true;
    this.stream?.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.stream?.resume();
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.closeStream();
    this.options.onClose();
  }

  private async open(): Promise<void> {
    if (this.isClosed) return;
    const attempt = ++this.attempt;
    const isCurrent = (): boolean => attempt === this.attempt && !this.isClosed;
    this.timer?.cancel();
    this.timer = this.options.clock.after(CONFIRM_TIMEOUT_MS, () => isCurrent() && this.retry());
    try {
      const channel = await this.options.connect();
      if (!isCurrent()) {
        channel.close();
        return;
      }
      this.channel = channel;
      channel.callOnce(status, undefined, ({ version }) => {
        if (isCurrent()) this.isProgressOrdered = hasOrderedProgress(version);
      });
      const stream = channel.stream(watch, { leader: true });
      this.stream = stream;
      stream.on('data', (response) => isCurrent() && this.onResponse(response));
      stream.on('error', (error) => isCurrent() && this.onStreamError(channel, error));
      stream.on('end', () => isCurrent() && this.retry());
      stream.write({ type: 'create', range: this.options.range, from: this.next });
      if (this.isPaused) stream.pause();
    } catch {
      if (isCurrent()) this.retry();
    }
  }

  private onResponse(response: EtcdWatchResponse): void {
    const { sink } = this.options;
    if (response.canceled) {
      if (response.compactRevision > 0) {
        this.close();
        sink.compacted(response.compactRevision);
      } else {
        this.retry();
      }
      return;
    }
    if (response.created) {
      this.onCreated();
      return;
    }
    if (response.events.length > 0 || response.fragment || this.fragments.length > 0) this.bufferEvents(response);
    else this.onProgress(response.revision);
  }

  private onCreated(): void {
    this.timer?.cancel();
    this.isConnected = true;
    this.failures = 0;
    this.options.sink.connection('connected');
    if (!this.isProgressPending || this.isClosed) return;
    this.isProgressPending = false;
    this.stream?.write({ type: 'progress' });
  }

  /** Buffers fragments until the last one, because the events of a revision may be spread over them. */
  private bufferEvents(response: EtcdWatchResponse): void {
    for (const event of response.events) {
      if (event.revision >= this.next) this.fragments.push(event);
    }
    if (response.fragment) return;
    const events = this.fragments;
    this.fragments = [];
    const last = events[events.length - 1];
    if (last === undefined) return;
    this.next = last.revision + 1;
    this.options.sink.events(events, last.revision);
  }

  private onProgress(revision: Revision): void {
    if (!this.isProgressOrdered) return;
    this.next = Math.max(this.next, revision + 1);
    this.options.sink.progress(revision);
  }

  /** Reports only streams that were never confirmed: an established stream also ends in regular operation. */
  private onStreamError(channel: Channel, error: Error): void {
    if (!this.isConnected) channel.reportFailure(error.message);
    this.retry();
  }

  private retry(): void {
    this.disconnect();
    if (this.isClosed) return;
    const maxDelay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** this.failures);
    this.failures++;
    // Between half of the limit and the limit, so that the watches of many replicas do not reconnect together.
    const delay = maxDelay / 2 + (maxDelay / 2) * this.options.random.float();
    this.timer = this.options.clock.after(delay, () => void this.open());
  }

  private disconnect(): void {
    const wasConnected = this.isConnected;
    this.closeStream();
    if (wasConnected) this.options.sink.connection('disconnected');
  }

  private closeStream(): void {
    this.attempt++;
    this.timer?.cancel();
    this.isConnected = false;
    this.fragments = [];
    this.isProgressOrdered = false;
    this.stream?.cancel();
    this.stream = undefined;
    this.channel?.close();
    this.channel = undefined;
  }
}

/** From these versions on, a progress response never overtakes events of the same watch. */
function hasOrderedProgress(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  if (major !== 3) return major > 3;
  if (minor === 4) return patch >= 31;
  if (minor === 5) return patch >= 13;
  return minor > 5;
}
