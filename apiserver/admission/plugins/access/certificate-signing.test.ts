/** Permissions to approve and sign CertificateSigningRequests, and the rejection of system:masters. */
import { certificateRequest } from '../../../../test/replay/scenarios/certificate-request';
import { refusalStatus, openWriteFixture, type WriteResult } from '../../../../test/support/store/write-fixture';
import type { JsonObject } from '../../../../shared/values/json';
import type { SignerUse } from './certificate-signing';

const REQUESTS = 'certificatesigningrequests';
const SIGNER = 'example.com/s';
const CERTIFICATE = Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n').toString('base64');

interface FixtureOptions {
  /** Signer of the stored CertificateSigningRequest `r`; without it none is stored. */
  readonly signerName?: string;
  readonly isAllowed?: (use: SignerUse) => boolean;
}

/** Opens a registry. `checks` are the permission checks of signers; `patch` patches the request `r`. */
async function openFixture({ signerName, isAllowed = () => false }: FixtureOptions = {}) {
  const checks: SignerUse[] = [];
  const fixture = await openWriteFixture({
    canUseSigner: (_user, use) => {
      checks.push(use);
      return isAllowed(use);
    },
  });
  if (signerName !== undefined) {
    await fixture.create(REQUESTS, request(signerName));
    await fixture.cache.catchUp();
  }
  const patch = (subresource: 'approval' | 'status', body: JsonObject): Promise<WriteResult> =>
    fixture.patch(REQUESTS, 'r', 'merge', body, { subresource });
  return { fixture, checks, patch };
}

/** The CertificateSigningRequest `r`. */
const request = (signerName: string, organizations = ['devs'], fields: JsonObject = {}): JsonObject => ({
  metadata: { name: 'r' },
  spec: {
    request: Buffer.from(certificateRequest({ commonName: 'c', organizations })).toString('base64'),
    signerName,
    usages: ['client auth'],
    ...fields,
  },
});
/** A patch that adds a condition. */
const condition = (type: string): JsonObject => ({ status: { conditions: [{ type, status: 'True' }] } });

const MESSAGE_PREFIX = 'certificatesigningrequests.certificates.platform.io "r" is forbidden: ';
const LABELS = { metadata: { labels: { a: 'b' } } };

describe('CertificateSigningRequest', () => {
  test.each<[subresource: 'approval' | 'status', body: JsonObject, verb: SignerUse['verb']]>([
    ['approval', condition('Approved'), 'approve'],
    ['approval', condition('Denied'), 'approve'],
    ['approval', condition('Noted'), 'approve'],
    ['approval', LABELS, 'approve'],
    ['approval', { spec: { signerName: 'mine.com/s' }, ...condition('Approved') }, 'approve'],
    ['status', { status: { certificate: CERTIFICATE } }, 'sign'],
    ['status', condition('Failed'), 'sign'],
    ['status', condition('Noted'), 'sign'],
    ['status', { spec: { signerName: 'mine.com/s' }, ...condition('Noted') }, 'sign'],
  ])('%s with %j requires permission to %s', async (subresource, body, verb) => {
    const { patch, checks } = await openFixture({ signerName: SIGNER });
    expect(await refusalStatus(patch(subresource, body))).toMatchObject({
      code: 403,
      message: `${MESSAGE_PREFIX}user not permitted to ${verb} requests with signerName "example.com/s"`,
      details: { name: 'r', kind: REQUESTS },
    });
    // Only the first attempt is compared: a patch that is retried asks again.
    expect(checks.slice(0, 2)).toEqual([
      { verb, name: 'example.com/s' },
      { verb, name: 'example.com/*' },
    ]);
  });

  test.each(['example.com/s', 'example.com/*'])('accepts approval and certificate with permission for the signer %s', async (name) => {
    const { patch } = await openFixture({ signerName: SIGNER, isAllowed: (use) => use.name === name });
    await patch('approval', condition('Approved'));
    await patch('status', { status: { certificate: CERTIFICATE } });
  });

  test('requires no signer permission for labels and unchanged status', async () => {
    const { fixture, patch, checks } = await openFixture({ signerName: SIGNER });
    await patch('status', LABELS);
    await patch('status', {});
    await fixture.patch(REQUESTS, 'r', 'merge', LABELS);
    expect(checks).toEqual([]);
  });

  test.each(['platform', 'kubernetes'])('permission check uses the canonical spelling of a signer in the %s spelling', async (product) => {
    const { patch, checks } = await openFixture({ signerName: `${product}.io/kubelet-serving` });
    await refusalStatus(patch('approval', condition('Approved')));
    const [firstCheck] = checks;
    expect(firstCheck).toEqual({ verb: 'approve', name: 'platform.io/kubelet-serving' });
  });

  test('is validated before the permission check', async () => {
    const { patch } = await openFixture({ signerName: SIGNER });
    expect(await refusalStatus(patch('approval', { status: { conditions: [{ type: 'Approved' }] } }))).toMatchObject({ code: 422 });
  });
});

describe('CertificateSubjectRestriction', () => {
  test.each(['platform.io', 'kubernetes.io'])('rejects system:masters for the signer %s/kube-apiserver-client', async (product) => {
    const { fixture } = await openFixture();
    const signer = `${product}/kube-apiserver-client`;
    expect(await refusalStatus(fixture.create(REQUESTS, request(signer, ['devs', 'system:masters'])))).toMatchObject({
      code: 403,
      message: `${MESSAGE_PREFIX}use of ${signer} signer with system:masters group is not allowed`,
    });
    await fixture.create(REQUESTS, request(signer, ['devs']));
  });

  test('admits system:masters for the signer example.com/s', async () => {
    const { fixture } = await openFixture();
    await fixture.create(REQUESTS, request(SIGNER, ['system:masters']));
  });

  test('runs after the validation of the kind', async () => {
    const { fixture } = await openFixture();
    const invalid = request('platform.io/kube-apiserver-client', ['system:masters'], { expirationSeconds: 1 });
    expect(await refusalStatus(fixture.create(REQUESTS, invalid))).toMatchObject({ code: 422 });
  });
});
