/** Starts programs that load a module of the benchmark before their own (`--require`). */

/** Runs `start` so that the processes that it starts load `file`. */
export async function withPreload<T>(file: string, start: () => Promise<T>): Promise<T> {
  const before = process.env['NODE_OPTIONS'];
  process.env['NODE_OPTIONS'] = `${before ?? ''} --require=${file}`;
  try {
    return await start();
  } finally {
    if (before === undefined) delete process.env['NODE_OPTIONS'];
    else process.env['NODE_OPTIONS'] = before;
  }
}

/** Whether this process loads `file` because a parent demanded it; a parent itself imports the same file. */
export const isPreloaded = (file: string): boolean => process.env['NODE_OPTIONS']?.includes(file) === true && process.send !== undefined;
