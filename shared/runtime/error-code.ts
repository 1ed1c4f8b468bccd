/**
 * Reads the codes of system errors (`ENOENT`, `EADDRINUSE`). Checks the property instead of the class, because errors
 * of Node's own modules belong to another realm when the code runs inside the sandbox of a test.
 */

/** The code of a caught value; `undefined` when it has none. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
