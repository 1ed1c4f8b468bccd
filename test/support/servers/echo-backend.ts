/**
 * Backends on Node and in Go that respond to each request with the request as they parsed it, and record it: they show
 * how another server parses proxied bytes.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Credential } from '../../../shared/pki/certificates';
import { findProgram } from '../external/find-program';
import { closeServer, listen } from './listen';
import { removeFolder, temporaryFolder } from '../programs';
import { reportSkipped } from '../report-skipped';
import { repository } from '../repository';

export interface EchoedRequest {
  /** Remote address of its connection. */
  readonly connection: string;
  /** Method and target. */
  readonly line: string;
  /** Value of X-Remote-User; '' when there is none. */
  readonly user: string;
  /** Names of headers and trailers, in lower case and in no order. Go leaves out those that it evaluates, such as Host. */
  readonly fields: readonly string[];
  /** Value of Content-Length. Without one: -1 on Node; in Go 0 for a request without a body, otherwise -1. */
  readonly length: number;
  /** Transfer codings. Node has the value of the header as one item. */
  readonly codings: readonly string[];
  readonly body: string;
}

export interface EchoBackend {
  readonly port: number;
  /** The requests so far, in the order in which their bodies ended. Callers may remove them. */
  readonly requests: EchoedRequest[];
  close(): Promise<void>;
}

/** Serves TLS when a certificate is given, else plain HTTP. */
export type StartBackend = (serving?: Credential) => Promise<EchoBackend>;

const startNodeBackend: StartBackend = async (serving) => {
  const requests: EchoedRequest[] = [];
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const { method = '', url = '', headers, trailers, socket } = request;
      const coding = headers['transfer-encoding'];
      const echoed: EchoedRequest = {
        connection: `${socket.remoteAddress ?? ''}:${socket.remotePort ?? 0}`,
        line: `${method} ${url}`,
        user: String(headers['x-remote-user'] ?? ''),
        fields: [...Object.keys(headers), ...Object.keys(trailers)],
        length: Number(headers['content-length'] ?? -1),
        codings: coding === undefined ? [] : [coding],
        body: Buffer.concat(chunks).toString(),
      };
      requests.push(echoed);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(echoed));
    });
  };
  const server = serving === undefined ? createPlain(respond) : createSecure({ cert: serving.certificate, key: serving.key }, respond);
  return { port: await listen(server), requests, close: () => closeServer(server) };
};

const findGo = (): string | undefined => findProgram('go', 'GO_BIN');

/** Compiles go-backend/main.go and runs it. */
const startGoBackend: StartBackend = async (serving) => {
  const folder = temporaryFolder('go-backend');
  const program = path.join(folder, 'backend');
  const source = path.join(repository, 'test/support/servers/go-backend/main.go');
  const buildEnvironment = { ...process.env, CGO_ENABLED: '0', GO111MODULE: 'off' };
  await promisify(execFile)(findGo() ?? '', ['build', '-o', program, source], { env: buildEnvironment });
  const files = serving === undefined ? [] : [path.join(folder, 'tls.crt'), path.join(folder, 'tls.key')];
  const [certificate = '', key = ''] = files;
  if (serving !== undefined) {
    writeFileSync(certificate, serving.certificate);
    writeFileSync(key, serving.key);
  }
  const child = spawn(program, files, { stdio: ['ignore', 'pipe', 'ignore'] });
  const requests: EchoedRequest[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the Go backend exited before it listened')));
    createInterface(child.stdout).on('line', (line) => {
      // The first line is the port, every other one a request.
      if (line.startsWith('{')) requests.push(JSON.parse(line));
      else resolve(Number(line));
    });
  });
  return {
    port,
    requests,
    async close() {
      const exited = once(child, 'close');
      child.kill();
      await exited;
      removeFolder(folder);
    },
  };
};

/** Declares the tests for a backend on Node, and for one in Go where it is installed. `body` receives a function that starts it. */
export function describeWithEachBackend(name: string, body: (start: StartBackend) => void): void {
  describe(`${name} on Node`, () => body(startNodeBackend));
  if (findGo() === undefined) reportSkipped(`${name} in Go`, 'no go in GO_BIN or on PATH');
  else describe(`${name} in Go`, () => body(startGoBackend));
}
