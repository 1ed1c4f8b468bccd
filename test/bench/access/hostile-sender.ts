/**
 * Sends the requests that its parent orders. A process of its own, so that building and sending bad input does not
 * delay the measuring process.
 */
import { sendHostileRequest, type HostileRequest } from '../../support/http/hostile-request';

/** A message of the parent. The reply is the HTTP status of the first copy. */
export interface HostileOrder {
  readonly request: HostileRequest;
  /** The number of concurrent copies. */
  readonly times: number;
}

process.once('disconnect', () => process.exit());
process.on('message', ({ request, times }: HostileOrder) => {
  void Promise.all(Array.from({ length: times }, () => sendHostileRequest(request))).then(([status]) => process.send?.(status));
});
