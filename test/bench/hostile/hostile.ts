/**
 * Measures the waits of another client while one sends hostile requests, over HTTP/1.1 and HTTP/2, with and without
 * credentials.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { startReadLoop } from '../harness/cluster-waits';
import { HOSTILE_INPUTS, HOSTILE_SETUP, type HostileInput } from '../../support/http/hostile-inputs';
import { hostileRequest, type HostileClient, type HostileRequest } from '../../support/http/hostile-request';
import type { HostileOrder } from './hostile-sender';

export interface HostileWait {
  readonly name: string;
  /** The longest wait of another client, in milliseconds, by protocol and credentials. */
  readonly longest: Readonly<Record<'http1' | 'http2' | 'http1 anonymous' | 'http2 anonymous', number>>;
  /** The statuses that the sender received, in the same order. */
  readonly statuses: readonly number[];
}

/** Repetitions of each input, of which the longest time counts. */
const ROUNDS = 3;

export interface HostileTarget {
  readonly origin: string;
  readonly token: string;
}

export interface HostileSelection {
  /** A part of the names of the inputs; '' selects all. */
  readonly only: string;
  /** How many copies of each are sent at once. */
  readonly copies: number;
}

/** Yields the longest wait of another client for each input that `selection` names. */
export async function* measureHostileInputs({ origin, token }: HostileTarget, selection: HostileSelection): AsyncGenerator<HostileWait> {
  const sender = fork(path.join(__dirname, 'hostile-sender.js'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const send = async (message: HostileRequest, atOnce = 1): Promise<number> => {
    sender.send({ request: message, times: atOnce } satisfies HostileOrder);
    const [status] = (await once(sender, 'message')) as [number];
    return status;
  };
  const measure = async (input: HostileInput, client: HostileClient): Promise<{ readonly longest: number; readonly status: number }> => {
    const waits = startReadLoop({ origin, token }, 1);
    let status = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const step of input.setup ?? []) await send(hostileRequest(step, { ...client, token }));
      status = await send(hostileRequest(input, client), selection.copies);
    }
    return { longest: (await waits.stop()).at(-1) ?? 0, status };
  };
  for (const step of HOSTILE_SETUP) await send(hostileRequest(step, { origin, http2: false, token }));
  for (const input of HOSTILE_INPUTS.filter(({ name }) => name.includes(selection.only))) {
    const results = [
      await measure(input, { origin, http2: false, token }),
      await measure(input, { origin, http2: true, token }),
      await measure(input, { origin, http2: false, token: undefined }),
      await measure(input, { origin, http2: true, token: undefined }),
    ] as const;
    const [http1, http2, http1Anonymous, http2Anonymous] = results;
    const longest = {
      http1: http1.longest,
      http2: http2.longest,
      'http1 anonymous': http1Anonymous.longest,
      'http2 anonymous': http2Anonymous.longest,
    };
    yield { name: input.name, longest, statuses: results.map(({ status }) => status) };
  }
  sender.disconnect();
}
