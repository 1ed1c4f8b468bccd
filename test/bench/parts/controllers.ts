/** What controllers do with many objects, how soon, and what they cost. */
import { startControllers } from '../../support/control-plane';
import { findEtcd, startEtcd } from '../../support/etcd';
import { BenchClient } from '../client';
import { clusterWaits, quantile } from '../cluster';
import type { ClusterLoad } from '../cluster-load';
import { evictAll } from '../evictions';
import { collectionTimes, families, type CollectionTimes } from '../garbage';
import { anonymousMegabytes, cpuSeconds } from '../measure';
import { option, text, TOKEN } from '../settings';
import { rollPods } from '../slices';
import { besideControllers, besideServer } from '../stage';
import { workloadCosts } from '../workloads';

/** On etcd when there is one: its client shares the event loop with everyone else. */
export async function cluster(): Promise<void> {
  const load = { nodes: option('nodes', 200), pods: option('pods', 5000), creators: 50 };
  const origin = text('server');
  if (origin !== undefined) {
    await printWaits({ ...load, origin, token: text('token') ?? '', domain: text('domain') ?? 'k8s.io' });
    return;
  }
  const etcd = findEtcd() === undefined ? undefined : await startEtcd();
  try {
    await besideServer(
      ({ client, pid }) => printWaits({ ...load, origin: `https://127.0.0.1:${client.port}`, token: TOKEN, domain: 'platform.io' }, pid),
      { etcdServers: etcd?.endpoint },
    );
  } finally {
    await etcd?.dispose();
  }
}

async function printWaits(load: ClusterLoad, pid?: number): Promise<void> {
  const before = pid === undefined ? 0 : cpuSeconds(pid);
  const { kept, fresh, rewatched, seconds: took } = await clusterWaits(load);
  const used = pid === undefined ? '' : `, ${(cpuSeconds(pid) - before).toFixed(1)} s of the server's CPU`;
  console.log(`\n${load.pods} Pods on ${load.nodes} nodes: ${took.toFixed(1)} s until all run${used}, ${rewatched} watches were cut off`);
  for (const [name, waits] of [
    ['GET on a kept connection', kept],
    ['GET on a new connection', fresh],
  ] as const) {
    const parts = [0.5, 0.9, 0.99, 1].map((part) => quantile(waits, part).toFixed(0)).join(' / ');
    console.log(`${name.padEnd(46)} p50 / p90 / p99 / p100 ${parts} ms (${waits.length})`);
  }
}

export const evictions = (): Promise<void> => besideControllers((client, pid) => printEvictions(client, option('evictions', 100), pid));

async function printEvictions(client: BenchClient, count: number, pid?: number): Promise<void> {
  const { seconds: took, waits, refused } = await evictAll(client, count);
  const used = pid === undefined ? '' : `, ${cpuSeconds(pid).toFixed(1)} s of the controllers' CPU from their start`;
  console.log(`\n${count} evictions one after the other: ${took.toFixed(1)} s${used}, ${refused} attempts too early`);
  const parts = [0.5, 0.9, 0.99, 1].map((part) => quantile(waits, part).toFixed(0)).join(' / ');
  console.log(`${'until a pod is let go'.padEnd(46)} p50 / p90 / p99 / p100 ${parts} ms`);
}

export async function slices(): Promise<void> {
  await besideControllers(async (client, pid) => {
    for (const batch of [1, 100]) {
      const { writes, seconds: took, settledMs, slices: left } = await rollPods(client, option('pods', 5_000), batch);
      const memory =
        pid === undefined ? '' : `, ${anonymousMegabytes(pid).toFixed(0)} MB and ${cpuSeconds(pid).toFixed(1)} s of CPU of the controllers`;
      console.log(
        `${`pods replaced, ${batch} at a time`.padEnd(46)} ${took.toFixed(1)} s, right ${settledMs.toFixed(0)} ms later: ${writes} writes of slices, ${left} left${memory}`,
      );
    }
  });
}

/** Until all have begun and lead. Milliseconds. */
const BEGUN_MS = 15_000;

export const idle = (): Promise<void> =>
  besideControllers(async (_, pid = option('pid', process.pid)) => {
    const wanted = option('idle', 60);
    await new Promise((resolve) => setTimeout(resolve, BEGUN_MS));
    const [before, began] = [cpuSeconds(pid), performance.now()];
    await new Promise((resolve) => setTimeout(resolve, wanted * 1000));
    const share = (((cpuSeconds(pid) - before) * 100_000) / (performance.now() - began)).toFixed(2);
    console.log(`\n${'all controllers, nothing to do'.padEnd(46)} ${share} % of a core, ${anonymousMegabytes(pid).toFixed(0)} MB`);
  });

export const workloads = (): Promise<void> =>
  besideControllers(async (client, pid = option('pid', process.pid)) => {
    const pods = option('pods', 5_000);
    const { seconds: took, requests, cpu, megabytes, idle } = await workloadCosts(client, pid, pods, option('idle', 60));
    const count = [...requests.values()].reduce((sum, one) => sum + one, 0);
    const told = [...requests].slice(0, 6).map(([what, one]) => `${one} ${what}`);
    console.log(`\n${pods} pods of one Deployment: ${took.toFixed(1)} s, ${(count / pods).toFixed(2)} requests a pod (${told.join(', ')})`);
    console.log(`${"the controllers' process".padEnd(46)} ${cpu.toFixed(1)} s of CPU, ${megabytes.toFixed(0)} MB`);
    const share = ((idle.cpu / idle.seconds) * 100).toFixed(2);
    console.log(
      `${'without a change'.padEnd(46)} ${share} % of a core, ${idle.megabytes.toFixed(0)} MB, ${idle.requests} requests in ${idle.seconds} s`,
    );
  });

export async function garbage(): Promise<void> {
  const tell = ({ name, seconds: took }: CollectionTimes): void => console.log(`${name.padEnd(46)} ${took.toFixed(1).padStart(7)} s`);
  const origin = text('server');
  if (origin !== undefined) {
    const client = new BenchClient(Number(new URL(origin).port), text('token') ?? '');
    await collectionTimes(client, tell);
    client.close();
    return;
  }
  const count = option('objects', 100_000);
  await besideServer(async ({ client, server }) => {
    let controllers = startControllers(server);
    await collectionTimes(client, tell);
    await controllers.stop();
    await families(client, 'families', count);
    for (const choice of ['-*,garbage-collector', '*']) {
      controllers = startControllers(server, `--controllers=${choice}`);
      const { pid } = controllers;
      while (!controllers.output.includes('the graph of owners is known')) await new Promise((resolve) => setTimeout(resolve, 200));
      const [cpu, before] = [cpuSeconds(pid), anonymousMegabytes(pid)];
      let most = before;
      for (let second = 0; second < 60; second += 1) {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        most = Math.max(most, anonymousMegabytes(pid));
      }
      const now = anonymousMegabytes(pid);
      console.log(
        `${count} objects under --controllers=${choice}: known after ${cpu.toFixed(1)} s of CPU, ${before.toFixed(0)} MB, ` +
          `at most ${most.toFixed(0)} MB, a minute later ${now.toFixed(0)} MB`,
      );
      await controllers.stop();
    }
  });
}
