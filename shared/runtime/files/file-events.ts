/**
 * Reports file system events that may indicate changes of files. Watches folders instead of files, to detect the
 * replacement of a file and the swap of a folder behind a link (`..data`, as kubelets mount volumes). Events are hints:
 * one may be missed, or come without a change.
 */
import { realpathSync, watch, type FSWatcher } from 'node:fs';
import path from 'node:path';

/**
 * Calls `notify` when one of the files may have changed, until the returned function is called. Follows the folders and
 * links that exist at the call: not those that appear later. The watch of a folder ends at its first error.
 */
export type FileEvents = (paths: readonly string[], notify: () => void) => () => void;

/**
 * The events of the operating system. Also notifies of names with two leading dots: kubelets swap a folder behind a link
 * of such a name.
 */
export const fileEvents: FileEvents = (paths, notify) => {
  const watchers = [...namesByFolder(paths)].flatMap(([folder, names]) => {
    const watcher = watchFolder(folder, (name) => {
      if (name === null || names.has(name) || name.startsWith('..')) notify();
    });
    return watcher === undefined ? [] : [watcher];
  });
  return () => watchers.forEach((watcher) => watcher.close());
};

/**
 * `undefined` after any error, such as a missing folder or too many watches; changes are then found by the periodic
 * comparison in file-watch.ts.
 */
function watchFolder(folder: string, onEvent: (name: string | null) => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, (_type, name) => onEvent(name));
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

/** The names of the files and of the files that they link to, by folder. */
function namesByFolder(paths: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Map<string, Set<string>>();
  for (const target of paths.flatMap((file) => [path.resolve(file), targetOf(file)])) {
    const folder = path.dirname(target);
    folders.set(folder, (folders.get(folder) ?? new Set()).add(path.basename(target)));
  }
  return folders;
}

function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}
