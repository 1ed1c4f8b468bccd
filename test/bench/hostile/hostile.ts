/**
 * Measures the waits of another client while one sends hostile requests, over HTTP/1.1 and HTTP/2, with and without
 * credentials.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { startReadLoop } from '../harness/cluster-waits';
import { HOSTILE_INPUTS, HOSTILE_SETUP, type HostileInput, type HostileStep } from '../../support/http/hostile-inputs';
import type { HostileRequest } from '../../support/http/hostile-request';
import type { HostileOrder } from './hostile-sender';

export interface HostileWait {
  readonly name: string;
  /** The longest wait of another client, in milliseconds, by protocol and credentials. */
  readonly longest: Readonly<Record<'http1' | 'http2' | 'http1 anonymous' | 'http2 anonymous', number>>;
  /** The statuses that the sender received, in the same order. */
  readonly statuses: readonly number[];
}

const ROUNDS = 3;

/** `only` selects inputs by a part of their names; '' selects all. Each is sent `times` times at once. */
export async function* measureHostileInputs(origin: string, token: string, only: string, times: number): AsyncGenerator<HostileWait> {
  const sender = fork(path.join(__dirname, 'hostile-sender.js'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const authorization = `Bearer ${token}`;
  const send = async (message: HostileRequest, atOnce = 1): Promise<number> => {
    sender.send({ request: message, times: atOnce } satisfies HostileOrder);
    const [status] = (await once(sender, 'message')) as [number];
    return status;
  };
  const request = (
    { method = 'GET', path: target = '/', headers = {}, body = '' }: HostileStep,
    http2: boolean,
    isAuthenticated: boolean,
  ): HostileRequest => ({
    origin,
    http2,
    method,
    path: target,
    headers: isAuthenticated ? { ...headers, authorization } : headers,
    body,
  });
  const measure = async (
    input: HostileInput,
    http2: boolean,
    isAuthenticated: boolean,
  ): Promise<{ readonly longest: number; readonly status: number }> => {
    const waits = startReadLoop({ origin, token }, 1);
    let status = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const step of input.setup ?? []) await send(request(step, http2, true));
      status = await send(request(input, http2, isAuthenticated), times);
    }
    return { longest: (await waits.stop()).at(-1) ?? 0, status };
  };
  for (const step of HOSTILE_SETUP) await send(request(step, false, true));
  for (const input of HOSTILE_INPUTS.filter(({ name }) => name.includes(only))) {
    const results = [
      await measure(input, false, true),
      await measure(input, true, true),
      await measure(input, false, false),
      await measure(input, true, false),
    ] as const;
    const [a, b, c, d] = results.map(({ longest }) => longest);
    const longest = { http1: a ?? 0, http2: b ?? 0, 'http1 anonymous': c ?? 0, 'http2 anonymous': d ?? 0 };
    yield { name: input.name, longest, statuses: results.map(({ status }) => status) };
  }
  sender.disconnect();
}
