/**
 * Replays recordings of request sequences against an API server in this process: a test for each request, which
 * compares status, warnings and body. The options define the expected responses where this server deliberately differs.
 */
import { isBody } from '../../replay/json-response';
import { requestRecording, type RecordedResponse, type RecordedRequest, type RequestCase } from '../../replay/requests/request-recording';
import { RequestSession, type ReceivedResponse, type SentRequest } from '../../replay/requests/request-session';
import { ADMIN, ALICE } from './api-call';
import { useServer, type Fixture } from './fixture';
import type { FixtureOptions } from './fixture-options';

export interface ReplayOptions {
  readonly server?: () => FixtureOptions | Promise<FixtureOptions>;
  /** Creates what the recorded server had before the first request. */
  readonly prepare?: (api: Fixture) => Promise<void>;
  /** The request as it is sent to this server, and the expected response. */
  readonly withDeviation?: (recorded: RequestCase) => RequestCase;
  /** The part of a response that is compared. */
  readonly comparable?: (response: RecordedResponse, expected: RecordedResponse) => RecordedResponse;
  /** Whether the request is repeated because the server writes what it reads in the background. */
  readonly isPending?: (request: RecordedRequest, response: RecordedResponse, expected: RecordedResponse) => boolean;
}

const TOKENS: Readonly<Record<SentRequest['user'], string | null>> = { admin: ADMIN, alice: ALICE, anonymous: null };
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Characters of a path in the title of a test. */
const SHOWN_PATH_LENGTH = 120;

/** The recordings have one dialect and are replayed against one server. */
export function replayRequests(recordings: readonly string[], options: ReplayOptions = {}): void {
  const { withDeviation = (recorded) => recorded, comparable = (response) => response, isPending = () => false } = options;
  const loaded = recordings.map((recording, index) => ({ recording, namespace: `replayed-${index}`, ...requestRecording(recording) }));
  describe('recorded requests', () => {
    const naming = loaded[0]?.head.dialect ?? 'platform';
    const api = useServer(async () => ({ naming, ...(await options.server?.()) }));
    beforeAll(() => options.prepare?.(api));

    describe.each(loaded)('$recording', ({ head, cases, namespace }) => {
      const session = new RequestSession((request) => send(api, request), namespace, head);
      beforeAll(async () => {
        if (head.namespace === true)
          await session.exchange({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: '$NS' } } });
        for (const request of head.setup ?? []) await sendSetupRequest(api, session, request);
      });

      it.each(cases.map((recorded, index) => [nameOf(recorded, index), recorded] as const))(
        '%s has the recorded response',
        async (_name, recorded) => {
          const { request, answer: expected } = withDeviation(recorded);
          let response = await session.exchange(request);
          while (isPending(request, response, expected)) response = await session.exchange(request);
          expect(comparable(response, expected)).toEqual(expected);
        },
      );
    });
  });
}

async function sendSetupRequest(api: Fixture, session: RequestSession, request: RecordedRequest): Promise<void> {
  expect((await session.exchange(request)).status).toBeLessThan(300);
  const metadata = request.path === DEFINITIONS && isBody(request.body) ? request.body['metadata'] : undefined;
  const name = isBody(metadata) ? metadata['name'] : undefined;
  if (typeof name !== 'string') return;
  // The server accepts the names of a definition in the background.
  while (!(await api.get(`${DEFINITIONS}/${name}`)).text.includes('"InitialNamesAccepted"'));
}

/** The title of a test, which starts with the line number in the recording. */
function nameOf({ title, request: { method, path } }: RequestCase, index: number): string {
  const shown = path.length > SHOWN_PATH_LENGTH ? `${path.slice(0, SHOWN_PATH_LENGTH)}…` : path;
  return `line ${index + 2}: ${method} ${shown}${title === undefined ? '' : ` (${title})`}`;
}

async function send(api: Fixture, { method, path, headers, body, user }: SentRequest): Promise<ReceivedResponse> {
  const response = await api.call(path, {
    method,
    headers,
    token: TOKENS[user],
    local: user === 'admin',
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, text: response.text, warnings: response.warnings };
}
