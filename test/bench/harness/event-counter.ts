/** Counts the events of watches, each of which ends in a newline and contains no other. */
import type { IncomingMessage } from 'node:http';

/** ASCII; ends each event of a watch. */
const NEWLINE = 10;

export class EventCounter {
  private readonly opened = new Set<IncomingMessage>();
  private total = 0;
  private onReceived = (): void => undefined;

  get streams(): number {
    return this.opened.size;
  }

  get received(): number {
    return this.total;
  }

  /** Counts the events of this watch too. */
  addStream(stream: IncomingMessage): void {
    this.opened.add(stream);
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => {
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, end + 1)) this.total += 1;
      this.onReceived();
    });
  }

  /** Resolves when `total` events have arrived on all streams together. */
  waitFor(total: number): Promise<void> {
    return new Promise((resolve) => {
      this.onReceived = () => void (this.total >= total && resolve());
      this.onReceived();
    });
  }

  close(): void {
    for (const stream of this.opened) stream.destroy();
  }
}
