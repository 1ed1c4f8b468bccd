/** Parts of the benchmark about controllers with many objects: their speed and cost. */
import { startControllers } from '../../support/control-plane';
import { findEtcd, startEtcd } from '../../support/external/etcd';
import { BenchClient } from '../harness/client';
import { measureClusterWaits } from '../harness/cluster-waits';
import { quantile } from '../harness/statistics';
import { pause } from '../harness/timing';
import type { ClusterLoad } from '../harness/cluster-load';
import { measureEvictions } from '../evictions';
import { measureCollections, createFamilies, type CollectionTimes } from '../garbage';
import { anonymousMegabytes, cpuSeconds } from '../../support/process-usage';
import { numberOption, textOption, TOKEN } from '../harness/settings';
import { measureRollingReplacement } from '../slices';
import { withControllers, withServer } from '../harness/bench-server';
import { measureWorkload, type NodeCosts } from '../workloads';

/** On etcd when it is installed: its client shares the event loop with all requests. */
export async function cluster(): Promise<void> {
  const load = { nodes: numberOption('nodes', 200), pods: numberOption('pods', 5000), creators: 50 };
  const origin = textOption('server');
  if (origin !== undefined) {
    await printWaits({ ...load, origin, token: textOption('token') ?? '', domain: textOption('domain') ?? 'k8s.io' });
    return;
  }
  const etcd = findEtcd() === undefined ? undefined : await startEtcd();
  try {
    await withServer(
      ({ client, pid }) => printWaits({ ...load, origin: `https://127.0.0.1:${client.port}`, token: TOKEN, domain: 'platform.io' }, pid),
      { etcdServers: etcd?.endpoint },
    );
  } finally {
    await etcd?.dispose();
  }
}

async function printWaits(load: ClusterLoad, pid?: number): Promise<void> {
  const before = pid === undefined ? 0 : cpuSeconds(pid);
  const { kept, fresh, rewatched, seconds: took } = await measureClusterWaits(load);
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

export const evictions = (): Promise<void> => withControllers((client, pid) => printEvictions(client, numberOption('evictions', 100), pid));

async function printEvictions(client: BenchClient, count: number, pid?: number): Promise<void> {
  const { seconds: took, waits, rejected } = await measureEvictions(client, count);
  const used = pid === undefined ? '' : `, ${cpuSeconds(pid).toFixed(1)} s of the controllers' CPU from their start`;
  console.log(`\n${count} evictions one after the other: ${took.toFixed(1)} s${used}, ${rejected} attempts too early`);
  const parts = [0.5, 0.9, 0.99, 1].map((part) => quantile(waits, part).toFixed(0)).join(' / ');
  console.log(`${'until a pod is let go'.padEnd(46)} p50 / p90 / p99 / p100 ${parts} ms`);
}

/** Rolling replacements of the pods of a Service: writes of slices, and when they have converged. */
export async function slices(): Promise<void> {
  await withControllers(async (client, pid) => {
    for (const batch of [1, 100]) {
      const {
        writes,
        seconds: took,
        convergedMs,
        slices: left,
      } = await measureRollingReplacement(client, { count: numberOption('pods', 5_000), batch });
      const memory =
        pid === undefined ? '' : `, ${anonymousMegabytes(pid).toFixed(0)} MB and ${cpuSeconds(pid).toFixed(1)} s of CPU of the controllers`;
      console.log(
        `${`pods replaced, ${batch} at a time`.padEnd(46)} ${took.toFixed(1)} s, right ${convergedMs.toFixed(0)} ms later: ${writes} writes of slices, ${left} left${memory}`,
      );
    }
  });
}

/** Time until all controllers have started and lead. Milliseconds. */
const STARTUP_MS = 15_000;

export const idle = (): Promise<void> =>
  withControllers(async (_, pid = numberOption('pid', process.pid)) => {
    const idleSeconds = numberOption('idle', 60);
    await pause(STARTUP_MS);
    const [before, began] = [cpuSeconds(pid), performance.now()];
    await pause(idleSeconds * 1000);
    const share = (((cpuSeconds(pid) - before) * 100_000) / (performance.now() - began)).toFixed(2);
    console.log(`\n${'all controllers, nothing to do'.padEnd(46)} ${share} % of a core, ${anonymousMegabytes(pid).toFixed(0)} MB`);
  });

export const workloads = (): Promise<void> =>
  withControllers(async (client, pid = numberOption('pid', process.pid)) => {
    const pods = numberOption('pods', 5_000);
    const workload = { pods, nodes: numberOption('nodes', 0), idleSeconds: numberOption('idle', 60) };
    const { seconds: took, requests, cpu, megabytes, nodes, idle } = await measureWorkload(client, pid, workload);
    const count = [...requests.values()].reduce((sum, requestCount) => sum + requestCount, 0);
    const mostFrequent = [...requests].slice(0, 6).map(([request, requestCount]) => `${requestCount} ${request}`);
    console.log(
      `\n${pods} pods of one Deployment: ${took.toFixed(1)} s, ${(count / pods).toFixed(2)} requests a pod (${mostFrequent.join(', ')})`,
    );
    console.log(`${"the controllers' process".padEnd(46)} ${cpu.toFixed(1)} s of CPU, ${megabytes.toFixed(0)} MB`);
    if (nodes !== undefined) printNodeCosts(workload.nodes, nodes);
    const share = ((idle.cpu / idle.seconds) * 100).toFixed(2);
    const change = nodes === undefined ? 'without a change' : 'while only Leases are renewed';
    console.log(
      `${change.padEnd(46)} ${share} % of a core, ${idle.megabytes.toFixed(0)} MB, ${idle.requests} requests in ${idle.seconds} s`,
    );
  });

function printNodeCosts(count: number, { readySeconds, readyCpu, bindingSeconds, bindingCpu, unready }: NodeCosts): void {
  const until = `until ${count} new nodes were untainted`.padEnd(46);
  console.log(`${until} ${readySeconds.toFixed(1)} s, ${readyCpu.toFixed(1)} s of CPU`);
  console.log(`${'while the pods were bound'.padEnd(46)} ${bindingSeconds.toFixed(1)} s, ${bindingCpu.toFixed(1)} s of CPU`);
  if (unready > 0) console.log(`${unready} nodes were not ready in the end: their Leases were renewed too late`);
}

/**
 * Deletions by the garbage collector, and its memory with `--objects` objects. `--server` measures a running cluster
 * instead.
 */
export async function garbage(): Promise<void> {
  const printTimes = ({ name, seconds: took }: CollectionTimes): void => console.log(`${name.padEnd(46)} ${took.toFixed(1).padStart(7)} s`);
  const origin = textOption('server');
  if (origin !== undefined) {
    const client = new BenchClient(Number(new URL(origin).port), textOption('token') ?? '');
    await measureCollections(client, printTimes);
    client.close();
    return;
  }
  const count = numberOption('objects', 100_000);
  await withServer(async ({ client, server }) => {
    let controllers = startControllers(server);
    await measureCollections(client, printTimes);
    await controllers.stop();
    await createFamilies(client, 'families', count);
    for (const choice of ['-*,garbage-collector', '*']) {
      controllers = startControllers(server, `--controllers=${choice}`);
      const { pid } = controllers;
      while (!controllers.output.includes('the dependency graph is built')) await pause(200);
      const [cpu, before] = [cpuSeconds(pid), anonymousMegabytes(pid)];
      let peak = before;
      for (let second = 0; second < 60; second += 1) {
        await pause(1000);
        peak = Math.max(peak, anonymousMegabytes(pid));
      }
      const now = anonymousMegabytes(pid);
      console.log(
        `${count} objects under --controllers=${choice}: known after ${cpu.toFixed(1)} s of CPU, ${before.toFixed(0)} MB, ` +
          `at most ${peak.toFixed(0)} MB, a minute later ${now.toFixed(0)} MB`,
      );
      await controllers.stop();
    }
  });
}
