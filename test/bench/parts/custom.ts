/** Custom kinds and their objects, and what is kept of all objects elsewhere. */
import path from 'node:path';
import { startEtcd } from '../../support/etcd';
import { removeFolder, temporaryFolder } from '../../support/programs';
import { backupCost, type ServerState } from '../backups';
import { conversionWaits } from '../conversions';
import { customCosts } from '../custom';
import { definitionCosts } from '../definitions';
import { watched } from '../loop-delay';
import { Probe } from '../probe';
import { option, seconds, stores, TOKEN } from '../settings';
import { besideServer, fill, row, start } from '../stage';

const CONVERSION_ROUNDS = 5;

export const definitions = (): Promise<void> => definitionCosts(option('definitions', 450), stores);

export async function custom(): Promise<void> {
  await besideServer(async ({ client, pid }) => {
    const { ruled, free, plain, validationMicros } = await customCosts(client, pid, seconds);
    console.log('\nby 16 clients at a time, on the embedded store');
    row('create, a ConfigMap', plain);
    row('create, any object', free, 'ConfigMap', plain.cpuMicros);
    row('create, 30 members and three rules', ruled, 'any object', free.cpuMicros);
    row('  of it on the event loop', { cpuMicros: ruled.loopMicros });
    row('schema and rules alone', { cpuMicros: validationMicros });
    console.log(
      `  ${(1e6 / ruled.cpuMicros).toFixed(0)} creations a second of one core, ${(1e6 / validationMicros).toFixed(0)} validations`,
    );
  });
}

export async function conversions(): Promise<void> {
  const count = option('converted', 10_000);
  const ms = (time: number): string => `${time.toFixed(0)} ms`;
  console.log(`\na list of ${count} custom objects, converted by a webhook`);
  await besideServer(async ({ client, pid }) => {
    const probe = await Probe.start(client.port, TOKEN, '/api/v1/namespaces/default');
    for await (const found of conversionWaits({ client, probe, pid }, count, CONVERSION_ROUNDS)) {
      const { plainMs, webhookMs, listMs, againMs, calls, cpuMs, webhookCpuMs, longestMs } = found;
      const ratio = `${(listMs / webhookMs).toFixed(2)} × the webhook alone (${ms(webhookMs)}), ${calls} calls`;
      const work = `${ms(cpuMs)} of a processor, the webhook ${ms(webhookCpuMs)}`;
      const others = `again ${ms(againMs)}, stored version ${ms(plainMs)}, another client ${ms(longestMs)}`;
      console.log(`${ms(listMs).padStart(9)}  ${ratio}; ${work}; ${others}`);
    }
    probe.stop();
  });
}

export async function backups(): Promise<void> {
  for (const kind of stores) await backup(kind, option('objects', 100_000));
}

async function backup(kind: string, count: number): Promise<void> {
  const folder = temporaryFolder('bench');
  const etcd = kind === 'etcd' ? await startEtcd() : undefined;
  const { server, client } = await watched(() => start(folder, etcd?.endpoint));
  try {
    await fill(client, server.process.pid, 'big', count, 1200);
    const {
      seconds: took,
      bytes,
      ownMegabytes,
      server: loaded,
      idle,
    } = await backupCost({
      server,
      port: client.port,
      token: TOKEN,
      object: '/api/v1/namespaces/big/configmaps/o-7',
      flags: [etcd === undefined ? `--storage-dir=${path.join(folder, 'store')}` : `--etcd-servers=${etcd.endpoint}`],
      folder,
    });
    console.log(
      `\nbackup of ${count} objects of 1.5 KB in ${kind}: ${took.toFixed(1)} s, ${(bytes / 1e6).toFixed(0)} MB, itself at most ${ownMegabytes.toFixed(0)} MB`,
    );
    const told = ({ megabytes, longestDelayMs, waits }: ServerState): string =>
      `${megabytes.toFixed(0)} MB, event loop held up ${longestDelayMs.toFixed(0)} ms at most, ` +
      `another client p50 / p99 / p100 ${[waits.medianMs, waits.p99Ms, waits.longestMs].map((ms) => ms.toFixed(1)).join(' / ')} ms`;
    console.log(`  the server meanwhile: ${told(loaded)}`);
    console.log(`  as long without:      ${told(idle)}`);
  } finally {
    client.close();
    await server.process.stop();
    await etcd?.dispose();
    removeFolder(folder);
  }
}
