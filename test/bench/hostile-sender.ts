/** Sends what it is told to, as a process of its own: building and sending bad input must not hold up who measures. */
import { sendHostileRequest, type HostileRequest } from '../support/hostile-request';

export interface HostileOrder {
  readonly request: HostileRequest;
  /** So many of it at once. */
  readonly times: number;
}

process.once('disconnect', () => process.exit());
process.on('message', ({ request, times }: HostileOrder) => {
  void Promise.all(Array.from({ length: times }, () => sendHostileRequest(request))).then(([status]) => process.send?.(status));
});
