/** Whether a TCP port of this machine can be listened on. */
import { createServer } from 'node:net';
import { errorCode } from '../../shared/runtime/error-code';

/** The error's code (`EADDRINUSE`, `EACCES` …) when `port` on `host` cannot be listened on, undefined when it can. */
export async function portProblem(port: number, host: string): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(errorCode(error) ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
