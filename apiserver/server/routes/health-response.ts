/** Sends the response of a health endpoint. The checks are in shared/runtime/health.ts. */
import type { HealthChecks, HealthEndpoint } from '../../../shared/runtime/health';
import type { Exchange } from '../../endpoints/request/exchange';
import { sendText, TEXT_MEDIA_TYPE } from '../../endpoints/response/send-response';

/** Runs the checks and responds. `check` is the name of a single check; `undefined` for all checks of the endpoint. */
export async function sendHealth(
  health: Pick<HealthChecks, 'respond'>,
  endpoint: HealthEndpoint,
  check: string | undefined,
  exchange: Exchange,
): Promise<void> {
  const { query } = exchange;
  const { status, text, noSniff } = await health.respond({
    endpoint,
    check,
    verbose: query.has('verbose'),
    exclude: query.getAll('exclude'),
  });
  if (noSniff) sendText(exchange, status, text);
  else exchange.send(status, { 'Content-Type': TEXT_MEDIA_TYPE }, Buffer.from(text));
}
