/** The memory of a server: for idle HTTP/2 connections with watches, and with many objects. */
import { once } from 'node:events';
import { connect, type ClientHttp2Session } from 'node:http2';
import { anonymousMegabytes } from '../../support/process-usage';
import { createConfigMaps, withServer, type BenchServer } from '../harness/bench-server';
import { configMap } from '../harness/client';
import { measureLoop } from '../harness/measure';
import { numberOption, TOKEN } from '../harness/settings';
import { forEachNumber } from '../harness/timing';

/** A list of it is read on each connection before its watches are opened. */
const SERVICES = '/api/v1/services';
/** Connections before the measured ones, for which the server grows its tables. */
const WARM_UP = 200;
const CONNECTIONS = 1000;
/** Connections that are opened at a time. */
const WORKERS = 8;

/** Idle connections, with each number of watches on a server of its own; then `--objects` ConfigMaps that were updated, and what one list of them adds. */
export async function memory(): Promise<void> {
  console.log();
  for (const watches of [0, 1, 4]) {
    await withServer(async (opened) => {
      const kilobytes = await idleKilobytes(opened, watches);
      console.log(`memory of an idle HTTP/2 connection with ${watches} watches: ${kilobytes.toFixed(0)} KB`);
    });
  }
  const count = numberOption('objects', 112_000);
  await withServer(async ({ client, pid }) => {
    await createConfigMaps({ client, pid }, { namespace: 'big', count, size: 1200 });
    for (const stamp of ['1', '2']) {
      await measureLoop(pid, { workers: 16, count }, async (index) => {
        const name = `o-${index}`;
        await client.send('PUT', `/api/v1/namespaces/big/configmaps/${name}`, configMap('big', name, stamp, 1200));
      });
    }
    const before = anonymousMegabytes(pid);
    console.log(`\nmemory with ${count} objects of 1.5 KB, each updated twice: ${before.toFixed(0)} MB`);
    const bytes = await client.send('GET', '/api/v1/namespaces/big/configmaps');
    console.log(`after one list of them (${(bytes / 1e6).toFixed(0)} MB): ${(anonymousMegabytes(pid) - before).toFixed(0)} MB more`);
  });
}

/** Kilobytes of each idle connection with this number of watches. */
async function idleKilobytes({ client: { port }, pid }: BenchServer, watches: number): Promise<number> {
  const sessions: ClientHttp2Session[] = [];
  const open = async (): Promise<void> => {
    const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    sessions.push(session);
    await once(openStream(session, SERVICES).resume(), 'end');
    for (let watch = 0; watch < watches; watch += 1) await once(openStream(session, `${SERVICES}?watch=1`).resume(), 'response');
  };
  await forEachNumber({ to: WARM_UP, workers: WORKERS }, open);
  const before = anonymousMegabytes(pid);
  await forEachNumber({ to: CONNECTIONS, workers: WORKERS }, open);
  const after = anonymousMegabytes(pid);
  for (const session of sessions) session.destroy();
  return ((after - before) * 1024) / CONNECTIONS;
}

/** Opens a stream for a GET. */
function openStream(session: ClientHttp2Session, path: string) {
  const stream = session.request({ ':path': path, authorization: `Bearer ${TOKEN}` });
  // Reported when the session is destroyed.
  return stream.on('error', () => undefined);
}
