/** Adds the results of a run to docs/reference/performance.md, with the machine and the commit that were measured. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import path from 'node:path';
import { addRun, PERFORMANCE_PAGE, type PerformanceResults, type PerformanceRun } from '../support/documents/performance-page';
import { findEtcd } from '../support/external/etcd';
import { repository } from '../support/repository';

/** Adds a run with these results to the page. Replaces the oldest run when the page is full. */
export function writeReport(results: PerformanceResults): void {
  const file = path.join(repository, PERFORMANCE_PAGE);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  writeFileSync(file, addRun(before, describeRun(), results));
  console.log(`\nwritten to ${PERFORMANCE_PAGE}`);
}

const GIGABYTE = 2 ** 30;

function describeRun(): PerformanceRun {
  const processors = cpus();
  const etcd = findEtcd();
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: outputOf('git', ['-C', repository, 'rev-parse', '--short=10', 'HEAD']),
    machine: `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}, ${(totalmem() / GIGABYTE).toFixed(0)} GB, load ${loadavg()[1]?.toFixed(0)}`,
    node: process.version,
    etcd: etcd === undefined ? 'none' : (/Version: (\S+)/.exec(outputOf(etcd, ['--version']))?.[1] ?? 'unknown'),
  };
}

const outputOf = (program: string, args: readonly string[]): string => execFileSync(program, args, { encoding: 'utf8' }).trim();
