/** Measures the memory of a server for each idle HTTP/2 connection, with a number of watches on it. */
import { once } from 'node:events';
import { connect, type ClientHttp2Session } from 'node:http2';
import { anonymousMegabytes } from '../support/process-usage';
import { forEachNumber } from './harness/timing';

export interface IdleConnections {
  readonly port: number;
  readonly pid: number;
  readonly token: string;
  /** A list is read on each connection before its watches are opened. */
  readonly path: string;
}

/** Connections before the measured ones, for which the server grows its tables. */
const WARM_UP = 200;
const CONNECTIONS = 1000;
/** Connections that are opened at a time. */
const WORKERS = 8;

/** Kilobytes of each connection. */
export async function idleKilobytes(options: IdleConnections, watches: number): Promise<number> {
  const sessions: ClientHttp2Session[] = [];
  const open = async (): Promise<void> => {
    const session = connect(`https://127.0.0.1:${options.port}`, { rejectUnauthorized: false });
    sessions.push(session);
    await once(request(session, options).resume(), 'end');
    for (let watch = 0; watch < watches; watch += 1) await once(request(session, options, '?watch=1').resume(), 'response');
  };
  await forEachNumber({ from: 0, to: WARM_UP, workers: WORKERS }, open);
  const before = anonymousMegabytes(options.pid);
  await forEachNumber({ from: 0, to: CONNECTIONS, workers: WORKERS }, open);
  const after = anonymousMegabytes(options.pid);
  for (const session of sessions) session.destroy();
  return ((after - before) * 1024) / CONNECTIONS;
}

function request(session: ClientHttp2Session, { path, token }: IdleConnections, query = '') {
  const stream = session.request({ ':path': `${path}${query}`, authorization: `Bearer ${token}` });
  // Reported when the session is destroyed.
  return stream.on('error', () => undefined);
}
