/**
 * Health check of containers: `node dist/deploy/compose/health.js <https address> [<authority file>]` exits with 0 when
 * the program responds with 200, otherwise with 1. Without an authority file the certificate is not verified. The check of
 * the node simulation has none: the simulation creates its certificate authority in memory, and runs in the same container
 * as the check.
 */
import { readFileSync } from 'node:fs';
import { get } from 'node:https';

/** Less than the timeout of the health checks in docker-compose.yml, so that this program reports the cause. */
const TIMEOUT_MS = 4_000;

function main(): void {
  const [address = '', authorityFile] = process.argv.slice(2);
  const trust = authorityFile === undefined ? { rejectUnauthorized: false } : { ca: readFileSync(authorityFile) };
  const request = get(address, { ...trust, timeout: TIMEOUT_MS }, (response) => {
    response.resume();
    process.exitCode = response.statusCode === 200 ? 0 : 1;
  });
  request.on('timeout', () => request.destroy(new Error('it takes too long')));
  request.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}

main();
