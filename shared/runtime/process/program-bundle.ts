/**
 * Runs a program from the bundle that the build creates of its modules (deploy/scripts/whole-programs.mjs), with V8's
 * code cache from a run during the build: resolving, reading and compiling a thousand modules is most of the time of a
 * start. Without a bundle, or with the code cache of another V8 version, the program only starts slower.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { constants, Script } from 'node:vm';
import { readFileIfExists } from '../files/read-file-if-exists';

/**
 * A bundle begins with the line `//DIGEST`, its code cache with the same digest (in hex). The two are compared because
 * V8 itself checks only that the source has the length of the one that was compiled.
 */
const DIGEST = { offset: '//'.length, length: 64 };

/** A compiled bundle. */
export interface ProgramBundle {
  readonly script: Script;
  /** Of the source, in hex. */
  readonly digest: string;
  /** Runs the program in this process. */
  run(): void;
}

/** The paths of the bundle and of the code cache of a main module. */
export function bundleFiles(module: string): { readonly bundle: string; readonly codeCache: string } {
  const name = module.replace(/\.js$/, '');
  return { bundle: `${name}.whole.js`, codeCache: `${name}.code` };
}

/** False when there is no bundle: the caller then runs the modules. */
export function runBundle(module: string): boolean {
  const program = openBundle(module);
  program?.run();
  return program !== undefined;
}

/** The bundle of a main module; `undefined` when the build created none. Reads and compiles synchronously. */
export function openBundle(module: string): ProgramBundle | undefined {
  const { bundle, codeCache } = bundleFiles(module);
  // The bundle is ASCII; as latin1 V8 stores it with one byte per character.
  const source = readFileIfExists(bundle)?.toString('latin1');
  if (source === undefined) return undefined;
  const digest = source.slice(DIGEST.offset, DIGEST.offset + DIGEST.length);
  const compiled = readFileIfExists(codeCache);
  const isCacheValid = compiled?.toString('latin1', 0, DIGEST.length) === digest;
  const script = new Script(source, {
    filename: bundle,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(isCacheValid && { cachedData: compiled.subarray(DIGEST.length) }),
  });
  return { script, digest, run: () => runAsModule(module, script) };
}

/** Calls the function to which the script evaluates: a CommonJS module wrapper, as Node creates for each module. */
function runAsModule(file: string, script: Script): void {
  const main: unknown = script.runInThisContext();
  if (typeof main !== 'function') throw new Error(`${file}: its whole file is no function`);
  const module = { exports: {} };
  Reflect.apply(main, module.exports, [module.exports, createRequire(file), module, file, path.dirname(file)]);
}
