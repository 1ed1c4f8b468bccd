/**
 * Runs a program of which the build has made one file (deploy/scripts/whole-programs.mjs), with what V8 had compiled of it when the build ran it: finding, reading and
 * compiling a thousand modules is most of what a start takes. Where there is no such file, or it was compiled by another V8, nothing but the time is lost.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { constants, Script } from 'node:vm';
import { readFileIfExists } from '../files/read-file-if-exists';

/** How a file begins, and what was compiled of it: hex digits of its digest. V8 itself tells programs apart by no more than their length. */
const DIGEST = { offset: '//'.length, length: 64 };

export interface ProgramBundle {
  readonly script: Script;
  readonly digest: string;
  run(): void;
}

/** Of a module: the file of all that it needs, and that of what was compiled of them. */
export function bundleFiles(module: string): { readonly bundle: string; readonly codeCache: string } {
  const name = module.replace(/\.js$/, '');
  return { bundle: `${name}.whole.js`, codeCache: `${name}.code` };
}

/** False = the build has left no such file: whoever asks runs the modules. */
export function runBundle(module: string): boolean {
  const program = openBundle(module);
  program?.run();
  return program !== undefined;
}

export function openBundle(module: string): ProgramBundle | undefined {
  const { bundle, codeCache } = bundleFiles(module);
  // It is ASCII, of which V8 keeps a byte each.
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

/** The script is a function of what a module of CommonJS is given. */
function runAsModule(file: string, script: Script): void {
  const main: unknown = script.runInThisContext();
  if (typeof main !== 'function') throw new Error(`${file}: its whole file is no function`);
  const module = { exports: {} };
  Reflect.apply(main, module.exports, [module.exports, createRequire(file), module, file, path.dirname(file)]);
}
