/**
 * The `code` of an error of the system (`ENOENT`, `EADDRINUSE` …). Asks for the property and not for the class, because errors of Node's
 * own modules belong to another realm when the code runs inside a test's sandbox.
 */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
