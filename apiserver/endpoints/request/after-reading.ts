/**
 * Runs `reset` when Node is not reading from any connection. Events of HTTP/2 streams are emitted while Node's
 * library processes a frame; Node 20 frees a stream that is reset there although the library still uses it, and the
 * corrupted heap ends the process.
 */
export function afterReading(reset: () => void): void {
  setImmediate(reset);
}
