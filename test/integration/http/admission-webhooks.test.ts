/**
 * Replays requests that webhooks review, over HTTPS with a webhook server, as recorded from release 1.31.1
 * (admission/webhooks).
 */
import { readRecording } from '../../replay/recording';
import { isBody, type Json } from '../../replay/json-response';
import { body } from '../../replay/shape';
import { isWebhookCase, prepareWebhookCases, runWebhookCase, type WebhookCase } from '../../replay/webhooks/run-case';
import { withCollectionDeletion } from '../../support/deviations/request-deviations';
import { startReviewServer } from '../../support/servers/review-server';
import { useClosable } from '../../support/use-resource';
import { useServer } from './fixture';
import { serviceAccountOptions } from './fixture-options';
import { auditedServer, RECORDED_USERS } from './request-targets';

const { cases } = readRecording('admission/webhooks', body, isWebhookCase);

const audited = auditedServer();
const webhooks = useClosable(() => startReviewServer());
const api = useServer({ naming: 'kubernetes', audit: audited.auditor, tokens: RECORDED_USERS, serviceAccounts: serviceAccountOptions() });
const target = audited.targetFor(api);
beforeAll(() => prepareWebhookCases(target));

/** Messages of this server in place of the recorded ones, by title of the case. */
const DEVIATING_MESSAGES: Readonly<Record<string, string>> = {
  // This server does not follow redirects.
  'mutating: redirect': 'the server responded with a redirect (302), which is not followed',
  'validating: redirect': 'the server responded with a redirect (302), which is not followed',
  'mutating: redirect-other-way': 'the server responded with a redirect (301), which is not followed',
  'validating: redirect-other-way': 'the server responded with a redirect (301), which is not followed',
  // A patch can neither change the kind of an object nor replace the whole object.
  'patch: patch-kind': 'no kind "Secret" is registered for version "v1"',
  'patch: patch-whole': 'replace operation does not apply',
  // This server reads EndpointSlices; upstream reads Endpoints.
  'a service without endpoints': 'no endpoints available for service "empty"',
};

test.each(cases.map((recorded) => [recorded.title, recorded] as const))(
  'the case "%s" gets the recorded response',
  async (title, recorded) => {
    const responses = responsesOf(await runWebhookCase(target, webhooks(), recorded));
    const deviation = DEVIATING_MESSAGES[title];
    if (deviation === undefined) {
      expect(comparable(title, responses)).toEqual(comparable(title, responsesOf(recorded).map(withCollectionDeletion)));
      return;
    }
    const [step] = responses;
    expect(step).toMatchObject({ status: 500, body: { reason: 'InternalError' } });
    expect(JSON.stringify(step)).toContain(JSON.stringify(deviation).slice(1, -1));
  },
);

/** Seconds of creations that their SLI leaves out. */
async function excludedSeconds(): Promise<number> {
  const text = await api.metrics();
  const sumOf = (name: string): number =>
    [...text.matchAll(new RegExp(`^${name}_sum\\{verb="POST".*\\} (.*)$`, 'gm'))].reduce((sum, [, seconds]) => sum + Number(seconds), 0);
  return sumOf('apiserver_request_duration_seconds') - sumOf('apiserver_request_sli_duration_seconds');
}

test.each(['mutating: allow', 'validating: allow'])(
  'the SLI of a request leaves out the time of its webhook, in the case "%s"',
  async (title) => {
    const allowed = cases.find((recorded) => recorded.title === title);
    if (allowed === undefined) throw new Error(`there is no case "${title}"`);
    const before = await excludedSeconds();
    await runWebhookCase(target, webhooks(), allowed);
    expect(await excludedSeconds()).toBeGreaterThan(before);
  },
);

/** The responses of a case, each with the method and path of its request. */
function responsesOf({ steps }: WebhookCase): readonly Json[] {
  const responses = steps.map(({ request: { method, path }, answer: response }) => ({ request: `${method} ${path}`, ...response }));
  return JSON.parse(JSON.stringify(responses)) as Json[];
}

/** Members of a pod that other plug-ins set. */
const POD_MEMBERS = new Set(['preemptionPolicy', 'priority', 'tolerations']);
/** A webhook receives a scale with the metadata of its workload; with upstream, as it was sent. */
const SCALE_MEMBERS = new Set(['creationTimestamp', 'managedFields', 'resourceVersion', 'selector', 'uid']);
/** A TokenRequest gets its name when the token is issued. */
const TOKEN_REQUEST_MEMBERS = new Set(['creationTimestamp', 'name']);
const UNCOMPARED_MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  Pod: POD_MEMBERS,
  Scale: SCALE_MEMBERS,
  TokenRequest: TOKEN_REQUEST_MEMBERS,
};

/** Leaves out the members of {@link UNCOMPARED_MEMBERS}, by the kind of the innermost object, and those of deliberate deviations. */
function comparable(title: string, responses: readonly Json[]): Json {
  // Webhooks see the name of each object of a deleted collection here, and a patched name is discarded.
  const hasNameDeviation = /collection|patch-name/.test(title);
  const isRedirected = title.includes('redirect');
  const drop = (value: Json, kind: string): Json => {
    if (Array.isArray(value)) return value.map((item) => drop(item, kind));
    if (!isBody(value)) return value;
    const ownKind = typeof value['kind'] === 'string' && value['apiVersion'] !== undefined ? value['kind'] : kind;
    const members = Object.entries(value).filter(
      ([name]) =>
        UNCOMPARED_MEMBERS[ownKind]?.has(name) !== true && !(hasNameDeviation && name === 'name') && !(isRedirected && name === 'calls'),
    );
    return Object.fromEntries(members.map(([name, inner]) => [name, drop(inner, ownKind)]));
  };
  return drop([...responses], '');
}
