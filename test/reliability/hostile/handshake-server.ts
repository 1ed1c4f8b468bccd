/**
 * A process with the secure listener of the API server that aborts a handshake after 100 ms. Prints `port <port>` when
 * it listens and `failed` for each handshake that fails; responds to every request with `ok`. Arguments: PEM files of the
 * serving certificate and its key.
 */
import { readFileSync, writeSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { ConnectionLimiter } from '../../../apiserver/server/connections/connection-limiter';
import { listenSecurely, DEFAULT_TLS } from '../../../apiserver/server/connections/listeners';
import { systemClock } from '../../../shared/runtime/clock';

/** A short limit, so that the test sees handshakes end. */
const HANDSHAKE_MS = 100;
const STANDARD_OUTPUT = 1;

async function main(certificate: string, key: string): Promise<void> {
  const { port } = await listenSecurely(
    {
      host: '127.0.0.1',
      port: 0,
      tls: { cert: readFileSync(certificate), key: readFileSync(key) },
      bounds: DEFAULT_TLS,
      connections: new ConnectionLimiter({ total: 0, perAddress: 0 }),
      clock: systemClock,
      limits: { headersMs: HANDSHAKE_MS, idleMs: 60_000, checkMs: 20 },
      maxStreams: 100,
      onHandshakeFailed: () => void writeSync(STANDARD_OUTPUT, 'failed\n'),
    },
    (_request, reply) => {
      if (reply instanceof ServerResponse) reply.end('ok');
      else {
        reply.respond({ ':status': 200 });
        reply.end('ok');
      }
    },
  );
  writeSync(STANDARD_OUTPUT, `port ${port}\n`);
}

const [certificate = '', key = ''] = process.argv.slice(2);
void main(certificate, key);
