/**
 * Whether an API server is ready, asked with the administrator's certificate. A server that cannot be reached or does
 * not respond is not ready; how long to wait is left to the callers.
 */
import { get } from 'node:https';
import type { Clock } from '../../shared/runtime/clock';
import type { Credential } from '../../shared/pki/certificates';

const POLL_MS = 50;
/** Inactivity of the connection that ends an attempt: a server that is starting may accept it and not respond. */
const RESPONSE_TIMEOUT_MS = 2_000;

/** An API server, and how the administrator connects to it. */
export interface ServerAccess {
  /** The https URL. */
  readonly address: string;
  /** PEM. */
  readonly authority: string;
  readonly admin: Credential;
}

/**
 * Resolves to true when `<address>/readyz` responds with 200, or to false when `signal` aborts first; it does not
 * interrupt an attempt. Rejects as {@link isReady} does.
 */
export async function waitForReady(server: ServerAccess, clock: Clock, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await isReady(server)) return true;
    await clock.sleep(POLL_MS);
  }
  return false;
}

/** Whether `<address>/readyz` responds with 200 now. Rejects only when the URL or a PEM text is malformed. */
export function isReady({ address, authority, admin }: ServerAccess): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { ca: authority, cert: admin.certificate, key: admin.key, agent: false, timeout: RESPONSE_TIMEOUT_MS };
    const request = get(`${address}/readyz`, options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
}
