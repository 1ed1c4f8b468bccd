/**
 * Set-up that `npm start`, `npm test` and `npm run build` share: installs the locked packages and builds the projects,
 * each only when it is out of date. Imports only Node and files of this folder, because it runs before packages are
 * installed.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { capture, npmCommand, run, runTool } from './programs.mjs';
import { withProgress } from './progress.mjs';
import { root } from './repository.mjs';

const PRODUCT_FOLDERS = ['apiserver', 'controllers', 'shared', 'deploy'];
/**
 * The TypeScript projects that have no folder below `test`. `all` references every project, `unit` contains the tests
 * and contract suites beside the code.
 */
const PROJECTS = { all: 'tsconfig.json', product: 'tsconfig.product.json', unit: 'tsconfig.unit.json' };
const CONFIGS = ['package-lock.json', 'tsconfig.base.json', 'tsconfig.json', 'tsconfig.product.json', 'tsconfig.unit.json'];
const OLDEST_NODE = [20, 19];

/**
 * Installs the packages of the lock file, without scripts. Omits development packages when a built program of
 * `project` is to run.
 */
export async function ensureInstalled({ project } = {}) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
    throw new Error(`Node ${OLDEST_NODE.join('.')} or newer is needed, this is ${process.versions.node}`);
  }
  const productionOnly = project !== undefined && isBuilt(project);
  if (isInstalled({ productionOnly })) return;
  const npmArguments = ['ci', '--ignore-scripts', ...(productionOnly ? ['--omit=dev'] : [])];
  const { code, output } = await withProgress('Installing packages', () => capture(...npmCommand(npmArguments)));
  if (code !== 0) throw new Error(`${output}npm ${npmArguments.join(' ')} failed`);
}

/** Whether a program of the project can run as it is. */
export const isReady = (project) => isBuilt(project) && isInstalled({ productionOnly: true });

/** Compiles projects when one of their sources is newer than the last successful build. */
export async function ensureBuilt(...projects) {
  if (projects.every(isBuilt)) return;
  if (!(await withProgress('Building', () => build(...projects)))) throw new Error('the build failed');
}

/**
 * Type-checks and compiles projects and their references into dist/, and generates the product's files when the product was
 * out of date; true on success.
 */
export async function build(...projects) {
  const started = Date.now();
  // Deleted sources leave stale files in dist; rebuilding is cheap.
  if (hasOrphans()) rmSync(path.join(root, 'dist'), { recursive: true, force: true });
  const isProductBuilt = isBuilt('product');
  const configs = projects.map((project) => PROJECTS[project] ?? project);
  if ((await runTool('typescript7/bin/tsc', ['-b', ...configs])) !== 0) return false;
  if (!isProductBuilt && !(await generateFiles())) return false;
  mkdirSync(path.dirname(stampOf('product')), { recursive: true });
  // Every project references the product, so it is built as well.
  for (const project of new Set(['product', ...projects])) writeFileSync(stampOf(project), `${started}\n`);
  return true;
}

/** Generates files that the product reads besides its modules. */
async function generateFiles() {
  const generators = [
    // Field descriptions for `kubectl explain` come from an installed package and are never committed.
    ['dist/shared/api/types/generate/describe.js', path.join(root, 'dist/apiserver/openapi/documents/descriptions.json')],
    ['dist/apiserver/openapi/generate/main.js'],
    ['deploy/scripts/declarations.mjs'],
    ['deploy/scripts/api-docs.mjs'],
    ['deploy/scripts/whole-programs.mjs'],
  ];
  for (const [file, ...args] of generators) {
    if ((await run(process.execPath, [path.join(root, file), ...args])) !== 0) return false;
  }
  return true;
}

/**
 * True when every package of the lock file is installed in the locked version. Packages for other platforms are
 * excepted, and with `productionOnly` those for development.
 */
function isInstalled({ productionOnly }) {
  const wanted = readPackages('package-lock.json');
  const present = readPackages('node_modules/.package-lock.json');
  if (wanted === undefined || present === undefined) return false;
  return Object.entries(wanted).every(([name, { version, dev, optional, devOptional }]) => {
    if (name === '' || (productionOnly && dev === true)) return true;
    const installed = present[name];
    // npm leaves out optional packages for other platforms.
    return installed === undefined ? optional === true || devOptional === true : installed.version === version;
  });
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(path.join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** A file with the time (milliseconds since 1970) at which the last successful build of the project started. */
const stampOf = (project) => path.join(root, 'dist/.stamps', project.replace('/', '-'));

/** True when the project, or all, was built and none of its sources has changed since. */
function isBuilt(project) {
  return ['all', project].some((name) => {
    if (!existsSync(stampOf(name))) return false;
    const built = Number(readFileSync(stampOf(name), 'utf8'));
    return [...CONFIGS, ...sourcesOf(project)].every((file) => statSync(path.join(root, file)).mtimeMs <= built);
  });
}

/** Whether dist has a compiled file and no longer its source. Bundles have no source of their own. */
function hasOrphans() {
  const dist = path.join(root, 'dist');
  if (!existsSync(dist)) return false;
  const kept = new Set(sourcesOf('all').map((file) => file.replace(/\.ts$/, '.js')));
  return filesBelow('dist')
    .filter((file) => file.endsWith('.js'))
    .some((file) => !file.endsWith('.whole.js') && !kept.has(path.relative('dist', file)));
}

/** All files that affect the compilation of a project. Test projects may read each other's files. */
function sourcesOf(project) {
  const sourcesBelow = (folder) => filesBelow(folder).filter((file) => /\.(ts|json)$/.test(file));
  if (project === 'product') return PRODUCT_FOLDERS.flatMap(sourcesBelow).filter((file) => !isTestCode(file));
  return [...PRODUCT_FOLDERS, 'test'].flatMap(sourcesBelow);
}

/** Whether a file beside the product's code belongs to the project `unit`: a test or a contract suite. */
const isTestCode = (file) => /\.test\.(ts|json)$/.test(file) || file.split(path.sep).includes('contract');

function filesBelow(folder) {
  if (!existsSync(path.join(root, folder))) return [];
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}
