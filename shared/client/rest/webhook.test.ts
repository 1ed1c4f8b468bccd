/** Tests the timeouts and retries of webhook calls. Calls over HTTP are tested with the callers. */
import { ManualClock } from '../../../test/support/clock/manual-clock';
import type { TransportRequest, TransportResponse } from '../transport/transport';
import { callWebhookWithRetries, callWebhook, type WebhookResult } from './webhook';

const random = { float: () => 0, uuid: () => '', string: () => '' };

/** A status, the error of a connection, or no response until the call is aborted. */
type WebhookOutcome = number | Error | 'no response';

interface Calls {
  readonly result: WebhookResult;
  /** Clock.monotonic at each attempt; the first one is at 0. */
  readonly attemptTimes: readonly number[];
}

async function callWithRetries(outcomeOf: (attempt: number) => WebhookOutcome, timeoutMs = 30_000): Promise<Calls> {
  const clock = new ManualClock();
  const attemptTimes: number[] = [];
  const address = {
    transport: {
      send({ signal }: { readonly signal?: AbortSignal }): Promise<TransportResponse> {
        attemptTimes.push(clock.monotonic());
        const outcome = outcomeOf(attemptTimes.length);
        if (outcome instanceof Error) return Promise.reject(outcome);
        if (outcome === 'no response') {
          return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error(String(signal.reason)))));
        }
        const body = (async function* () {
          yield Buffer.from('{}');
        })();
        return Promise.resolve({ status: outcome, header: () => undefined, body });
      },
      close: () => undefined,
    },
    path: '/',
    authorization: () => undefined,
  };
  const result = callWebhookWithRetries({ address: () => address, clock, timeoutMs }, Buffer.from('{}'), {
    random,
    totalTimeoutMs: 30_000,
  });
  await clock.advanceAsync(60_000);
  return { result: await result, attemptTimes };
}

it.each([429, 500, 503])('callWebhookWithRetries calls a server that responds with %d five times with growing delays', async (status) => {
  const { result, attemptTimes } = await callWithRetries(() => status);
  expect(result).toMatchObject({ type: 'failure', status, error: new Error(`the webhook responded with ${status}`) });
  expect(attemptTimes).toEqual([0, 500, 1250, 2375, 4062.5]);
});

it('callWebhookWithRetries returns the response of the first successful attempt', async () => {
  const { result } = await callWithRetries((attempt) => (attempt < 3 ? 500 : 201));
  expect(result).toEqual({ type: 'response', bytes: Buffer.from('{}') });
});

it.each<[string, WebhookOutcome]>([
  ['redirects', 302],
  ['responds with 400', 400],
  ['refuses the connection', new Error('connect ECONNREFUSED')],
  ['never responds', 'no response'],
])('callWebhookWithRetries calls a server that %s only once', async (_title, outcome) => {
  const { result, attemptTimes } = await callWithRetries(() => outcome);
  expect(result).toMatchObject({ type: 'failure' });
  expect(attemptTimes).toEqual([0]);
});

it('callWebhookWithRetries fails after the timeout of a call', async () => {
  const { result } = await callWithRetries(() => 'no response', 3_000);
  expect(result).toMatchObject({ error: new Error('WebhookTimeout: no response within 3 s'), status: undefined });
});

it('callWebhookWithRetries fails after the time limit of all attempts', async () => {
  const { result, attemptTimes } = await callWithRetries((attempt) => (attempt === 1 ? 500 : 'no response'));
  expect(result).toMatchObject({ error: new Error('WebhookTimeout: no response within 30 s') });
  expect(attemptTimes).toHaveLength(2);
});

describe('callWebhook', () => {
  async function* empty(): AsyncIterable<Buffer> {}

  /** The requests that a server receives which responds to each with the status and the Location header. */
  async function requestsWith(status: number, location: string): Promise<readonly string[]> {
    const clock = new ManualClock();
    const requests: string[] = [];
    const transport = {
      send({ method, path, body }: TransportRequest): Promise<TransportResponse> {
        requests.push(`${method} ${path} ${body?.toString()}`);
        return Promise.resolve({ status, header: (name) => (name === 'location' ? location : undefined), body: empty() });
      },
      close: () => undefined,
    };
    const address = { transport, path: '//x', authorization: () => 'Bearer t' };
    await callWebhook({ address: () => address, clock, timeoutMs: 1_000 }, Buffer.from('{}'));
    return requests;
  }

  it.each([307, 308])('follows a %d redirect to a path of the same server, at most ten requests in all', async (status) => {
    expect(await requestsWith(status, '/x?y')).toEqual(['POST //x {}', ...Array<string>(9).fill('POST /x?y {}')]);
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
    expect(await requestsWith(status, location)).toEqual(['POST //x {}']);
  });
});
