/**
 * Every input that was made to hold up others, against the real process, over both protocols, with and without credentials: each is answered, and while the
 * long ones are worked at, others are. How long they wait is the bench's business.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { HOSTILE_INPUTS, HOSTILE_PREPARATION, type HostileInput, type HostileStep } from '../../support/hostile-inputs';
import { sendHostile, type HostileRequest } from '../../support/hostile-request';
import { temporaryFolder } from '../../support/programs';
import { hostileTarget, list } from './hostile-client';

const TOKEN = 'hostile';
const folder = temporaryFolder('hostile-tokens');
mkdirSync(folder, { recursive: true });
const tokens = path.join(folder, 'tokens.csv');
writeFileSync(tokens, `${TOKEN},hostile,hostile,"system:masters"\n`, { mode: 0o600 });
const target = hostileTarget(`--token-auth-file=${tokens}`);

function requestOf(
  { method = 'GET', path: asked = '/', headers = {}, body = '' }: HostileStep,
  http2: boolean,
  isKnown: boolean,
): HostileRequest {
  const sent = isKnown ? { ...headers, authorization: `Bearer ${TOKEN}` } : headers;
  return { origin: target().client.address, http2, method, path: asked, headers: sent, body };
}

async function prepare({ before = [] }: HostileInput): Promise<void> {
  for (const step of before) await sendHostile(requestOf(step, false, true));
}

/**
 * A connection may be cut before its answer is read, where the body is not. On a machine that is busy with other programs the threads, which come last, may need
 * longer than a request has: that is an answer as well.
 */
const isAnswer = (status: number, { mayBeCut }: HostileInput): boolean =>
  (status >= 200 && status < 500 && status !== 429) || status === 504 || (mayBeCut === true && status === 0);

/** As many others are answered in between an input's steps only where none of these is long. */
const ENOUGH = 11;

describe('the API server, given hostile inputs,', () => {
  beforeAll(async () => {
    for (const step of HOSTILE_PREPARATION) expect(await sendHostile(requestOf(step, false, true))).toBe(201);
    // Which takes a moment to be served.
    const things = '/apis/hostile.example.com/v1/namespaces/default/things';
    while ((await sendHostile(requestOf({ path: things }, false, true))) === 404);
  }, 30_000);

  // By turns over HTTP/1.1 and HTTP/2, since what is long about them lies behind both protocols. Those without credentials never get that far.
  it.each(HOSTILE_INPUTS.map((input, index) => [input.name, index % 2 === 0, input] as const))(
    'answers %s (over HTTP/2: %s), and rejects it without credentials',
    async (_, http2, input) => {
      // The long ones are sent below.
      if (input.isLong !== true) {
        await prepare(input);
        expect([await sendHostile(requestOf(input, http2, true))].filter((status) => !isAnswer(status, input))).toEqual([]);
      }
      for (const http2 of [false, true]) {
        const asStranger = await sendHostile(requestOf(input, http2, false));
        expect(asStranger === 403 || (input.path ?? '').startsWith('/healthz') || (input.mayBeCut === true && asStranger === 0)).toBe(true);
      }
    },
    60_000,
  );

  it.each(HOSTILE_INPUTS.filter(({ isLong }) => isLong === true).map((input, index) => [input.name, index % 2 === 0, input] as const))(
    'answers other requests before %s (over HTTP/2: %s)',
    async (_, http2, input) => {
      const { client } = target();
      await prepare(input);
      const pending = { value: true };
      const sent = sendHostile(requestOf(input, http2, true)).finally(() => (pending.value = false));
      let answered = 0;
      while (pending.value && answered < ENOUGH) {
        expect((await client.get(`${list}/calm`)).status).toBe(200);
        if (pending.value) answered += 1;
      }
      expect([await sent].filter((status) => !isAnswer(status, input))).toEqual([]);
      expect(answered).toBe(ENOUGH);
    },
    60_000,
  );
});
