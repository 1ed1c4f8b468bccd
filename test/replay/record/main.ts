/**
 * `npm run record -- core/configmaps.v1 workloads --server=KUBECONFIG`: sends the requests of recordings, or of all
 * recordings of an area, to a kube-apiserver and replaces the recorded responses. See test/replay/README.md.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { errorMessage } from '../../../shared/runtime/error-message';
import { repository } from '../../support/repository';
import { RECORDINGS_FOLDER, readRecording, listRecordings, writeRecording } from '../recording';
import { membersOf, textOf } from '../json-response';
import { anything } from '../shape';
import { DRIVERS } from './drivers';
import { ReferenceServer } from './reference-server';

const USAGE = 'usage: npm run record -- RECORDING|AREA|FILE... --server=KUBECONFIG';

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { server: { type: 'string' } } });
  if (positionals.length === 0 || values.server === undefined) throw new Error(USAGE);
  const recordings = positionals.flatMap(findRecordings);
  const server = ReferenceServer.fromKubeconfig(values.server);
  try {
    for (const recording of recordings) await record(recording, server);
  } finally {
    server.close();
  }
}

/** An argument is a file below the folder of recordings, the name of a recording, or an area. */
function findRecordings(argument: string): readonly string[] {
  const [, name = argument] = /(?:^|\/)answers\/(.+)$/.exec(argument) ?? [];
  const isArea = statSync(path.join(repository, RECORDINGS_FOLDER, name), { throwIfNoEntry: false })?.isDirectory() === true;
  return isArea ? listRecordings(name) : [name.replace(/\.jsonl$/, '')];
}

/** Replaces a recording with the lines that the driver of its format returns. */
async function record(recording: string, server: ReferenceServer): Promise<void> {
  const { head } = readRecording(recording, anything, anything);
  const { format, serverFlags } = membersOf(head);
  const driver = DRIVERS.get(textOf(format));
  if (driver === undefined)
    throw new Error(`${recording} has none of the formats that are recorded here: ${[...DRIVERS.keys()].join(', ')}`);
  const flags = Array.isArray(serverFlags) && serverFlags.length > 0 ? ` (recorded with ${serverFlags.map(textOf).join(' ')})` : '';
  process.stdout.write(`${recording}${flags}\n`);
  writeRecording(recording, await driver(recording, server));
}

main().catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exitCode = 1;
});
