/**
 * Part of the build: makes one file of all modules of a program (see shared/runtime/process/program-bundle.ts), runs it for a moment, and keeps what V8 has compiled of it by
 * then. That holds for this Node with the arguments that programs are started with; any other compiles for itself.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { build } from 'esbuild';
import { capture, root } from './steps.mjs';

const require = createRequire(import.meta.url);
const dist = path.join(root, 'dist');
const compile = path.join(root, 'deploy/scripts/compile-program.mjs');

/** Packages that bring native code, or read files or load modules that only their own code names. */
const LEFT_APART = ['@grpc/*', 'etcd3', 'fs-native-extensions', 'lmdb', 'msgpackr-extract', 'pino'];
const LONGEST_RUN_MS = 60_000;
/** Nobody else is to find what runs for a moment. */
const OUT_OF_SIGHT = ['--bind-address=127.0.0.1', '--secure-port=0'];
const DIRNAME = /\b__dirname\b/g;

/** Of a program: how it is run for a moment, and what it says when it has come as far as it is wanted. */
const programs = [
  {
    module: 'apiserver/main.js',
    args: ({ folder }) => ['--storage-backend=embedded', `--storage-dir=${path.join(folder, 'store')}`, ...OUT_OF_SIGHT],
    until: '"ready"',
  },
  {
    module: 'controllers/main.js',
    args: ({ kubeconfig }) => [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', ...OUT_OF_SIGHT],
    until: 'controllers are running',
  },
  { module: 'deploy/local/main.js', args: () => ['--help'] },
  { module: 'apiserver/server/wiring/write-worker.js', isThread: true },
  { module: 'apiserver/openapi/part-worker.js', isThread: true },
  { module: 'shared/serialization/yaml-worker.js', isThread: true },
];

await main();

async function main() {
  const { bundleFiles } = require(path.join(dist, 'shared/runtime/process/program-bundle.js'));
  const files = programs.map(({ module }) => bundleFiles(path.join(dist, module)));
  for (const { bundle, codeCache } of files) for (const file of [bundle, codeCache]) rmSync(file, { force: true });
  await Promise.all(programs.map((program, index) => makeWhole(program, files[index].bundle)));
  // Without it everything runs as well, only not at once.
  await keepCompiled().catch(({ message }) => process.stderr.write(`What was compiled of the programs is not kept: ${message}\n`));
}

async function makeWhole({ module, isThread }, whole) {
  const { outputFiles } = await build({
    // A program's main.js decides between the whole file and the modules that begin with start.js; for threads worker-entry.ts does.
    entryPoints: [path.join(dist, isThread ? module : path.join(path.dirname(module), 'start.js'))],
    outfile: whole,
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: LEFT_APART,
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [keepPlaces(path.dirname(path.join(dist, module)))],
  });
  const text = asAscii(`(function (exports, require, module, __filename, __dirname) {${outputFiles[0].text}\n})`);
  writeFileSync(whole, `//${createHash('sha256').update(text).digest('hex')}\n${text}`);
}

/**
 * Modules that look for files beside themselves find them where they were, wherever dist has been moved as a whole. Each is a function of its own: what stands at the top of a file
 * would become variables, which V8 has to read anew each time, where constants are part of the code that it makes.
 */
function keepPlaces(from) {
  return {
    name: 'places',
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, ({ path: file }) => {
        if (!file.startsWith(dist)) return undefined;
        const place = `require('node:path').join(__dirname, ${JSON.stringify(path.relative(from, path.dirname(file)))})`;
        return { contents: `(function () {${readFileSync(file, 'utf8').replace(DIRNAME, place)}\n}).call(exports);` };
      });
    },
  };
}

/** A text of bytes: V8 keeps two for each character of any other. What is left of such characters stands in patterns and comments. */
function asAscii(text) {
  return text.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

async function keepCompiled() {
  const folder = mkdtempSync(path.join(tmpdir(), 'programs-'));
  const { startControlPlane } = require(path.join(dist, 'deploy/embedded/index.js'));
  const controlPlane = await startControlPlane({ controllers: [] });
  const at = { folder, kubeconfig: controlPlane.kubeconfigFile };
  try {
    await Promise.all(programs.map((program) => runFor(program, at)));
  } finally {
    await controlPlane.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A program is ended when it has said what it was run for. */
async function runFor({ module, isThread = false, args = () => [], until }, at) {
  const { NODE_ARGUMENTS } = require(path.join(dist, 'deploy/cluster/tuning.js'));
  const words = [...NODE_ARGUMENTS, compile, isThread ? 'thread' : 'program', path.join(dist, module), ...args(at)];
  const { code, output } = await capture(process.execPath, words, { until, timeout: LONGEST_RUN_MS });
  if (code !== 0) throw new Error(`${module} ended with ${code}:\n${output}`);
}
