/** The waits of another client while one sends hostile requests, over HTTP/1.1 and HTTP/2, with and without credentials. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { withServer } from '../harness/bench-server';
import { startReadLoop } from '../harness/read-loop';
import { numberOption, textOption, TOKEN } from '../harness/settings';
import { HOSTILE_INPUTS, HOSTILE_SETUP, type HostileInput } from '../../support/http/hostile-inputs';
import { hostileRequest, type HostileClient, type HostileRequest } from '../../support/http/hostile-request';
import type { HostileOrder } from './hostile-sender';

/** Repetitions of each input, of which the longest time counts. */
const ROUNDS = 3;

/** Prints a row for each input. `--only`: a part of the names of the inputs; `--at-once`: how many copies of each are sent at a time. */
export async function hostile(): Promise<void> {
  console.log('\nlongest wait of another client in ms: HTTP/1.1, HTTP/2, both without credentials (responses)');
  await withServer(({ client }) => printWaits(`https://127.0.0.1:${client.port}`, textOption('only') ?? '', numberOption('at-once', 1)));
}

async function printWaits(origin: string, only: string, copies: number): Promise<void> {
  const sender = fork(path.join(__dirname, 'hostile-sender.js'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const send = async (request: HostileRequest, times = 1): Promise<number> => {
    sender.send({ request, times } satisfies HostileOrder);
    const [status] = (await once(sender, 'message')) as [number];
    return status;
  };
  const measure = async (input: HostileInput, client: HostileClient): Promise<{ readonly longestMs: number; readonly status: number }> => {
    const waits = startReadLoop({ origin, token: TOKEN }, 1);
    let status = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const step of input.setup ?? []) await send(hostileRequest(step, { ...client, token: TOKEN }));
      status = await send(hostileRequest(input, client), copies);
    }
    return { longestMs: (await waits.stop()).at(-1) ?? 0, status };
  };
  for (const step of HOSTILE_SETUP) await send(hostileRequest(step, { origin, http2: false, token: TOKEN }));
  for (const input of HOSTILE_INPUTS.filter(({ name }) => name.includes(only))) {
    const results = [
      await measure(input, { origin, http2: false, token: TOKEN }),
      await measure(input, { origin, http2: true, token: TOKEN }),
      await measure(input, { origin, http2: false, token: undefined }),
      await measure(input, { origin, http2: true, token: undefined }),
    ];
    const times = results.map(({ longestMs }) => longestMs.toFixed(0).padStart(5));
    console.log(`${input.name.padEnd(46)} ${times.join('')}  (${results.map(({ status }) => status).join(' ')})`);
  }
  sender.disconnect();
}
