/** Tests the timeouts and retries of webhook calls. Calls over HTTP are tested with the callers. */
import { ManualClock } from '../../../test/support/clock/manual-clock';
import type { TransportRequest, TransportResponse } from '../transport/transport';
import { callWebhookWithRetries, callWebhook, type WebhookResult } from './webhook';

const random = { float: () => 0, uuid: () => '', string: () => '' };
let clock: ManualClock;
let asked: number[];
beforeEach(() => {
  clock = new ManualClock();
  asked = [];
});

type Answers = (attempt: number) => number | Error | 'nothing';

async function ask(answers: Answers, timeoutMs = 30_000): Promise<WebhookResult> {
  const address = {
    transport: {
      send({ signal }: { readonly signal?: AbortSignal }): Promise<TransportResponse> {
        asked.push(clock.monotonic());
        const answer = answers(asked.length);
        if (answer instanceof Error) return Promise.reject(answer);
        if (answer === 'nothing') {
          return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error(String(signal.reason)))));
        }
        const body = (async function* () {
          yield Buffer.from('{}');
        })();
        return Promise.resolve({ status: answer, header: () => undefined, body });
      },
      close: () => undefined,
    },
    path: '/',
    authorization: () => undefined,
  };
  const answer = callWebhookWithRetries(
    { address: () => address, clock, timeoutMs },
    random,
    { totalTimeoutMs: 30_000 },
    Buffer.from('{}'),
  );
  await clock.advanceAsync(60_000);
  return answer;
}

it.each([429, 500, 503])('callWebhookWithRetries calls a server that answers %d five times with growing delays', async (status) => {
  expect(await ask(() => status)).toMatchObject({ type: 'failure', status, error: new Error(`the webhook responded with ${status}`) });
  expect(asked).toEqual([0, 500, 1250, 2375, 4062.5]);
});

it('callWebhookWithRetries returns the response of the first successful attempt', async () => {
  expect(await ask((attempt) => (attempt < 3 ? 500 : 201))).toEqual({ type: 'response', bytes: Buffer.from('{}') });
});

it.each<[string, number | Error | 'nothing']>([
  ['redirects', 302],
  ['answers 400', 400],
  ['refuses the connection', new Error('connect ECONNREFUSED')],
  ['never answers', 'nothing'],
])('callWebhookWithRetries calls a server that %s only once', async (_title, answer) => {
  expect(await ask(() => answer)).toMatchObject({ type: 'failure' });
  expect(asked).toEqual([0]);
});

it('callWebhookWithRetries fails after the timeout of a call and after the time limit of all attempts', async () => {
  expect(await ask(() => 'nothing', 3_000)).toMatchObject({
    error: new Error('WebhookTimeout: no response within 3 s'),
    status: undefined,
  });
  asked = [];
  expect(await ask((attempt) => (attempt === 1 ? 500 : 'nothing'))).toMatchObject({
    error: new Error('WebhookTimeout: no response within 30 s'),
  });
  expect(asked).toHaveLength(2);
});

describe('callWebhook', () => {
  async function* empty(): AsyncIterable<Buffer> {}

  /** The paths that were asked, where each answer leads to `location`. */
  async function pathsAsked(status: number, location: string): Promise<readonly string[]> {
    const paths: string[] = [];
    const transport = {
      send({ method, path, body }: TransportRequest): Promise<TransportResponse> {
        paths.push(`${method} ${path} ${body?.toString()}`);
        return Promise.resolve({ status, header: (name) => (name === 'location' ? location : undefined), body: empty() });
      },
      close: () => undefined,
    };
    const address = { transport, path: '//x', authorization: () => 'Bearer t' };
    await callWebhook({ address: () => address, clock, timeoutMs: 1_000 }, Buffer.from('{}'));
    return paths;
  }

  it.each([307, 308])('follows a %d redirect to a path of the same server, at most ten requests in all', async (status) => {
    expect(await pathsAsked(status, '/x?y')).toEqual(['POST //x {}', ...Array<string>(9).fill('POST /x?y {}')]);
  });

  it.each<[number, string]>([
    [302, '/x'],
    [200, '/x'],
    [307, 'https://other.example/x'],
    [307, '//other.example/x'],
    [308, '/\\other.example/x'],
    [308, 'x'],
    [308, ''],
  ])('does not follow a %d response to %p', async (status, location) => {
    expect(await pathsAsked(status, location)).toEqual(['POST //x {}']);
  });
});
