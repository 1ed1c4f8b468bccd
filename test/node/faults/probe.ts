/** Sends one request after the other at a fixed rate and measures for how long requests fail. */
import type { Clock } from '../../../shared/runtime/clock';
import { roundTenth, type ProbeReport } from './timeline';

export class Probe {
  private readonly counts = { sent: 0, failed: 0, longestOutageMs: 0 };
  private readonly stopping = new AbortController();
  private readonly ended: Promise<void>;

  /** `send` rejects when the request fails. It starts at once, then every `periodMs`, or later when a request takes longer. */
  constructor(
    private readonly clock: Clock,
    private readonly periodMs: number,
    private readonly send: () => Promise<void>,
  ) {
    this.ended = this.run();
  }

  /** Ends the probe after the current request. */
  async finish(): Promise<ProbeReport> {
    this.stopping.abort();
    await this.ended;
    const { sent, failed, longestOutageMs } = this.counts;
    return { sent, failed, longestOutage: roundTenth(longestOutageMs / 1000) };
  }

  private async run(): Promise<void> {
    const { clock, counts, stopping } = this;
    let lastSuccess = clock.monotonic();
    let isFailing = false;
    const endOutage = (): void => {
      if (isFailing) counts.longestOutageMs = Math.max(counts.longestOutageMs, clock.monotonic() - lastSuccess);
    };
    while (!stopping.signal.aborted) {
      const next = clock.monotonic() + this.periodMs;
      counts.sent += 1;
      const succeeded = await this.send().then(
        () => true,
        () => false,
      );
      if (succeeded) {
        endOutage();
        lastSuccess = clock.monotonic();
      } else counts.failed += 1;
      isFailing = !succeeded;
      await clock.sleep(Math.max(0, next - clock.monotonic()), stopping.signal);
    }
    endOutage();
  }
}
