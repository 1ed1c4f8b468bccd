/**
 * One watch on etcd: a stream that is opened again whenever it ends, after the last revision that was delivered whole.
 * It resumes from events' own revisions, never from an answer's header, because a header may be ahead of events that
 * are still to come.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { Random } from '../../../shared/runtime/random';
import type { KeyRange, Revision, Watch, StoreEvent, WatchSink } from '../store';
import type { WatchAnswer, WatchCall } from './messages';
import { status, watching } from './methods';
import type { Channel, RpcStream } from './transport';

type WatchStream = RpcStream<WatchCall, WatchAnswer>;

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 1_000;
/** How long a member may take to accept a watch before another try. */
const ACCEPT_MS = 5_000;

export interface EtcdWatchOptions {
  /** A connection of its own, to another member than the one before where there are several. */
  readonly connect: () => Promise<Channel>;
  readonly clock: Clock;
  readonly random: Random;
  readonly range: KeyRange;
  readonly from: Revision;
  readonly sink: WatchSink;
  readonly closed: () => void;
}

export class EtcdWatch implements Watch {
  /** The first revision that has not been delivered. */
  private next: Revision;
  private channel: Channel | undefined;
  private stream: WatchStream | undefined;
  /** Whether the member answers about progress in order with events. False until it has said which version it is. */
  private orderedProgress = false;
  private connected = false;
  private paused = false;
  private ended = false;
  private failures = 0;
  private timer: Timer | undefined;
  /** Counts attempts, so that whatever comes late from an abandoned one is ignored. */
  private attempt = 0;
  private fragments: StoreEvent[] = [];
  private progressWanted = false;

  constructor(private readonly options: EtcdWatchOptions) {
    this.next = options.from;
    setImmediate(() => void this.open());
  }

  requestProgress(): boolean {
    if (!this.orderedProgress || this.ended) return false;
    if (this.connected) this.stream?.write({ type: 'progress' });
    else this.progressWanted = true;
    return true;
  }

  reopen(): void {
    if (this.ended) return;
    this.abandon();
    void this.open();
  }

  pause(): void {
    this.paused = true;
    this.stream?.pause();
  }

  resume(): void {
    this.paused = false;
    this.stream?.resume();
  }

  close(): void {
    if (this.ended) return;
    this.ended = true;
    this.drop();
    this.options.closed();
  }

  private async open(): Promise<void> {
    if (this.ended) return;
    const attempt = ++this.attempt;
    const current = (): boolean => attempt === this.attempt && !this.ended;
    this.timer?.cancel();
    this.timer = this.options.clock.after(ACCEPT_MS, () => current() && this.retry());
    try {
      const channel = await this.options.connect();
      if (!current()) {
        channel.close();
        return;
      }
      this.channel = channel;
      channel.ask(status, undefined, ({ version }) => {
        if (current()) this.orderedProgress = hasOrderedProgress(version);
      });
      const stream = channel.stream(watching, { leader: true });
      this.stream = stream;
      stream.on('data', (answer) => current() && this.take(answer));
      stream.on('error', (error) => current() && this.refused(channel, error));
      stream.on('end', () => current() && this.retry());
      stream.write({ type: 'create', range: this.options.range, from: this.next });
      if (this.paused) stream.pause();
    } catch {
      if (current()) this.retry();
    }
  }

  private take(answer: WatchAnswer): void {
    const { sink } = this.options;
    if (answer.canceled) {
      if (answer.compactRevision > 0) {
        this.close();
        sink.compacted(answer.compactRevision);
      } else {
        this.retry();
      }
      return;
    }
    if (answer.created) {
      this.accepted();
      return;
    }
    if (answer.events.length > 0 || answer.fragment || this.fragments.length > 0) this.collect(answer);
    else this.advance(answer.revision);
  }

  private accepted(): void {
    this.timer?.cancel();
    this.connected = true;
    this.failures = 0;
    this.options.sink.connection('connected');
    if (!this.progressWanted || this.ended) return;
    this.progressWanted = false;
    this.stream?.write({ type: 'progress' });
  }

  /** Holds fragments until the last one: a revision may be spread over them. */
  private collect(answer: WatchAnswer): void {
    for (const event of answer.events) {
      if (event.revision >= this.next) this.fragments.push(event);
    }
    if (answer.fragment) return;
    const events = this.fragments;
    this.fragments = [];
    const last = events[events.length - 1];
    if (last === undefined) return;
    this.next = last.revision + 1;
    this.options.sink.events(events, last.revision);
  }

  private advance(revision: Revision): void {
    if (!this.orderedProgress) return;
    this.next = Math.max(this.next, revision + 1);
    this.options.sink.progress(revision);
  }

  /** What has stood for a while breaks in an orderly way, too: only what never stood is worth a word. */
  private refused(channel: Channel, error: Error): void {
    if (!this.connected) channel.failed(error.message);
    this.retry();
  }

  private retry(): void {
    this.abandon();
    if (this.ended) return;
    const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.failures);
    this.failures++;
    const delay = longest / 2 + (longest / 2) * this.options.random.float();
    this.timer = this.options.clock.after(delay, () => void this.open());
  }

  private abandon(): void {
    const told = this.connected;
    this.drop();
    if (told) this.options.sink.connection('disconnected');
  }

  private drop(): void {
    this.attempt++;
    this.timer?.cancel();
    this.connected = false;
    this.fragments = [];
    this.orderedProgress = false;
    this.stream?.cancel();
    this.stream = undefined;
    this.channel?.close();
    this.channel = undefined;
  }
}

/** From these versions on a progress answer never overtakes events of the same watch. */
function hasOrderedProgress(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  if (major !== 3) return major > 3;
  if (minor === 4) return patch >= 31;
  if (minor === 5) return patch >= 13;
  return minor > 5;
}
