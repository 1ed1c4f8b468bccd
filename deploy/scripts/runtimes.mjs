/**
 * `npm run test:runtimes`: what depends on Node is tried on each release that is supported: stores with their native parts, HTTP over both protocols, TLS, threads, the
 * programs themselves, and a control plane inside a test. Each Node is a package of npm, kept in node_modules/.cache; no other is needed. Arguments choose releases:
 * `npm run test:runtimes -- 24`; with `--bench` a part of the benchmark runs on each of them instead, and one table says what each costs (`--bench=reads`, `--seconds=2`).
 */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { capture, ensureBuilt, ensureInstalled, root, run } from './steps.mjs';

const RELEASES = { 20: '20.20.2', 22: '22.23.5', 24: '24.22.3' };
const TRIED = [
  'apiserver/storage/contract/embedded',
  'apiserver/storage/contract/etcd',
  'test/integration/sources',
  'test/integration/http/(requests|request-limits|watch|http2-streams|custom-resource-definitions|auth-webhooks)[.]',
  'test/integration/controllers/deployments',
  'test/reliability/crash',
  'test/e2e/(embedded|npm-start|kubectl|client-node)[.]test',
  'shared/(runtime|client|serialization)/',
];

const { values: options, positionals: wanted } = parseArgs({
  args: process.argv.slice(2).map((word) => (word === '--bench' ? '--bench=flow' : word)),
  options: { bench: { type: 'string' }, seconds: { type: 'string', default: '2' } },
  allowPositionals: true,
});
await ensureInstalled();
await ensureBuilt('all');
const chosen = Object.entries(RELEASES).filter(([major]) => wanted.length === 0 || wanted.includes(major));
const failed = options.bench === undefined ? await test() : await bench(options.bench, options.seconds);
process.exitCode = failed.length === 0 ? 0 : 1;

/** The releases on which something failed. */
async function test() {
  const failed = [];
  for (const [, version] of chosen) {
    const node = await nodeOf(version);
    process.stdout.write(`\n> Node ${version}\n`);
    const code = node === undefined ? 1 : await run(node, [path.join(root, 'node_modules/jest/bin/jest.js'), ...TRIED]);
    if (code !== 0) failed.push(version);
  }
  process.stdout.write(failed.length === 0 ? '\nall releases passed\n' : `\nfailed on Node ${failed.join(', ')}\n`);
  return failed;
}

/** Twice in alternation, since a machine is never as quiet as it was; the least of each row is what the work costs. */
async function bench(part, seconds) {
  const least = new Map();
  const failed = new Set();
  for (let round = 0; round < 2; round += 1) {
    for (const [major, version] of chosen) {
      const node = await nodeOf(version);
      const words = ['dist/test/bench/main.js', `--parts=${part}`, `--seconds=${seconds}`];
      const { code, output } = node === undefined ? { code: 1, output: '' } : await capture(node, words);
      if (code !== 0) {
        failed.add(version);
        process.stderr.write(output);
        continue;
      }
      for (const [, name = '', micros] of output.matchAll(/^(.{46}) +([\d.]+) µs/gm)) {
        const row = least.get(name) ?? {};
        row[major] = Math.min(row[major] ?? Infinity, Number(micros));
        least.set(name, row);
      }
    }
  }
  const cells = (texts) => texts.map((text) => text.padStart(10)).join('');
  process.stdout.write(`${'µs of processor on Node'.padEnd(46)}${cells(chosen.map(([major]) => major))}\n`);
  for (const [name, row] of least) {
    process.stdout.write(`${name}${cells(chosen.map(([major]) => row[major]?.toFixed(1) ?? '-'))}\n`);
  }
  if (failed.size > 0) process.stdout.write(`failed on Node ${[...failed].join(', ')}\n`);
  return [...failed];
}

/** Its executable; undefined where it cannot be had. */
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
  const npm = process.env.npm_execpath;
  const code = npm === undefined ? await run('npm', order) : await run(process.execPath, [npm, ...order]);
  if (code === 0 && existsSync(file)) return file;
  process.stderr.write(`Node ${version} cannot be had as ${name}\n`);
  return undefined;
}
