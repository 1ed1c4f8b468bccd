/**
 * The effect of a backup on the server: memory, event loop delay, and the waits of another client, beside the same
 * without a backup.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { startMigrate } from '../../support/migrate';
import { removeFolder, temporaryFolder, type ApiServer } from '../../support/programs';
import { createConfigMaps, startServer, withEtcd } from '../harness/bench-server';
import { numberOption, stores, TOKEN } from '../harness/settings';
import { longestDelay, withLoopDelay } from '../harness/loop-delay';
import { anonymousMegabytes } from '../../support/process-usage';
import { formatWaits, Probe } from '../harness/probe';
import { pause } from '../harness/timing';

/** How often the memory of the server is read. */
const SAMPLE_MS = 20;
/** The probe reads for so long before the backup begins, so that the server has compiled what serves it. */
const WARM_UP_MS = 2_000;

/** Backs up a server with `--objects` objects, on each store. */
export async function backups(): Promise<void> {
  for (const storeKind of stores) await printBackup(storeKind, numberOption('objects', 100_000));
}

async function printBackup(storeKind: string, count: number): Promise<void> {
  const folder = temporaryFolder('bench');
  await withEtcd(storeKind === 'etcd', async (etcdServers) => {
    const { server, client } = await withLoopDelay(() => startServer(folder, { etcdServers }));
    try {
      await createConfigMaps({ client, pid: server.process.pid }, { namespace: 'big', count, size: 1200 });
      const storeFlag = etcdServers === undefined ? `--storage-dir=${path.join(folder, 'store')}` : `--etcd-servers=${etcdServers}`;
      console.log(`\nbackup of ${count} objects of 1.5 KB in ${storeKind}`);
      await measureBackup(server, client.port, { file: path.join(folder, 'bench.backup'), storeFlag });
    } finally {
      client.close();
      await server.process.stop();
      removeFolder(folder);
    }
  });
}

interface BackupSource {
  /** Where the backup is written. */
  readonly file: string;
  /** The flag of `platform backup` that names the store. */
  readonly storeFlag: string;
}

/** Observes the server during a backup, and then for the same time without one. Rejects when the backup fails. */
async function measureBackup({ process: { pid, child } }: ApiServer, port: number, { file, storeFlag }: BackupSource): Promise<void> {
  const probe = await Probe.start({ port, token: TOKEN, path: '/api/v1/namespaces/big/configmaps/o-7' });
  /** The server's memory, loop delay and the probe's waits, from now until `shouldContinue` returns false. */
  const observe = async (shouldContinue: () => boolean): Promise<string> => {
    await probe.waits();
    await longestDelay(child);
    let megabytes = 0;
    while (shouldContinue()) {
      megabytes = Math.max(megabytes, anonymousMegabytes(pid));
      await pause(SAMPLE_MS);
    }
    const delayMs = await longestDelay(child);
    return `${megabytes.toFixed(0)} MB, event loop held up ${delayMs.toFixed(0)} ms at most, another client ${formatWaits(await probe.waits())}`;
  };
  try {
    await pause(WARM_UP_MS);
    let ownMegabytes = 0;
    const started = performance.now();
    const run = startMigrate(['backup', `--file=${file}`, storeFlag]);
    let elapsedMs: number | undefined;
    void run.ended.then(() => (elapsedMs = performance.now() - started));
    const loaded = await observe(() => {
      ownMegabytes = Math.max(ownMegabytes, ownMemory(run.child.pid ?? 0));
      return elapsedMs === undefined;
    });
    const { code, stderr } = await run.ended;
    if (code !== 0) throw new Error(stderr);
    const until = performance.now() + (elapsedMs ?? 0);
    const idle = await observe(() => performance.now() < until);
    const seconds = ((elapsedMs ?? 0) / 1000).toFixed(1);
    console.log(`  ${seconds} s, ${(statSync(file).size / 1e6).toFixed(0)} MB, itself at most ${ownMegabytes.toFixed(0)} MB`);
    console.log(`  the server meanwhile: ${loaded}`);
    console.log(`  as long without:      ${idle}`);
  } finally {
    probe.stop();
  }
}

/** Megabytes of the process's own memory; 0 when it has exited. */
function ownMemory(pid: number): number {
  try {
    return anonymousMegabytes(pid) || 0;
  } catch {
    return 0;
  }
}
