/** One read of the cluster that is not retried, for clients that count failures. */
import type { Agent } from 'node:https';
import type { ClientConfig } from '../../shared/client/kubeconfig/client-config';
import { errorMessage } from '../../shared/runtime/error-message';
import { sendOnce } from '../support/http/send-once';

/** Longer than the server's own time limit of 60 seconds for a request, so that its response counts. */
export const RESPONSE_TIMEOUT_MS = 70_000;

/** Resolves with the status of the response, or with the message of the connection's failure. */
export async function requestOutcome(
  { servers: [server], tls }: ClientConfig,
  { path, agent }: { readonly path: string; readonly agent: Agent | false },
): Promise<string> {
  const { hostname, port } = new URL(server ?? '');
  try {
    const { status } = await sendOnce({ ...tls, host: hostname, port, path, agent, timeout: RESPONSE_TIMEOUT_MS });
    return String(status);
  } catch (error) {
    return errorMessage(error);
  }
}
