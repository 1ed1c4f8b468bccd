/**
 * Checks every member of a collection in intervals, a bounded number of them per turn of the event loop. What a check
 * does is left to its owner.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';

/** Some 10,000 connections have 40,000 streams: all of them in one turn would hold up requests for 25 ms. */
const CHECKS_PER_TURN = 256;
/** Pause between two parts of a round, in which requests are served. */
const PAUSE_MS = 1;

/** The checks of one collection. They stop by themselves when it has no members; call `start` when a member is added. */
export class PeriodicCheck<Member> {
  private timer: Timer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly intervalMs: number,
    /** Called at the start of each round. Members that join or leave during it are handled as Map and Set do. */
    private readonly members: () => Iterator<Member>,
    /** `now` is in the time of Clock.monotonic. */
    private readonly check: (member: Member, now: number) => void,
  ) {}

  /** Has no effect while the checks are scheduled. They end with the round that leaves no member. */
  start(): void {
    this.timer ??= this.clock.after(this.intervalMs, () => this.continueRound(this.members()));
  }

  /** Ends the current round and schedules no other. */
  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }

  private continueRound(remaining: Iterator<Member>): void {
    const now = this.clock.monotonic();
    for (let checks = 0; checks < CHECKS_PER_TURN; checks += 1) {
      const next = remaining.next();
      if (next.done === true) {
        this.endRound();
        return;
      }
      this.check(next.value, now);
    }
    this.timer = this.clock.after(PAUSE_MS, () => this.continueRound(remaining));
  }

  private endRound(): void {
    this.timer = undefined;
    if (this.members().next().done !== true) this.start();
  }
}
