/** Where the server is on its way down; read by filters and health checks, moved on by shutdown.ts only. */
export class ServerState {
  /** /readyz fails from here on. */
  stopping = false;
  /** New requests are turned away. */
  refusing = false;

  constructor(readonly sendRetryAfter: boolean) {}
}
