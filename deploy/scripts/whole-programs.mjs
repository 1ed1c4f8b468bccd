/**
 * Part of the build: bundles each program into one file (see shared/runtime/process/program-bundle.ts), runs it
 * briefly, and stores V8's code cache. The cache is valid for this Node with the programs' arguments; with another Node
 * or other arguments a program compiles at start. `program` stands for worker threads too.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { build } from 'esbuild';
import { escapeNonAscii } from './escape-non-ascii.mjs';
import { keepDirnames } from './keep-dirnames.mjs';
import { capture } from './programs.mjs';
import { root } from './repository.mjs';

const require = createRequire(import.meta.url);
const dist = path.join(root, 'dist');
const compile = path.join(root, 'deploy/scripts/compile-program.mjs');

/** Packages with native code, or that read files or load modules by computed names. */
const EXTERNAL_PACKAGES = ['@grpc/*', 'etcd3', 'fs-native-extensions', 'lmdb', 'msgpackr-extract', 'pino'];
const MAX_RUN_MS = 60_000;
/** Keeps the briefly running programs unreachable for others; the simulation listens on 127.0.0.1 by default. */
const LOOPBACK_ONLY = ['--bind-address=127.0.0.1', '--secure-port=0'];

/** How each program is run briefly, and the output at which it is stopped. */
const programs = [
  {
    module: 'apiserver/main.js',
    args: ({ folder }) => ['--storage-backend=embedded', `--storage-dir=${path.join(folder, 'store')}`, ...LOOPBACK_ONLY],
    until: '"ready"',
  },
  {
    module: 'controllers/main.js',
    args: ({ kubeconfig }) => [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', ...LOOPBACK_ONLY],
    until: 'controllers are running',
  },
  {
    module: 'controllers/simulation/main.js',
    args: ({ kubeconfig }) => [`--kubeconfig=${kubeconfig}`, '--nodes=1', '--leader-elect=false'],
    until: 'nodes are simulated',
  },
  { module: 'deploy/cli/main.js', args: () => ['--help'] },
  { module: 'apiserver/server/wiring/write-worker.js', isThread: true },
  { module: 'apiserver/openapi/parts/part-worker.js', isThread: true },
  { module: 'shared/serialization/yaml/yaml-worker.js', isThread: true },
];

await main();

async function main() {
  const { bundleFiles } = require(path.join(dist, 'shared/runtime/process/program-bundle.js'));
  const files = programs.map(({ module }) => bundleFiles(path.join(dist, module)));
  for (const { bundle, codeCache } of files) for (const file of [bundle, codeCache]) rmSync(file, { force: true });
  await Promise.all(programs.map((program, index) => bundleProgram(program, files[index].bundle)));
  // The code cache is optional: programs without it start more slowly.
  await writeCodeCaches().catch(({ message }) => process.stderr.write(`The V8 code cache could not be saved: ${message}\n`));
}

async function bundleProgram({ module, isThread }, whole) {
  const { outputFiles } = await build({
    // A program's main.js selects the bundle or the modules that begin with start.js; for threads worker-entry.ts
    // does.
    entryPoints: [path.join(dist, isThread ? module : path.join(path.dirname(module), 'start.js'))],
    outfile: whole,
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: EXTERNAL_PACKAGES,
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [keepDirnames(path.dirname(path.join(dist, module)), locationInDist)],
  });
  // The wrapper and the digest in the first line are what program-bundle.ts expects.
  const text = escapeNonAscii(`(function (exports, require, module, __filename, __dirname) {${outputFiles[0].text}\n})`);
  writeFileSync(whole, `//${createHash('sha256').update(text).digest('hex')}\n${text}`);
}

/** Modules of the product stay where they are; the text of packages is left as it is. */
function locationInDist(file) {
  return file.startsWith(dist) ? file : undefined;
}

async function writeCodeCaches() {
  const folder = mkdtempSync(path.join(tmpdir(), 'programs-'));
  const { startControlPlane } = require(path.join(dist, 'deploy/embedded/index.js'));
  const controlPlane = await startControlPlane({ controllers: [] });
  const at = { folder, kubeconfig: controlPlane.kubeconfigFile };
  try {
    await Promise.all(programs.map((program) => runBriefly(program, at)));
  } finally {
    await controlPlane.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Stops a program at its `until` output. It writes its code cache when it exits (compile-program.mjs), and must exit with
 * 0 after SIGTERM.
 */
async function runBriefly({ module, isThread = false, args = () => [], until }, at) {
  const { NODE_ARGUMENTS } = require(path.join(dist, 'deploy/cluster/node-arguments.js'));
  const words = [...NODE_ARGUMENTS, compile, isThread ? 'thread' : 'program', path.join(dist, module), ...args(at)];
  const { code, output } = await capture(process.execPath, words, { until, timeout: MAX_RUN_MS });
  if (code !== 0) throw new Error(`${module} ended with ${code}:\n${output}`);
}
