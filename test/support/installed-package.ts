/** The package as its users install it: packed, and unpacked into a folder outside the repository. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { removeFolder, temporaryFolder } from './programs';
import { repository } from './repository';

/** The name under which it is published. */
export const PACKAGE = 'cluster-control-plane';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

interface PackedFile {
  readonly name: string;
  readonly content: Buffer;
}

/** At most one. Packing takes 8 s of processor time, and the test files of a group share this module. */
const packed: PackedFile[] = [];

/** Writes the package to `folder`, as `npm run package` does there; returns the path of the file. */
export function packPackage(folder: string): string {
  const { name, content } = packed[0] ?? packOnce();
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

function packOnce(): PackedFile {
  const folder = temporaryFolder('packed');
  const script = path.join(repository, 'deploy/scripts/package.mjs');
  const name = execFileSync(process.execPath, [script], { cwd: folder, encoding: 'utf8' }).trim();
  const file = { name, content: readFileSync(path.join(folder, name)) };
  removeFolder(folder);
  packed.push(file);
  return file;
}

/**
 * Returns `<folder>/node_modules`. It holds the package, its dependencies and the packages `others`, and no other
 * package of the repository.
 */
export function installPackage(folder: string, others: readonly string[]): string {
  const modules = path.join(folder, 'node_modules');
  const target = path.join(modules, PACKAGE);
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', packPackage(folder), '--strip-components=1', '-C', target]);
  const { dependencies }: Manifest = JSON.parse(readFileSync(path.join(target, 'package.json'), 'utf8'));
  for (const name of [...Object.keys(dependencies), ...others]) {
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(path.join(repository, 'node_modules', name), path.join(modules, name), 'dir');
  }
  return modules;
}
