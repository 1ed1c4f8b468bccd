/** The root folder of the repository, and the TypeScript project that a file belongs to. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/**
 * The name of the TypeScript project of `file`: `test/NAME` below that folder (`test/support` for `test/replay`, which
 * belongs to it), otherwise `unit` for tests and `product` for the rest. `file` is a path with `/` relative to the root,
 * or to `dist` for a compiled module; the beginning of a path suffices. Outside `test` it does not show whether tests are
 * meant: the caller passes `isTest`.
 */
export function projectOf(file, { isTest = false } = {}) {
  const [, folder] = /^test\/([^/]+)/.exec(file) ?? [];
  if (folder !== undefined) return folder === 'replay' ? 'test/support' : `test/${folder}`;
  return isTest ? 'unit' : 'product';
}
