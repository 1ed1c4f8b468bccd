/** The package as its users install it: packed, and unpacked into a folder outside the repository. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { repository } from './repository';

export const PACKAGE = 'cluster-control-plane';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Creates the package as `npm run package` does; returns the path of the file in `folder`. */
export function packPackage(folder: string): string {
  const script = path.join(repository, 'deploy/scripts/package.mjs');
  return path.join(folder, execFileSync(process.execPath, [script], { cwd: folder, encoding: 'utf8' }).trim());
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
