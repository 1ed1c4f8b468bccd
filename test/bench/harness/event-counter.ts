/** Counts the events of watches, each of which ends in a newline and contains no other. */
import type { IncomingMessage } from 'node:http';

/** ASCII; ends each event of a watch. */
const NEWLINE = 10;

/** Counts over all of its streams together. */
export class EventCounter {
  private readonly openStreams = new Set<IncomingMessage>();
  private total = 0;
  private onReceived = (): void => undefined;

  /** The number of streams. */
  get streams(): number {
    return this.openStreams.size;
  }

  /** The number of events so far. */
  get received(): number {
    return this.total;
  }

  /** Counts the events of this watch too. */
  addStream(stream: IncomingMessage): void {
    this.openStreams.add(stream);
    // `close` destroys streams that the server still writes to.
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => {
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, end + 1)) this.total += 1;
      this.onReceived();
    });
  }

  /** Resolves when {@link received} reaches `total`. One caller waits at a time. */
  waitFor(total: number): Promise<void> {
    return new Promise((resolve) => {
      this.onReceived = () => void (this.total >= total && resolve());
      this.onReceived();
    });
  }

  close(): void {
    for (const stream of this.openStreams) stream.destroy();
  }
}
