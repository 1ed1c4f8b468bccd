/** The root folder of the repository, and the TypeScript project that a file belongs to. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/**
 * The name of the TypeScript project of a file:
 *
 * - `test/NAME` for the files of that folder, and `test/support` for those of `test/replay`
 * - `unit` for the tests beside the code
 * - `product` for all other files
 *
 * `file` is a path with `/`, relative to the root or, for a compiled module, to `dist`. The beginning of a path suffices
 * (`shared/runtime`). Outside of `test` such a beginning does not show whether tests are meant, so the caller passes
 * `isTest`.
 */
export function projectOf(file, { isTest = false } = {}) {
  const [, folder] = /^test\/([^/]+)/.exec(file) ?? [];
  if (folder !== undefined) return folder === 'replay' ? 'test/support' : `test/${folder}`;
  return isTest ? 'unit' : 'product';
}
