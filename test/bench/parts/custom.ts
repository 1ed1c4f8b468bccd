/** Parts of the benchmark about custom kinds, their objects, and backups. */
import path from 'node:path';
import { startEtcd } from '../../support/external/etcd';
import { removeFolder, temporaryFolder } from '../../support/programs';
import { measureBackup, type ServerState } from '../backups';
import { measureConversions } from '../conversions';
import { measureCustomResources } from '../custom-costs';
import { measureDefinitions } from '../definitions';
import { withLoopDelay } from '../harness/loop-delay';
import { Probe } from '../harness/probe';
import { numberOption, seconds, stores, TOKEN } from '../harness/settings';
import { withServer, createConfigMaps, printRow, startServer } from '../harness/bench-server';

const CONVERSION_ROUNDS = 5;

export const definitions = (): Promise<void> => measureDefinitions(numberOption('definitions', 450), stores);

/** Creations of custom objects with and without a schema, beside ConfigMaps. */
export async function custom(): Promise<void> {
  await withServer(async ({ client, pid }) => {
    const { withRules, schemaless, configMaps, validationMicros } = await measureCustomResources({ client, pid }, seconds);
    console.log('\nby 16 clients at a time, on the embedded store');
    printRow('create, a ConfigMap', configMaps);
    printRow('create, any object', schemaless, { name: 'ConfigMap', ...configMaps });
    printRow('create, 30 members and three rules', withRules, { name: 'any object', ...schemaless });
    printRow('  of it on the event loop', { cpuMicros: withRules.loopMicros });
    printRow('schema and rules alone', { cpuMicros: validationMicros });
    console.log(
      `  ${(1e6 / withRules.cpuMicros).toFixed(0)} creations a second of one core, ${(1e6 / validationMicros).toFixed(0)} validations`,
    );
  });
}

/** A list of `--converted` custom objects that a webhook converts, and waits of another client meanwhile. */
export async function conversions(): Promise<void> {
  const count = numberOption('converted', 10_000);
  const ms = (time: number): string => `${time.toFixed(0)} ms`;
  console.log(`\na list of ${count} custom objects, converted by a webhook`);
  await withServer(async ({ client, pid }) => {
    const probe = await Probe.start({ port: client.port, token: TOKEN, path: '/api/v1/namespaces/default' });
    for await (const costs of measureConversions({ client, probe, pid }, { count, rounds: CONVERSION_ROUNDS })) {
      const { plainMs, webhookMs, listMs, againMs, calls, cpuMs, webhookCpuMs, longestMs } = costs;
      const ratio = `${(listMs / webhookMs).toFixed(2)} × the webhook alone (${ms(webhookMs)}), ${calls} calls`;
      const work = `${ms(cpuMs)} of a processor, the webhook ${ms(webhookCpuMs)}`;
      const others = `again ${ms(againMs)}, stored version ${ms(plainMs)}, another client ${ms(longestMs)}`;
      console.log(`${ms(listMs).padStart(9)}  ${ratio}; ${work}; ${others}`);
    }
    probe.stop();
  });
}

/** A backup of a server with `--objects` objects, on each store. */
export async function backups(): Promise<void> {
  for (const kind of stores) await backup(kind, numberOption('objects', 100_000));
}

async function backup(kind: string, count: number): Promise<void> {
  const folder = temporaryFolder('bench');
  const etcd = kind === 'etcd' ? await startEtcd() : undefined;
  const { server, client } = await withLoopDelay(() => startServer(folder, { etcdServers: etcd?.endpoint }));
  try {
    await createConfigMaps({ client, pid: server.process.pid }, { namespace: 'big', count, size: 1200 });
    const {
      seconds: took,
      bytes,
      ownMegabytes,
      server: loaded,
      idle,
    } = await measureBackup({
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
    const formatState = ({ megabytes, longestDelayMs, waits }: ServerState): string =>
      `${megabytes.toFixed(0)} MB, event loop held up ${longestDelayMs.toFixed(0)} ms at most, ` +
      `another client p50 / p99 / p100 ${[waits.medianMs, waits.p99Ms, waits.longestMs].map((ms) => ms.toFixed(1)).join(' / ')} ms`;
    console.log(`  the server meanwhile: ${formatState(loaded)}`);
    console.log(`  as long without:      ${formatState(idle)}`);
  } finally {
    client.close();
    await server.process.stop();
    await etcd?.dispose();
    removeFolder(folder);
  }
}
