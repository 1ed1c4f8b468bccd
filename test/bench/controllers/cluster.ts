/**
 * The waits of a client while a whole cluster is busy: short reads on a kept connection, and on a new connection each,
 * beside a load of another process (cluster-load.ts). Measures any server, so that two can be compared on one machine.
 */
import { fork } from 'node:child_process';
import path from 'node:path';
import { findEtcd } from '../../support/external/etcd';
import { cpuSeconds } from '../../support/process-usage';
import { withEtcd, withServer } from '../harness/bench-server';
import { startReadLoop } from '../harness/read-loop';
import { numberOption, textOption, TOKEN } from '../harness/settings';
import { formatQuantiles } from '../harness/statistics';
import type { ClusterLoad, LoadMessage } from './cluster-load';

/** The time between a response and the next read, over one kept connection and over a new connection for each read. */
const KEPT_CONNECTION_PAUSE_MS = 25;
const NEW_CONNECTION_PAUSE_MS = 200;

/** On etcd when it is installed, because its client shares the event loop with all requests; or on `--server`. */
export async function cluster(): Promise<void> {
  const load = { nodes: numberOption('nodes', 200), pods: numberOption('pods', 5000), creators: 50 };
  const origin = textOption('server');
  if (origin !== undefined) {
    await printWaits({ ...load, origin, token: textOption('token') ?? '', domain: textOption('domain') ?? 'k8s.io' });
    return;
  }
  await withEtcd(findEtcd() !== undefined, (etcdServers) =>
    withServer(
      ({ client, pid }) => printWaits({ ...load, origin: `https://127.0.0.1:${client.port}`, token: TOKEN, domain: 'platform.io' }, pid),
      { etcdServers },
    ),
  );
}

/** Reads until all Pods of the load run. Rejects with the first failure of the load. `pid`: the server, if it is ours. */
async function printWaits(load: ClusterLoad, pid?: number): Promise<void> {
  const cpuBefore = pid === undefined ? 0 : cpuSeconds(pid);
  const child = fork(path.join(__dirname, 'cluster-load.js'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const waitForMessage = (member: keyof LoadMessage): Promise<void> =>
    new Promise((resolve, reject) => {
      child.on('message', (message: LoadMessage) => {
        if (message.failed !== undefined) reject(new Error(message.failed));
        else if (message[member] === true) resolve();
      });
    });
  let rewatched = 0;
  child.on('message', (message: LoadMessage) => {
    if (message.rewatched === true) rewatched += 1;
  });
  const moving = waitForMessage('moving');
  child.send(load);
  await moving;
  const done = waitForMessage('done');
  const startedAt = performance.now();
  const keptConnection = startReadLoop(load, KEPT_CONNECTION_PAUSE_MS);
  const newConnections = startReadLoop(load, NEW_CONNECTION_PAUSE_MS, { keepAlive: false, maxCachedSessions: 0 });
  await done;
  const seconds = (performance.now() - startedAt) / 1000;
  const readers = [
    { name: 'GET on a kept connection', waits: await keptConnection.stop() },
    { name: 'GET on a new connection', waits: await newConnections.stop() },
  ];
  child.kill();
  const used = pid === undefined ? '' : `, ${(cpuSeconds(pid) - cpuBefore).toFixed(1)} s of the server's CPU`;
  console.log(
    `\n${load.pods} Pods on ${load.nodes} nodes: ${seconds.toFixed(1)} s until all run${used}, ${rewatched} watches were cut off`,
  );
  for (const { name, waits } of readers)
    console.log(`${name.padEnd(46)} p50 / p90 / p99 / p100 ${formatQuantiles(waits, [0.5, 0.9, 0.99, 1])} ms (${waits.length})`);
}
