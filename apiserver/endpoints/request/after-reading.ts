/**
 * Avoids a crash of Node 20: events of HTTP/2 streams are emitted while Node's library processes a frame. Node frees a
 * stream that is reset in such an event, although the library still uses it; the corrupted heap ends the process.
 */

/** Runs `reset` when Node is not reading from any connection. */
export function afterReading(reset: () => void): void {
  setImmediate(reset);
}
