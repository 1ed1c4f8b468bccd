/** What webhooks are asked and what becomes of their answers, over HTTPS with a real webhook server: replays what the reference server did (test/replay/webhooks.ts). */
import { parseTokenFile } from '../../../apiserver/authentication/token-file';
import { casesOf } from '../../replay/recording';
import { isBody, type Body, type Json } from '../../replay/reference';
import { body } from '../../replay/shape';
import { CASES } from '../../replay/webhooks/cases';
import { openNamespace, runCase, type Asked } from '../../replay/webhooks/run';
import { withCollectionDeletion } from '../../support/deviating-steps';
import { startReviewServer, type ReviewServer } from '../../support/review-server';
import { auditedServer } from './audited-server';
import { ADMIN, issuingAccounts, startFixture, type Fixture } from './fixture';

const RECORDED = casesOf('admission/webhooks', body);

const USERS = `${ADMIN},admin,admin-uid,"system:masters"\n`;

let fixture: Fixture;
let webhooks: ReviewServer;

const audited = auditedServer();
let server: Asked;

beforeAll(async () => {
  webhooks = await startReviewServer();
  fixture = await startFixture({
    naming: 'kubernetes',
    audit: audited.auditor,
    tokens: [parseTokenFile('tokens.csv', USERS, () => undefined)],
    serviceAccounts: issuingAccounts(),
  });
  server = audited.over(fixture);
  await openNamespace(server);
});

afterAll(async () => {
  await fixture.stop();
  await webhooks.close();
});

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

test.each(CASES.map((one) => [one.title, one] as const))('%s', async (title, one) => {
  const recorded = RECORDED.find((line) => line['title'] === title);
  const ours = await runCase(server, webhooks, one);
  const otherwise = OTHERWISE[title];
  if (otherwise === undefined) {
    const steps = Array.isArray(recorded?.['steps']) ? recorded['steps'].map(withCollectionDeletion) : [];
    expect(comparable(ours)).toEqual(comparable({ ...recorded, steps }));
    return;
  }
  const [step] = Array.isArray(ours['steps']) ? ours['steps'] : [];
  expect(step).toMatchObject({ code: 500, body: { reason: 'InternalError' } });
  expect(JSON.stringify(step)).toContain(JSON.stringify(otherwise).slice(1, -1));
});

/** What other plug-ins make of a pod. */
const OF_PODS = new Set(['preemptionPolicy', 'priority', 'tolerations']);
/** A scale is shown as its workload will be shown, and not as it was sent. */
const OF_SCALES = new Set(['creationTimestamp', 'managedFields', 'resourceVersion', 'selector', 'uid']);
/** A token gets its name when it is issued. */
const OF_TOKENS = new Set(['creationTimestamp', 'name']);
const DROPPED: Readonly<Record<string, ReadonlySet<string>>> = { Pod: OF_PODS, Scale: OF_SCALES, TokenRequest: OF_TOKENS };

function comparable(line: Body): Json {
  // Objects of a collection are shown by their names here, and a patched name is given up.
  const title = JSON.stringify(line['title'] ?? '');
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
  return drop(line, '');
}
