/** The root folder of the repository, and the TypeScript project that a file belongs to. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/**
 * The project of a file below one of the source folders: `product`, `unit` for its tests, or the folder below `test`
 * (`replay` belongs to `support`).
 */
export function projectOf(file, { isTest = false } = {}) {
  const [, folder] = /^test\/([^/]+)/.exec(file) ?? [];
  if (folder !== undefined) return folder === 'replay' ? 'test/support' : `test/${folder}`;
  return isTest ? 'unit' : 'product';
}
