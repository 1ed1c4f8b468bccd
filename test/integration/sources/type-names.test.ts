/** The name of an exported type is unique, so that a reader need not look up which declaration a file uses. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..', '..', '..');
const FOLDERS = ['apiserver', 'controllers', 'shared'];
const PRODUCT = /(?<!\.test|\.d)\.ts$/;
const DECLARATION = /^export (?:abstract )?(?:interface|type|class|enum) (\w+)/gm;

/**
 * Names that are declared twice on purpose, with the reason: both ends of a connection, or two type systems with the
 * same terms.
 */
const ALLOWED_DUPLICATES: Readonly<Record<string, string>> = {
  DeleteOptions: 'what a client asks and what the server does',
  ListOptions: 'what a client asks and what the server does',
  WatchOptions: 'what a client asks and what the server does',
  PatchType: 'what a client asks and what the server does',
  Resource: 'a served resource as the server and as a client sees it',
  ServedResource: 'a served resource as the server and as a client sees it',
  ListType: 'of the members of kinds and of expressions',
  MapType: 'of the members of kinds and of expressions',
};

function findDuplicates(): readonly string[] {
  const files = new Map<string, string[]>();
  for (const folder of FOLDERS) {
    for (const file of readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!PRODUCT.test(file) || file.includes('/contract/') || file.includes('generated')) continue;
      for (const [, name] of readFileSync(path.join(root, folder, file), 'utf8').matchAll(DECLARATION)) {
        if (name !== undefined) files.set(name, [...(files.get(name) ?? []), path.join(folder, file)]);
      }
    }
  }
  return [...files].filter(([, paths]) => paths.length > 1).map(([name, paths]) => `${name}: ${paths.join(', ')}`);
}

test('the name of an exported type is declared once', () => {
  expect(findDuplicates().filter((line) => !Object.hasOwn(ALLOWED_DUPLICATES, line.slice(0, line.indexOf(':'))))).toEqual([]);
});
