/**
 * Real programs of Prometheus for tests: `PROMETHEUS_BIN`, `PROMTOOL_BIN` and `AMTOOL_BIN`, or on PATH. Tests that need
 * a missing one are reported as skipped.
 */
import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './find-program';
import { freePorts } from '../ports';
import { ProgramProcess, waitUntil } from '../programs';
import { reportSkipped } from '../report-skipped';

const VARIABLES = { prometheus: 'PROMETHEUS_BIN', promtool: 'PROMTOOL_BIN', amtool: 'AMTOOL_BIN' } as const;
type Program = keyof typeof VARIABLES;

/** `describe` where the program exists; `body` receives its path. */
export function describeWithProgram(program: Program, name: string, body: (path: string) => void): void {
  const path = findProgram(program, VARIABLES[program]);
  if (path === undefined) reportSkipped(name, `no ${program} in ${VARIABLES[program]} or on PATH`);
  else describe(name, () => body(path));
}

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
  const [port = 0] = await freePorts(1);
  const file = join(folder, 'prometheus.yml');
  writeFileSync(file, JSON.stringify(configuration));
  const flags = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=127.0.0.1:${port}`];
  const program = new ProgramProcess(spawn(path, flags, { stdio: ['ignore', 'pipe', 'pipe'] }));
  const address = `http://127.0.0.1:${port}`;
  await waitUntil('Prometheus to be ready', async () => {
    if (!program.isRunning) throw new Error(`Prometheus ended before it was ready:\n${program.output}`);
    return fetch(`${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return { address, stop: () => program.stop() };
}

/** The number of series that the expression has now. Throws when it is not an instant vector. */
export async function countSeries({ address }: PrometheusServer, expression: string): Promise<number> {
  const reply = await fetch(`${address}/api/v1/query`, { method: 'POST', body: new URLSearchParams({ query: expression }) });
  const document: unknown = await reply.json();
  if (!reply.ok) throw new Error(`${expression}: ${JSON.stringify(document)}`);
  const data: unknown = isRecord(document) ? document['data'] : undefined;
  const result: unknown = isRecord(data) ? data['result'] : undefined;
  if (!Array.isArray(result)) throw new Error(`${expression}: ${JSON.stringify(document)}`);
  return result.length;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
