/** One word, one meaning: who reads the name of a type in a file should not have to look up which of two it is. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..', '..', '..');
const FOLDERS = ['apiserver', 'controllers', 'shared'];
const PRODUCT = /(?<!\.test|\.d)\.ts$/;
const DECLARATION = /^export (?:abstract )?(?:interface|type|class|enum) (\w+)/gm;

/** Names that stand twice on purpose: the same thing seen from both ends of the connection, or two type systems with the same terms. */
const TWICE: Readonly<Record<string, string>> = {
  DeleteOptions: 'what a client asks and what the server does',
  ListOptions: 'what a client asks and what the server does',
  WatchOptions: 'what a client asks and what the server does',
  PatchType: 'what a client asks and what the server does',
  Resource: 'a served resource as the server and as a client sees it',
  ServedResource: 'a served resource as the server and as a client sees it',
  ListType: 'of the members of kinds and of expressions',
  MapType: 'of the members of kinds and of expressions',
};

function declaredTwice(): readonly string[] {
  const files = new Map<string, string[]>();
  for (const folder of FOLDERS) {
    for (const file of readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!PRODUCT.test(file) || file.includes('/contract/') || file.includes('generated')) continue;
      for (const [, name] of readFileSync(path.join(root, folder, file), 'utf8').matchAll(DECLARATION)) {
        if (name !== undefined) files.set(name, [...(files.get(name) ?? []), path.join(folder, file)]);
      }
    }
  }
  return [...files].filter(([, places]) => places.length > 1).map(([name, places]) => `${name}: ${places.join(', ')}`);
}

test('the name of an exported type is declared once', () => {
  expect(declaredTwice().filter((line) => !Object.hasOwn(TWICE, line.slice(0, line.indexOf(':'))))).toEqual([]);
});
