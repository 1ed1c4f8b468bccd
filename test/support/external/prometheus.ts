/** Runs Prometheus, promtool and amtool for tests, which find them with `describeWithProgram`. */
import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tryParseObject } from '../../../shared/client/rest/json-body';
import { arrayAt, objectAt } from '../../../shared/values/json';
import { freePort } from '../ports';
import { ProgramProcess, waitUntilReady } from '../programs';

const START_MS = 15_000;

/** The output of promtool or amtool. Throws with the output when it finds a problem. */
export function runTool(path: string, args: readonly string[], input = ''): string {
  return execFileSync(path, args, { input, encoding: 'utf8', stdio: 'pipe' });
}

export interface PrometheusServer {
  readonly address: string;
  stop(): Promise<unknown>;
}

/** `configuration` is written as JSON, which is valid YAML; all files are in `folder`. */
export async function startPrometheus(path: string, folder: string, configuration: object): Promise<PrometheusServer> {
  const port = await freePort();
  const file = join(folder, 'prometheus.yml');
  writeFileSync(file, JSON.stringify(configuration));
  const flags = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=127.0.0.1:${port}`];
  const program = new ProgramProcess(spawn(path, flags, { stdio: ['ignore', 'pipe', 'pipe'] }));
  const address = `http://127.0.0.1:${port}`;
  const isReady = (): Promise<boolean> =>
    fetch(`${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await waitUntilReady('Prometheus', program, isReady, START_MS);
  return { address, stop: () => program.stop() };
}

/** The number of series that the expression has now. Throws when it is not an instant vector. */
export async function countSeries({ address }: PrometheusServer, expression: string): Promise<number> {
  const reply = await fetch(`${address}/api/v1/query`, { method: 'POST', body: new URLSearchParams({ query: expression }) });
  const text = await reply.text();
  const result = arrayAt(objectAt(tryParseObject(text), 'data'), 'result');
  if (!reply.ok || result === undefined) throw new Error(`${expression}: ${text}`);
  return result.length;
}
