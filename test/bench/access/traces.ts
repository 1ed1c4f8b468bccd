/** What a get costs without tracing, with one traced request in a hundred and with all traced, in alternation. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { startTraceReceiver } from '../../support/servers/trace-receiver';
import { printRow, withServers } from '../harness/bench-server';
import { seconds } from '../harness/settings';
import { measureGet, prepareAccess } from './readers';

/** Repetitions of each comparison: the load of a machine varies. */
const ROUNDS = 3;

/** The servers export their spans to a receiver in this process, so that its CPU is not counted. */
export async function traces(): Promise<void> {
  console.log();
  const receiver = await startTraceReceiver();
  const tracedPerMillion = (rate: number) => ({
    prepare: (folder: string) => [`--tracing-config-file=${writeTracingFile(folder, { port: receiver.port, rate })}`],
  });
  await withServers([{}, tracedPerMillion(10_000), tracedPerMillion(1_000_000)], async (servers) => {
    const [untraced, sampled, traced] = servers;
    if (untraced === undefined || sampled === undefined || traced === undefined) return;
    for (const server of servers) await prepareAccess(server);
    for (let round = 0; round < ROUNDS; round += 1) {
      const floor = await measureGet(untraced, seconds);
      printRow('get without traces', floor);
      printRow('get, one in a hundred is traced', await measureGet(sampled, seconds), { name: 'without', ...floor });
      printRow('get, each is traced', await measureGet(traced, seconds), { name: 'without', ...floor });
    }
  });
  await receiver.close();
}

/** Writes a tracing configuration that samples `rate` of a million requests and exports to this port. */
function writeTracingFile(folder: string, { port, rate }: { readonly port: number; readonly rate: number }): string {
  const file = path.join(folder, 'tracing.yaml');
  const endpoint = `endpoint: 127.0.0.1:${port}\nsamplingRatePerMillion: ${rate}\n`;
  writeFileSync(file, `apiVersion: apiserver.config.platform.io/v1beta1\nkind: TracingConfiguration\n${endpoint}`);
  return file;
}
