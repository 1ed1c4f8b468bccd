/** Where the repository is, for tests and programs that read its files. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The folder of package.json, found from the sources and from dist/ alike. */
export const repository = folderOf('package.json', __dirname);

/** The text of a file of the repository, such as `docs/guide/testing.md`. */
export const readRepositoryFile = (file: string): string => readFileSync(path.join(repository, file), 'utf8');

function folderOf(file: string, start: string): string {
  if (existsSync(path.join(start, file))) return start;
  const above = path.dirname(start);
  if (above === start) throw new Error(`there is no ${file} above`);
  return folderOf(file, above);
}
