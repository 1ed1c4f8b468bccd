/**
 * A program in place of the API server, for tests in which only the process matters: it responds over HTTPS with the path, the client's
 * subject and its own flags, reports over IPC that it is ready, and exits on SIGTERM and when its parent exits. Flags
 * control it, because the supervisor under test passes only flags: `--external-hostname=refuse` makes it exit as for an
 * invalid flag, and `--external-hostname=deaf` makes it outlive its parent.
 */
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { TLSSocket } from 'node:tls';

const args = process.argv.slice(2);
/** The exit code of the API server for an invalid flag. */
const USAGE_EXIT_CODE = 64;

/** The value of a flag; '' when it is not set. */
function flag(name: string): string {
  return args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3) ?? '';
}

function serve(): void {
  const [cert, key, ca] = ['tls-cert-file', 'tls-private-key-file', 'client-ca-file'].map((name) => readFileSync(flag(name)));
  const settings = { cert, key, ca, requestCert: true, rejectUnauthorized: true, allowHTTP1: true };
  const server = createSecureServer(settings, (request, response) => {
    const user = request.socket instanceof TLSSocket ? request.socket.getPeerCertificate().subject : undefined;
    response.end(JSON.stringify({ path: request.url, user, args }));
  });
  server.listen(Number(flag('secure-port')), '127.0.0.1', () => process.send?.('ready'));
  process.on('SIGTERM', () => process.exit(0));
  process.on('disconnect', () => {
    if (flag('external-hostname') !== 'deaf') process.exit(0);
  });
}

if (flag('external-hostname') === 'refuse') {
  process.stderr.write('fake: invalid --external-hostname\n');
  process.exit(USAGE_EXIT_CODE);
} else {
  serve();
}
