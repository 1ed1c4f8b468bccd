/**
 * How jest loads what tests import: by Node itself. The product, its packages and jest's own modules are loaded once for each of jest's processes, where jest would load
 * and compile them anew for each file of tests: that was most of the work of most files. What lies in `test/` is loaded for each file, so that helpers may keep
 * something; a module of the product keeps nothing that a test could notice, and what tests spy on is restored after their file. Modules cannot be mocked, and
 * sources that change under `--watch` are not loaded again. A file that asks for jest's own environment (`@jest-environment node`) gets all of jest's own ways.
 */
const Module = require('node:module');
const path = require('node:path');
const { default: Runtime } = require('jest-runtime');
const SharedEnvironment = require('./environment.cjs');

const OF_ONE_FILE = /[\\/]jest-circus[\\/]build[\\/]jestAdapterInit\.js$/;
const sourceMaps = new Map();
const helpers = new Set();
let transform;

Module._extensions['.ts'] = (module, file) => {
  const { code, sourceMapPath } = transform(file);
  if (sourceMapPath !== null) sourceMaps.set(file, sourceMapPath);
  module._compile(code, file);
};

/** Sources that are loaded only when they are needed are named as their programs find them. */
const resolve = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) => {
  try {
    return resolve(request, ...rest);
  } catch (error) {
    if (!/^\.{1,2}\/.+\.js$/.test(request)) throw error;
    return resolve(request.replace(/js$/, 'ts'), ...rest);
  }
};

/** For one file of tests: Node does not remember it. */
function loadOnce(file) {
  const module = new Module(file);
  module.load(file);
  return module.exports;
}

module.exports = class SharedRuntime extends Runtime {
  constructor(config, environment, resolver, transformer, cacheFS, coverage, testPath, globalConfig) {
    super(config, environment, resolver, transformer, cacheFS, coverage, testPath, globalConfig);
    this.isShared = environment instanceof SharedEnvironment;
    this.testPath = testPath;
    if (!this.isShared) return;
    for (const file of helpers) delete require.cache[file];
    helpers.clear();
    const below = path.join(config.rootDir, 'test', path.sep);
    transform = (file) => {
      if (file.startsWith(below)) helpers.add(file);
      return transformer.transform(file, { ...coverage, supportsDynamicImport: false, supportsStaticESM: false });
    };
  }

  /** Jest's own modules. The one that knows the tests of a file is that file's. */
  requireInternalModule(from, name) {
    if (!this.isShared) return super.requireInternalModule(from, name);
    const file = name === undefined ? from : Module.createRequire(from).resolve(name);
    return OF_ONE_FILE.test(file) ? loadOnce(file) : require(file);
  }

  requireModule(from, name, ...rest) {
    if (!this.isShared) return super.requireModule(from, name, ...rest);
    if (name !== undefined) return Module.createRequire(from)(name);
    if (from !== this.testPath) return require(from);
    globalThis.jest = this.jestGlobals.jestObjectFor(from);
    return loadOnce(from);
  }

  requireModuleOrMock(from, name) {
    return this.isShared ? this.requireModule(from, name) : super.requireModuleOrMock(from, name);
  }

  requireActual(from, name) {
    return this.isShared ? this.requireModule(from, name) : super.requireActual(from, name);
  }

  getSourceMaps() {
    return this.isShared ? sourceMaps : super.getSourceMaps();
  }
};
