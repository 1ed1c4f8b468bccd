/** Whether a TCP port is available, from an attempt to listen on it: another program may take it right after that. */
import { createServer } from 'node:net';
import { errorCode } from '../../shared/runtime/error-code';

/** The error code (`EADDRINUSE`, `EACCES` …) of listening on the port; undefined when it is available. */
export async function findPortProblem(port: number, host: string): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(errorCode(error) ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
