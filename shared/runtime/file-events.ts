/**
 * Events of the file system that may mean that some files have changed. Folders are watched, not files, so that a file that is replaced by another is noticed,
 * and so is the swap of a folder behind a link (`..data`, as kubelets mount volumes). An event may be missed or mean nothing: it is a hint to compare.
 */
import { realpathSync, watch, type FSWatcher } from 'node:fs';
import path from 'node:path';

/** Calls `notify` when one of the files may have changed, until what it returns is called. */
export type FileEvents = (paths: readonly string[], notify: () => void) => () => void;

export const fileEvents: FileEvents = (paths, notify) => {
  const watchers = [...namesByFolder(paths)].flatMap(([folder, names]) => {
    const watcher = watchFolder(folder, (name) => {
      if (name === null || names.has(name) || name.startsWith('..')) notify();
    });
    return watcher === undefined ? [] : [watcher];
  });
  return () => watchers.forEach((watcher) => watcher.close());
};

/** Undefined when the folder does not exist, or the system takes no more watches: the comparisons go on. */
function watchFolder(folder: string, onEvent: (name: string | null) => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, (_type, name) => onEvent(name));
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

/** Of the files, and of what they are links to. */
function namesByFolder(paths: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Map<string, Set<string>>();
  for (const file of paths.flatMap((given) => [path.resolve(given), targetOf(given)])) {
    const folder = path.dirname(file);
    folders.set(folder, (folders.get(folder) ?? new Set()).add(path.basename(file)));
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
