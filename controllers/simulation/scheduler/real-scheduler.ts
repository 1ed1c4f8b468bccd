/**
 * Finds out whether a real scheduler runs: it renews the Lease `kube-scheduler` in the system namespace. As in leader
 * election, the Lease counts from the local time at which its last change was seen.
 */
import type { CoordinationV1Lease } from '../../../shared/api/types/generated/members';
import type { Informer } from '../../../shared/client/informer/informer';
import type { ApiObject } from '../../../shared/client/rest/api-object';
import { resourceOf } from '../../../shared/client/rest/resource';
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { ControllerContext } from '../../runtime/controller';

const LEASES = resourceOf('coordination.v1.Lease');
const LEASE_NAME = 'kube-scheduler';
/** The scheduler's default of `--leader-elect-lease-duration`. */
const DEFAULT_SECONDS = 15;

/** Follows the Lease until {@link end}. */
export class RealScheduler {
  /** Informer of the one Lease. It must have synced before {@link isRunning} is read. */
  readonly informer: Informer<CoordinationV1Lease>;
  private readonly clock: Clock;
  /** Milliseconds of the monotonic clock; -Infinity while no scheduler holds the Lease. */
  private heldUntil = -Infinity;
  private timer: Timer | undefined;
  private readonly removeHandlers: () => void;

  /** `onChange` is called when {@link isRunning} may have changed. */
  constructor(
    { informers, clock, names }: Pick<ControllerContext, 'informers' | 'clock' | 'names'>,
    private readonly onChange: () => void,
  ) {
    this.clock = clock;
    this.informer = informers.of(LEASES, { namespace: names.systemNamespace, fieldSelector: `metadata.name=${LEASE_NAME}` });
    const observe = (lease: ApiObject<CoordinationV1Lease>): void => this.observe(lease);
    this.removeHandlers = this.informer.handle({
      added: observe,
      updated: (_, lease) => observe(lease),
      deleted: () => this.setHeldUntil(-Infinity),
    });
  }

  /** Whether the Lease is held and has not expired. */
  get isRunning(): boolean {
    return this.clock.monotonic() < this.heldUntil;
  }

  /** Stops following the Lease; `onChange` is not called any more. */
  end(): void {
    this.timer?.cancel();
    this.removeHandlers();
  }

  private observe({ body }: ApiObject<CoordinationV1Lease>): void {
    const { holderIdentity = '', leaseDurationSeconds = DEFAULT_SECONDS } = body.spec ?? {};
    this.setHeldUntil(holderIdentity === '' ? -Infinity : this.clock.monotonic() + 1000 * leaseDurationSeconds);
  }

  private setHeldUntil(until: number): void {
    this.heldUntil = until;
    this.timer?.cancel();
    const wait = until - this.clock.monotonic();
    // The extra millisecond: a timer may fire a fraction of one early, while the Lease still counts as held.
    this.timer = wait > 0 ? this.clock.after(wait + 1, this.onChange) : undefined;
    this.onChange();
  }
}
