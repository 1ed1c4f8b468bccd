/** Replays requests that webhooks review, over HTTPS with a webhook server, as recorded from release 1.31.1 (admission/webhooks). */
import { recordingOf } from '../../replay/recording';
import { isBody, type Json } from '../../replay/reference';
import { body } from '../../replay/shape';
import { isWebhookCase, prepareWebhookCases, runWebhookCase, type WebhookCase } from '../../replay/webhooks/run-case';
import { withCollectionDeletion } from '../../support/deviating-steps';
import { startReviewServer } from '../../support/review-server';
import { useClosable } from '../../support/use-resource';
import { issuingAccounts, useServer } from './fixture';
import { auditedServer, RECORDED_USERS } from './targets';

const { cases } = recordingOf('admission/webhooks', body, isWebhookCase);

const audited = auditedServer();
const webhooks = useClosable(() => startReviewServer());
const api = useServer({ naming: 'kubernetes', audit: audited.auditor, tokens: RECORDED_USERS, serviceAccounts: issuingAccounts() });
const target = audited.over(api);
beforeAll(() => prepareWebhookCases(target));

/** By title, what of the recorded answer is not ours: see the notes beside. */
const OTHERWISE: Readonly<Record<string, string>> = {
  // Such redirects are not followed.
  'mutating: redirect': 'the server answered with a redirect (302), which is not followed',
  'validating: redirect': 'the server answered with a redirect (302), which is not followed',
  'mutating: redirect-other-way': 'the server answered with a redirect (301), which is not followed',
  'validating: redirect-other-way': 'the server answered with a redirect (301), which is not followed',
  // An object keeps the kind that it was sent as, and stays an object.
  'patch: patch-kind': 'no kind "Secret" is registered for version "v1"',
  'patch: patch-whole': 'replace operation does not apply',
  // Endpoints are found in slices.
  'a service without endpoints': 'no endpoints available for service "empty"',
};

test.each(cases.map((recorded) => [recorded.title, recorded] as const))(
  'the case "%s" is answered as recorded',
  async (title, recorded) => {
    const answers = answersOf(await runWebhookCase(target, webhooks(), recorded));
    const otherwise = OTHERWISE[title];
    if (otherwise === undefined) {
      expect(comparable(title, answers)).toEqual(comparable(title, answersOf(recorded).map(withCollectionDeletion)));
      return;
    }
    const [step] = answers;
    expect(step).toMatchObject({ status: 500, body: { reason: 'InternalError' } });
    expect(JSON.stringify(step)).toContain(JSON.stringify(otherwise).slice(1, -1));
  },
);

/** The answers of a case, each with the method and path of its request. */
function answersOf({ steps }: WebhookCase): readonly Json[] {
  const answers = steps.map(({ request: { method, path }, answer }) => ({ request: `${method} ${path}`, ...answer }));
  return JSON.parse(JSON.stringify(answers)) as Json[];
}

/** What other plug-ins make of a pod. */
const OF_PODS = new Set(['preemptionPolicy', 'priority', 'tolerations']);
/** A scale is shown as its workload will be shown, and not as it was sent. */
const OF_SCALES = new Set(['creationTimestamp', 'managedFields', 'resourceVersion', 'selector', 'uid']);
/** A token gets its name when it is issued. */
const OF_TOKENS = new Set(['creationTimestamp', 'name']);
const DROPPED: Readonly<Record<string, ReadonlySet<string>>> = { Pod: OF_PODS, Scale: OF_SCALES, TokenRequest: OF_TOKENS };

function comparable(title: string, answers: readonly Json[]): Json {
  // Webhooks see the name of each object of a deleted collection here, and a patched name is discarded.
  const isNamed = /collection|patch-name/.test(title);
  const isRedirected = title.includes('redirect');
  const drop = (value: Json, kind: string): Json => {
    if (Array.isArray(value)) return value.map((item) => drop(item, kind));
    if (!isBody(value)) return value;
    const own = typeof value['kind'] === 'string' && value['apiVersion'] !== undefined ? value['kind'] : kind;
    const members = Object.entries(value).filter(
      ([name]) => DROPPED[own]?.has(name) !== true && !(isNamed && name === 'name') && !(isRedirected && name === 'calls'),
    );
    return Object.fromEntries(members.map(([name, inner]) => [name, drop(inner, own)]));
  };
  return drop([...answers], '');
}
