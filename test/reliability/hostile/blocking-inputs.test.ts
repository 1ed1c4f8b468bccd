/**
 * Inputs that could block the server for other clients, against an API server process: with credentials over one of the
 * two protocols, each has a response or, for some, a closed connection, and other requests complete while the long ones
 * are processed; without credentials, each is rejected over both. Benchmarks measure the latency of other requests.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { HOSTILE_INPUTS, HOSTILE_SETUP, type HostileInput, type HostileStep } from '../../support/http/hostile-inputs';
import { hostileRequest, sendHostileRequest, type HostileClient } from '../../support/http/hostile-request';
import { waitUntil } from '../../support/programs';
import { useFolder } from '../../support/use-resource';
import { useHostileTarget, CONFIGMAPS } from './hostile-client';

const TOKEN = 'hostile';
const folder = useFolder('hostile-tokens');
const tokens = path.join(folder, 'tokens.csv');
writeFileSync(tokens, `${TOKEN},hostile,hostile,"system:masters"\n`, { mode: 0o600 });
const target = useHostileTarget(`--token-auth-file=${tokens}`);

/** Sends a step, with credentials by default. Resolves with the status. */
const send = (step: HostileStep, options: Partial<Omit<HostileClient, 'origin'>> = {}): Promise<number> =>
  sendHostileRequest(hostileRequest(step, { origin: target().client.address, http2: false, token: TOKEN, ...options }));

async function sendSetup({ setup = [] }: HostileInput): Promise<void> {
  for (const step of setup) await send(step);
}

/**
 * A connection may be closed before the response is read when the server does not read the body. On a busy machine
 * worker threads, which have low priority, may exceed the request timeout, so 504 is acceptable too.
 */
function expectAcceptable(status: number, { mayLoseResponse }: HostileInput): void {
  const isHandled = (status >= 200 && status < 500 && status !== 429) || status === 504;
  const isLost = mayLoseResponse === true && status === 0;
  if (!isHandled && !isLost) throw new Error(`the response has the status ${status}`);
}

/** The number of other requests that complete during an input; reached only when no step of the input blocks for long. */
const REQUIRED_RESPONSES = 11;

interface InputCase {
  readonly name: string;
  readonly http2: boolean;
  readonly input: HostileInput;
}

/** The inputs alternately over HTTP/1.1 and HTTP/2, because the expensive work does not depend on the protocol. */
const overEitherProtocol = (inputs: readonly HostileInput[]): readonly InputCase[] =>
  inputs.map((input, index) => ({ name: input.name, http2: index % 2 === 0, input }));

describe('the API server, given hostile inputs,', () => {
  beforeAll(async () => {
    for (const step of HOSTILE_SETUP) expect(await send(step)).toBe(201);
    // The custom resource is served after a moment.
    const things = '/apis/hostile.example.com/v1/namespaces/default/things';
    await waitUntil('the custom resource to be served', async () => (await send({ path: things })) !== 404);
  }, 30_000);

  it.each(overEitherProtocol(HOSTILE_INPUTS.filter(({ isSlow }) => isSlow !== true)))(
    'responds to $name (over HTTP/2: $http2)',
    async ({ http2, input }) => {
      await sendSetup(input);
      expectAcceptable(await send(input, { http2 }), input);
    },
    60_000,
  );

  it.each(overEitherProtocol(HOSTILE_INPUTS.filter(({ isSlow }) => isSlow === true)))(
    'completes other requests while it processes $name (over HTTP/2: $http2)',
    async ({ http2, input }) => {
      const { client } = target();
      await sendSetup(input);
      let isPending = true;
      const sent = send(input, { http2 }).finally(() => (isPending = false));
      let completed = 0;
      while (isPending && completed < REQUIRED_RESPONSES) {
        expect((await client.get(`${CONFIGMAPS}/calm`)).status).toBe(200);
        if (isPending) completed += 1;
      }
      expectAcceptable(await sent, input);
      expect(completed).toBe(REQUIRED_RESPONSES);
    },
    60_000,
  );

  const needsCredentials = ({ path = '' }: HostileInput): boolean => !path.startsWith('/healthz');

  it.each(HOSTILE_INPUTS.filter(needsCredentials))(
    'rejects $name without credentials over either protocol',
    async (input) => {
      for (const http2 of [false, true]) {
        const status = await send(input, { http2, token: undefined });
        const isLost = input.mayLoseResponse === true && status === 0;
        if (!isLost) expect(status).toBe(403);
      }
    },
    60_000,
  );
});
