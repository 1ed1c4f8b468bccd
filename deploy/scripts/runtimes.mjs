/**
 * `npm run test:runtimes`: tests what depends on Node on each supported release: stores with native code, HTTP/1.1 and
 * HTTP/2, TLS, threads, the programs, and an embedded control plane. Each Node is an npm package, kept in
 * node_modules/.cache. Arguments select releases: `npm run test:runtimes -- 24`; `--bench` runs a part of the
 * benchmark on each release instead and prints one table (`--bench=reads`, `--seconds=2`).
 */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { ensureBuilt, ensureInstalled } from './install-and-build.mjs';
import { capture, npmCommand, run } from './programs.mjs';
import { root } from './repository.mjs';

const RELEASES = { 20: '20.20.2', 22: '22.23.5', 24: '24.22.3' };
/** A row of the benchmark's output: the padded name and its time. */
const BENCH_NAME_WIDTH = 46;
const BENCH_ROW = new RegExp(String.raw`^(.{${BENCH_NAME_WIDTH}}) +([\d.]+) µs`, 'gm');
const TEST_PATTERNS = [
  'apiserver/storage/contract/embedded',
  'apiserver/storage/contract/etcd',
  'test/integration/sources',
  'test/integration/http/(requests|request-limits|watch|http2-streams|custom-resource-definitions|auth-webhooks)[.]',
  'test/integration/controllers/deployments',
  'test/reliability/crash',
  'test/e2e/(embedded|npm-start|kubectl|client-node)[.]test',
  'shared/(runtime|client|serialization)/',
];

// `parseArgs` has no options with an optional value: `--bench` alone stands for `--bench=flow`.
const { values: options, positionals: requestedMajors } = parseArgs({
  args: process.argv.slice(2).map((word) => (word === '--bench' ? '--bench=flow' : word)),
  options: { bench: { type: 'string' }, seconds: { type: 'string', default: '2' } },
  allowPositionals: true,
});
await ensureInstalled();
await ensureBuilt('all');
const selectedReleases = Object.entries(RELEASES).filter(([major]) => requestedMajors.length === 0 || requestedMajors.includes(major));
const failed = options.bench === undefined ? await test() : await bench(options.bench, options.seconds);
process.exitCode = failed.length === 0 ? 0 : 1;

/** The releases with failures. */
async function test() {
  const failed = [];
  for (const [, version] of selectedReleases) {
    const node = await nodeOf(version);
    process.stdout.write(`\n> Node ${version}\n`);
    const code = node === undefined ? 1 : await run(node, [path.join(root, 'node_modules/jest/bin/jest.js'), ...TEST_PATTERNS]);
    if (code !== 0) failed.push(version);
  }
  process.stdout.write(failed.length === 0 ? '\nall releases passed\n' : `\nfailed on Node ${failed.join(', ')}\n`);
  return failed;
}

/** Runs twice in alternation, because the machine's load varies; the minimum of each row counts. */
async function bench(part, seconds) {
  /** Name of a benchmark → release → its smallest time. */
  const smallest = new Map();
  const failed = new Set();
  for (let round = 0; round < 2; round += 1) {
    for (const [major, version] of selectedReleases) {
      const node = await nodeOf(version);
      const words = ['dist/test/bench/main.js', `--parts=${part}`, `--seconds=${seconds}`];
      const { code, output } = node === undefined ? { code: 1, output: '' } : await capture(node, words);
      if (code !== 0) {
        failed.add(version);
        process.stderr.write(output);
        continue;
      }
      for (const [, name = '', micros] of output.matchAll(BENCH_ROW)) {
        const row = smallest.get(name) ?? {};
        row[major] = Math.min(row[major] ?? Infinity, Number(micros));
        smallest.set(name, row);
      }
    }
  }
  printBench(smallest);
  if (failed.size > 0) process.stdout.write(`failed on Node ${[...failed].join(', ')}\n`);
  return [...failed];
}

function printBench(rows) {
  const cells = (texts) => texts.map((text) => text.padStart(10)).join('');
  process.stdout.write(`${'µs of CPU time on Node'.padEnd(BENCH_NAME_WIDTH)}${cells(selectedReleases.map(([major]) => major))}\n`);
  for (const [name, row] of rows) {
    process.stdout.write(`${name}${cells(selectedReleases.map(([major]) => row[major]?.toFixed(1) ?? '-'))}\n`);
  }
}

/** Path of the executable; undefined when it is unavailable. */
async function nodeOf(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = path.join(root, 'node_modules/.cache/runtimes', version);
  const file = path.join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  const order = [
    'install',
    '--ignore-scripts',
    '--no-save',
    '--no-package-lock',
    '--no-audit',
    '--no-fund',
    '--prefix',
    folder,
    `${name}@${version}`,
  ];
  const code = await run(...npmCommand(order));
  if (code === 0 && existsSync(file)) return file;
  process.stderr.write(`Node ${version} cannot be installed as ${name}\n`);
  return undefined;
}
