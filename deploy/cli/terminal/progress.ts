/**
 * One line on a terminal with the current step and its seconds, redrawn in place. Nothing is written when standard error
 * is no terminal. Other output must be preceded by {@link Progress.clear}, which removes the line.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { CommandHost } from './host';

/** The period of the animation. */
const REDRAW_MS = 100;
const CLEAR_LINE = '\r\u001B[K';

/** Shows the line from its creation until {@link end}. */
export class Progress {
  private timer: Timer | undefined;
  private readonly startedAt: number;

  constructor(
    private readonly step: string,
    private readonly host: Pick<CommandHost, 'isTerminal' | 'writeError'> & { readonly clock: Clock },
  ) {
    this.startedAt = host.clock.monotonic();
    if (host.isTerminal) this.draw();
  }

  /** Removes the line; it is drawn again until {@link end}. */
  clear(): void {
    if (this.timer !== undefined) this.host.writeError(CLEAR_LINE);
  }

  /** Idempotent. */
  end(): void {
    this.clear();
    this.timer?.cancel();
    this.timer = undefined;
  }

  private draw(): void {
    const seconds = (this.host.clock.monotonic() - this.startedAt) / 1_000;
    this.host.writeError(`${CLEAR_LINE}${this.step} … ${seconds.toFixed(1)} s`);
    this.timer = this.host.clock.after(REDRAW_MS, () => this.draw());
  }
}
