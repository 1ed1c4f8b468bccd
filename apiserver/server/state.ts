/** How far the server has come on its way up and down; read by filters and health checks, moved on by compose.ts and shutdown.ts only. */
import type { StartCheck } from '../health/start-checks';

export class ServerState {
  /** The steps of the start that are complete, as health checks name them. */
  readonly started = new Set<StartCheck>();
  /** What the server itself needs exists. */
  bootstrapped = false;
  /** /readyz fails from here on. */
  stopping = false;
  /** New requests are turned away. */
  refusing = false;

  constructor(readonly sendRetryAfter: boolean) {}
}
