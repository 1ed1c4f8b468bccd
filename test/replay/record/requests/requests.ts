/**
 * Records request sequences (format `requests`): sends the requests of a file in their order, then deletes what they
 * created. The server runs without controllers unless the head states otherwise; what an earlier, interrupted run left
 * behind makes the responses differ.
 */
import { setTimeout } from 'node:timers/promises';
import { readRecording } from '../../recording';
import { isNewCase, isRequestHead, type RecordedResponse, type RecordedRequest, type RequestHead } from '../../requests/request-recording';
import { RequestSession, UNCHANGED, type ReceivedResponse, type SentRequest } from '../../requests/request-session';
import * as upstreamSpelling from '../../normalize/spelling';
import { CreatedObjects } from '../objects/created-objects';
import type { ReferenceServer } from '../reference-server';

/** The headers of each user; the administrator's credentials are those of the kubeconfig. */
const AUTHORIZATION: Readonly<Record<SentRequest['user'], { readonly authorization?: string }>> = {
  admin: {},
  alice: { authorization: 'Bearer plaintoken' },
  anonymous: { authorization: '' },
};
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** How long a changed definition takes until the server serves it and has written its conditions. */
const DEFINITION_PAUSE_MS = 3_000;
/** The server acts on created objects (definitions, policies) in the background. */
const SETUP_PAUSE_MS = 500;

export async function recordRequests(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isRequestHead, isNewCase);
  const namespace = `${recording.slice(recording.lastIndexOf('/') + 1)}-${process.pid}`;
  const spelling = head.dialect === 'platform' ? upstreamSpelling : UNCHANGED;
  const created = new CreatedObjects();
  const session = new RequestSession((sent) => send(server, sent, created), namespace, head, spelling);
  const lines: unknown[] = [head];
  try {
    if (head.namespace === true)
      await session.exchange({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: '$NS' } } });
    const setup = head.setup ?? [];
    for (const request of setup) {
      await session.exchange(request);
      await setTimeout(pauseAfter(request, head));
    }
    if (setup.length > 0) await setTimeout(SETUP_PAUSE_MS);
    for (const { title, request } of cases) {
      const response = await session.exchange(request);
      lines.push({ ...(title === undefined ? {} : { title }), request, answer: withProgramName(response) });
      await setTimeout(pauseAfter(request, head));
    }
  } finally {
    await created.remove(server);
  }
  return lines;
}

async function send(server: ReferenceServer, request: SentRequest, created: CreatedObjects): Promise<ReceivedResponse> {
  const { method, path, headers, body = Buffer.alloc(0), user } = request;
  const { code, bytes, warnings } = await server.send({ method, path, headers: { ...headers, ...AUTHORIZATION[user] }, body });
  const text = bytes.toString();
  created.add(request, code, text);
  return { status: code, text, warnings };
}

/** How long the server needs after a request until its caches are up to date. Milliseconds. */
function pauseAfter({ method, path }: RecordedRequest, { pauseMs = 0 }: RequestHead): number {
  if (method === 'GET' || path.includes('dryRun')) return 0;
  return path.startsWith(DEFINITIONS) ? DEFINITION_PAUSE_MS : pauseMs;
}

/**
 * Names the field manager of the server's own writes as upstream's release does. It is the name of the program's file,
 * which for the reference server is `upstream`.
 */
function withProgramName(response: RecordedResponse): RecordedResponse {
  return JSON.parse(JSON.stringify(response).replaceAll('"manager":"upstream"', '"manager":"kube-apiserver"'));
}
