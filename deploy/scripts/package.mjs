/**
 * `npm run package`: creates the npm package from the built product, `<name>-<version>.tgz` in the working directory. All
 * programs are chunks (dist/chunks) behind the same paths as in dist/, so the package has only the dependencies with native
 * code; the licences of the bundled packages are in THIRD-PARTY-NOTICES. The entry points that projects import have
 * bundles of their own, because they are loaded into the processes of tests.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { escapeNonAscii } from './escape-non-ascii.mjs';
import { keepDirnames } from './keep-dirnames.mjs';
import { ensureBuilt, ensureInstalled } from './install-and-build.mjs';
import { npmCommand } from './programs.mjs';
import { root } from './repository.mjs';

const require = createRequire(import.meta.url);
const dist = path.join(root, 'dist');
/** The contents of the package. Each run has a folder of its own, because tests pack at the same time. */
const folder = mkdtempSync(path.join(tmpdir(), 'npm-package-'));
const target = path.join(folder, 'dist');

/** Packages with native code; they stay dependencies. */
const NATIVE = ['fs-native-extensions', 'lmdb'];
/** Native code that lmdb finds by itself. */
const EXTERNAL = ['msgpackr-extract'];
/** etcd3 reads the definitions of etcd's services from files beside its folder. */
const ETCD3 = 'vendor/etcd3';

/** Module → the file that runs it in the package. */
const PROGRAMS = {
  'apiserver/start.js': 'apiserver/main.js',
  'controllers/start.js': 'controllers/main.js',
  'controllers/simulation/start.js': 'controllers/simulation/main.js',
  'deploy/embedded/start.js': 'deploy/embedded/start.js',
  'deploy/compose/pki.js': 'deploy/compose/pki.js',
  'deploy/compose/publish-cluster-info.js': 'deploy/compose/publish-cluster-info.js',
  'deploy/compose/simulation-access.js': 'deploy/compose/simulation-access.js',
  'apiserver/server/wiring/write-worker.js': 'apiserver/server/wiring/write-worker.js',
  'apiserver/openapi/parts/part-worker.js': 'apiserver/openapi/parts/part-worker.js',
  'shared/serialization/yaml/yaml-worker.js': 'shared/serialization/yaml/yaml-worker.js',
  'shared/runtime/process/worker-entry.js': 'shared/runtime/process/worker-entry.js',
};
/** The module of the program that users run, and its file. */
const EXECUTABLE = { module: 'deploy/cli/start.js', file: 'deploy/cli/main.js' };
/** The folder of the chunks of all programs. */
const CHUNKS = 'chunks';
/** Modules with bundles of their own → the file that users import, and its bundle beside it. */
const LIBRARIES = [
  { module: 'deploy/embedded/index.js', file: 'deploy/embedded/index.js', bundle: 'deploy/embedded/library.js' },
  { module: 'deploy/client/index.js', file: 'deploy/client/index.js', bundle: 'deploy/client/library.js' },
];
/** Where Node 22 and newer keep compiled code, in the folder of the package. */
const COMPILE_CACHE = '.compile-cache';
/** The package of the script that the build compresses, and the licences of what that script contains. */
const REDOC = { folder: 'node_modules/redoc', licences: 'bundles/redoc.standalone.js.LICENSE.txt' };
/** Files of dist/ that the programs or the users' compilers read, or that need no other file. */
const FILES = [
  'apiserver/openapi/documents/descriptions.json',
  'apiserver/api-docs/redoc.js.gz',
  'apiserver/api-docs/browser/page.js.gz',
  'deploy/compose/health.js',
  'deploy/embedded/index.d.ts',
  'deploy/embedded/api.d.ts',
];
/** Folders of dist/ with the declarations of `deploy/client`, which refers to those of shared/. */
const DECLARATIONS = ['.types/deploy/client', '.types/shared'];
/** Names of classes and functions stay, for stack traces. */
const FORMAT = { platform: 'node', target: 'node20', format: 'cjs', minifyWhitespace: true, minifySyntax: true };
/** Files and folders below DECLARATIONS that the package leaves out. */
const UNPUBLISHED = /(\.test\.d\.ts|\.map)$|\/generate$/;

try {
  await main();
} finally {
  rmSync(folder, { recursive: true });
}

async function main() {
  await ensureInstalled();
  await ensureBuilt('product');
  mkdirSync(target, { recursive: true });
  const inputs = await bundleAll();
  for (const file of FILES) cpSync(path.join(dist, file), path.join(target, file));
  for (const part of DECLARATIONS)
    cpSync(path.join(dist, part), path.join(target, part), { recursive: true, filter: (file) => !UNPUBLISHED.test(file) });
  cpSync(path.join(packageFolder('etcd3'), 'proto'), path.join(target, ETCD3, 'proto'), { recursive: true });
  for (const file of ['README.md', 'LICENSE']) cpSync(path.join(root, file), path.join(folder, file));
  writeFileSync(path.join(folder, 'THIRD-PARTY-NOTICES'), notices(inputs));
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest(), undefined, 2)}\n`);
  const [program, args] = npmCommand(['pack', folder, '--ignore-scripts', '--silent']);
  const { status } = spawnSync(program, args, { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}

/** Returns the files that the bundles were made of. */
async function bundleAll() {
  const inputs = new Set(await bundlePrograms());
  for (const [module, file] of Object.entries(PROGRAMS)) writeStub(file, requireCall(file, entryFile(module)));
  writeStub(EXECUTABLE.file, requireCall(EXECUTABLE.file, entryFile(EXECUTABLE.module)), { first: '#!/usr/bin/env node\n', mode: 0o755 });
  for (const library of LIBRARIES) {
    const { metafile } = await bundle({ entryPoints: [path.join(dist, library.module)], outfile: path.join(target, library.bundle) });
    for (const file of Object.keys(metafile.inputs)) inputs.add(file);
    writeLibrary(library);
  }
  return inputs;
}

/**
 * Splits the programs into chunks, so that a program reads and compiles only what it uses: modules that the same programs
 * and dynamic imports need are in one chunk. esbuild splits ES modules only. Each chunk is then converted to a CommonJS
 * module, because the chunks are loaded synchronously and contain `require`.
 */
async function bundlePrograms() {
  const { metafile, outputFiles } = await bundle({
    entryPoints: [...Object.keys(PROGRAMS), EXECUTABLE.module].map((module) => ({
      in: path.join(dist, module),
      out: path.parse(entryFile(module)).name,
    })),
    outdir: path.join(target, CHUNKS),
    format: 'esm',
    splitting: true,
    write: false,
  });
  const { transform } = await import('esbuild');
  mkdirSync(path.join(target, CHUNKS));
  for (const { path: file, text } of outputFiles) {
    const { code } = await transform(withCommonJsExports(text), { ...FORMAT, supported: { 'dynamic-import': false } });
    writeFileSync(file, escapeNonAscii(code));
  }
  return Object.keys(metafile.inputs);
}

/**
 * For a CommonJS module that a dynamic import names, esbuild creates a chunk that exports the module as default. Replaces
 * that: the exports of the chunk have to be those of the module, as when Node imports it.
 */
function withCommonJsExports(text) {
  return text.replace(/\bexport default (\w+\(\));\s*$/, 'module.exports = $1;');
}

/** The chunk that runs a program. */
function entryFile(module) {
  return `${CHUNKS}/${module.replace(/\.js$/, '').replaceAll('/', '-')}.js`;
}

function requireCall(from, to) {
  return `require(${JSON.stringify(relativeTo(from, to))});`;
}

/** Names the exports one by one, because ES modules can import only those that Node finds in the text. */
function writeLibrary({ module, file, bundle }) {
  const names = Object.keys(require(path.join(dist, module))).filter((name) => name !== '__esModule');
  const lines = names.map((name) => `exports.${name} = library.${name};\n`);
  writeFileSync(
    path.join(target, file),
    `'use strict';\nconst library = require(${JSON.stringify(relativeTo(file, bundle))});\n${lines.join('')}`,
  );
}

/**
 * Writes a main module: `first` (a line such as `#!…`), then the call that loads its chunk. Before the call it enables
 * Node's cache of compiled code, where this Node has one and the folder is writable.
 */
function writeStub(file, call, { first = '', mode = 0o644 } = {}) {
  const cache = `require('node:module').enableCompileCache?.(require('node:path').join(__dirname, ${JSON.stringify(relativeTo(file, COMPILE_CACHE))}));`;
  mkdirSync(path.join(target, path.dirname(file)), { recursive: true });
  writeFileSync(path.join(target, file), `${first}'use strict';\n${cache}\n${call}\n`, { mode });
}

/** The path below dist/ as `require` takes it in `file`. */
function relativeTo(file, other) {
  const relative = path.relative(path.dirname(file), other).split(path.sep).join('/');
  return relative.startsWith('.') && !relative.startsWith('./.') ? relative : `./${relative}`;
}

async function bundle(options) {
  const { build } = await import('esbuild');
  return build({
    ...FORMAT,
    ...options,
    bundle: true,
    external: EXTERNAL,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    absWorkingDir: root,
    plugins: [linkedPackages(), keepDirnames(options.outdir ?? path.dirname(options.outfile), locationOf)],
  });
}

/**
 * Loads the packages with native code after a stat of a regular file: while the last file that Node stat-ed is a pipe or
 * a socket, its `realpathSync` returns paths with their symbolic links (nodejs/node, lib/fs.js), and packages that are
 * linked into place, as pnpm does, would not find their own dependencies.
 */
function linkedPackages() {
  const filter = new RegExp(`^(${NATIVE.join('|')})$`);
  return {
    name: 'linked packages',
    setup({ onLoad, onResolve }) {
      onResolve({ filter }, ({ path: name, namespace }) =>
        namespace === 'native' ? { path: name, external: true } : { path: name, namespace: 'native' },
      );
      onLoad({ filter, namespace: 'native' }, ({ path: name }) => ({
        contents: `require('node:fs').statSync(__filename);\nmodule.exports = require(${JSON.stringify(name)});`,
        resolveDir: root,
      }));
    },
  };
}

/** Where a module that uses its own path is in the package. */
function locationOf(file) {
  if (file.startsWith(`${dist}${path.sep}`)) return path.join(target, path.relative(dist, file));
  const etcd3 = `${packageFolder('etcd3')}${path.sep}`;
  return file.startsWith(etcd3) ? path.join(target, ETCD3, path.relative(etcd3, file)) : undefined;
}

function packageFolder(name) {
  return path.join(root, 'node_modules', name);
}

function manifest() {
  const {
    scripts: _scripts,
    private: _private,
    devDependencies: _dev,
    overrides: _overrides,
    files: _files,
    dependencies,
    ...rest
  } = readJson(path.join(root, 'package.json'));
  return { ...rest, dependencies: Object.fromEntries(Object.entries(dependencies).filter(([name]) => NATIVE.includes(name))) };
}

/** The licences of the packages in the bundles. */
function notices(inputs) {
  const bundled = [...inputs].flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  const folders = new Set([...bundled, REDOC.folder]);
  const parts = [...folders].sort().map((location) => {
    const { name, version, license } = readJson(path.join(root, location, 'package.json'));
    const file = readdirSync(path.join(root, location)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    const text = file === undefined ? '' : `\n\n${readFileSync(path.join(root, location, file), 'utf8').trim()}`;
    const contained = location === REDOC.folder ? `\n\n${readFileSync(path.join(root, location, REDOC.licences), 'utf8').trim()}` : '';
    return `${name} ${version} (${license})${text}${contained}`;
  });
  return `The programs contain these packages.\n\n${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
