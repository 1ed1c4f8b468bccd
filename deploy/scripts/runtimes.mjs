/**
 * `npm run test:runtimes`: what depends on Node is tried on each release that is supported: stores with their native parts, HTTP over both protocols, TLS, threads, the
 * programs themselves, and a control plane inside a test. Each Node is a package of npm, kept in node_modules/.cache; no other is needed. Arguments choose releases:
 * `npm run test:runtimes -- 24`.
 */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { ensureBuilt, ensureInstalled, root, run } from './steps.mjs';

const RELEASES = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' };
const TRIED = [
  'test/contract/store/embedded',
  'test/contract/store/etcd',
  'test/contract/sources',
  'test/integration/http/(requests|updates|watch|streams|definitions|webhooks)',
  'test/integration/controllers/deployments',
  'test/reliability/crash',
  'test/e2e/(embedded|npm-start|kubectl|client-node)[.]test',
  'shared/(runtime|client|serialization)/',
];

const wanted = process.argv.slice(2);
await ensureInstalled();
await ensureBuilt();
const failed = [];
for (const [major, version] of Object.entries(RELEASES)) {
  if (wanted.length > 0 && !wanted.includes(major)) continue;
  const node = await nodeOf(version);
  process.stdout.write(`\n> Node ${version}\n`);
  const code = node === undefined ? 1 : await run(node, [path.join(root, 'node_modules/jest/bin/jest.js'), ...TRIED]);
  if (code !== 0) failed.push(version);
}
process.stdout.write(failed.length === 0 ? '\nall releases passed\n' : `\nfailed on Node ${failed.join(', ')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

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
