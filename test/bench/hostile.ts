/**
 * What another client waits at most while one client sends a request that is made to take long: every input of the table, over HTTP/1.1 and HTTP/2,
 * with and without credentials. Of several rounds the calmest counts, because other processes of the machine only ever add to a wait.
 */
import { connect } from 'node:http2';
import { Agent, request } from 'node:https';
import { HOSTILE_INPUTS, type HostileInput } from '../support/hostile-inputs';
import { Probe } from './probe';

export interface HostileWaits {
  readonly name: string;
  /** Milliseconds of the longest wait: HTTP/1.1 with and without credentials, HTTP/2 with and without. */
  readonly longestMs: readonly number[];
  /** The answer to the one with credentials over HTTP/1.1; 0 when the connection was closed. */
  readonly status: number;
}

const ROUNDS = 3;
const SENT_A_ROUND = 3;

type Send = (input: HostileInput, headers: Readonly<Record<string, string>>) => Promise<number>;

/** Calls `told` with each row. */
export async function hostileWaits(port: number, token: string, told: (waits: HostileWaits) => void): Promise<void> {
  const probe = await Probe.start(port, token, '/api/v1/namespaces/default');
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const credentials = { authorization: `Bearer ${token}` };
  const ways: readonly (readonly [Send, Readonly<Record<string, string>>])[] = [
    [(input, headers) => overHttp1(port, agent, input, headers), credentials],
    [(input, headers) => overHttp1(port, agent, input, headers), {}],
    [(input, headers) => overHttp2(port, input, headers), credentials],
    [(input, headers) => overHttp2(port, input, headers), {}],
  ];
  try {
    for (const input of HOSTILE_INPUTS) {
      const longestMs: number[] = [];
      let status = 0;
      for (const [index, [send, headers]] of ways.entries()) {
        let longest = Infinity;
        for (let round = 0; round < ROUNDS; round += 1) {
          await probe.waits();
          for (let sent = 0; sent < SENT_A_ROUND; sent += 1) {
            const answered = await send(input, headers);
            if (index === 0) status = answered;
          }
          longest = Math.min(longest, (await probe.waits()).longestMs);
        }
        longestMs.push(longest);
      }
      told({ name: input.name, longestMs, status });
    }
  } finally {
    probe.stop();
    agent.destroy();
  }
}

function headersOf(input: HostileInput): Record<string, string> {
  return input.body === undefined ? {} : { 'content-type': input.type ?? 'application/json' };
}

function overHttp1(port: number, agent: Agent, input: HostileInput, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve) => {
    const options = {
      host: '127.0.0.1',
      port,
      agent,
      method: input.method,
      path: input.path,
      headers: { ...headersOf(input), ...headers },
    };
    const sent = request(options, (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', () => resolve(0));
    sent.end(input.body?.());
  });
}

function overHttp2(port: number, input: HostileInput, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve) => {
    const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    let status = 0;
    session.once('error', () => resolve(status));
    session.once('close', () => resolve(status));
    const stream = session.request({ ':method': input.method, ':path': input.path, ...headersOf(input), ...headers });
    stream.once('response', (head) => (status = Number(head[':status'])));
    stream.once('error', () => session.destroy());
    stream.once('close', () => session.destroy());
    stream.resume();
    stream.end(input.body?.());
  });
}
