/** Manifests of tests in the folder `fixtures`, in which each test sets some values. */
import { readRepositoryFile } from '../support/repository';

/** The text of a fixture with the values in place of their names: `{ GROUP: 'a.example.com' }` for `$GROUP`. */
export function fixture(file: string, values: Readonly<Record<string, string>> = {}): string {
  const text = readRepositoryFile(`test/e2e/fixtures/${file}`);
  return text.replaceAll(/\$([A-Z_]+)/g, (name, key: string) => values[key] ?? name);
}
