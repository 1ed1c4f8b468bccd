/** Tests the endpoints of certificate approvals and ephemeral containers; the errors are those of upstream. */
import { arrayAt, objectAt, type JsonObject } from '../../shared/values/json';
import { CERTIFICATE_REQUEST } from '../../test/support/certificates/certificate-request';
import { refusalStatus, openWriteFixture, type WriteResult } from '../../test/support/store/write-fixture';

describe('CertificateSigningRequest subresources', () => {
  const REQUEST = 'certificatesigningrequests';
  const PEM = Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n').toString('base64');
  const OTHER_PEM = Buffer.from('-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n').toString('base64');

  const withConditions = (...types: string[]): JsonObject => ({ conditions: types.map((type) => ({ type, status: 'True' })) });

  /** A stored request, and a function that patches its status. */
  async function openRequest() {
    const fixture = await openWriteFixture();
    const spec = { request: Buffer.from(CERTIFICATE_REQUEST).toString('base64'), signerName: 'example.com/x', usages: ['client auth'] };
    await fixture.create(REQUEST, { metadata: { name: 'r', labels: { l: '1' } }, spec });
    await fixture.cache.catchUp();
    const patch = (subresource: 'approval' | 'status', status: JsonObject, members: JsonObject = {}): Promise<WriteResult> =>
      fixture.patch(REQUEST, 'r', 'merge', { ...members, status }, { subresource });
    return { fixture, patch };
  }

  test('the approval endpoint sets the times of a new condition', async () => {
    const { patch } = await openRequest();
    const { object } = await patch('approval', withConditions('Approved'));
    const time = '2026-01-02T03:04:05Z';
    expect(object['status']).toEqual({
      conditions: [{ type: 'Approved', status: 'True', lastUpdateTime: time, lastTransitionTime: time }],
    });
  });

  test('the approval endpoint keeps the transition time of a condition whose status does not change', async () => {
    const { fixture, patch } = await openRequest();
    await patch('approval', withConditions('Approved'));
    fixture.clock.advance(10_000);
    const { object } = await patch('approval', { conditions: [{ type: 'Approved', status: 'True', reason: 'r' }] });
    expect(arrayAt(objectAt(object, 'status'), 'conditions')).toEqual([
      {
        type: 'Approved',
        status: 'True',
        reason: 'r',
        lastUpdateTime: '2026-01-02T03:04:15Z',
        lastTransitionTime: '2026-01-02T03:04:05Z',
      },
    ]);
  });

  test('the approval endpoint changes conditions and metadata, but not the certificate and the spec', async () => {
    const { patch } = await openRequest();
    const members = { metadata: { labels: { a: 'b' } }, spec: { signerName: 'other.com/y' } };
    const { object } = await patch('approval', { ...withConditions('Approved'), certificate: PEM }, members);
    expect(objectAt(object, 'status')).not.toHaveProperty('certificate');
    expect(objectAt(object, 'metadata')?.['labels']).toEqual({ l: '1', a: 'b' });
    expect(objectAt(object, 'spec')?.['signerName']).toBe('example.com/x');
  });

  test('the approval and status endpoints own their fields of the status in managedFields', async () => {
    const { patch } = await openRequest();
    await patch('approval', withConditions('Approved'));
    const { object } = await patch('status', { certificate: PEM });
    const owned = (arrayAt(objectAt(object, 'metadata'), 'managedFields') ?? []).map((entry) => JSON.stringify(entry));
    expect(owned).toEqual([
      expect.stringMatching(/"fieldsV1":\{"f:metadata":.*"f:l"/),
      expect.stringMatching(/"f:conditions".*"subresource":"approval"/),
      expect.stringMatching(/"fieldsV1":\{"f:status":\{"f:certificate":\{\}\}\},"subresource":"status"/),
    ]);
  });

  const text = 'CertificateSigningRequest.certificates.platform.io "r" is invalid: ';
  test.each<['approval' | 'status', JsonObject, string]>([
    ['approval', { conditions: [{ type: 'Approved' }] }, 'status.conditions[0].status: Required value'],
    [
      'approval',
      { conditions: [{ type: 'Approved', status: 'False' }] },
      'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
    ],
    [
      'approval',
      { conditions: [{ type: 'Custom', status: 'What' }] },
      'status.conditions[0].status: Unsupported value: "What": supported values: "False", "True", "Unknown"',
    ],
    [
      'approval',
      withConditions('Approved', 'Denied'),
      'status.conditions[1].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    ],
    ['approval', withConditions('Approved', 'Approved'), 'status.conditions[1].type: Duplicate value: "Approved"'],
    ['status', withConditions('Approved'), 'status.conditions: Forbidden: updates may not add a condition of type "Approved"'],
    [
      'status',
      { certificate: 'AAAA' },
      'status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block',
    ],
    [
      'status',
      { certificate: OTHER_PEM },
      'status.certificate: Invalid value: "<certificate data>": only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"',
    ],
  ])('the %s endpoint rejects the status %j', async (subresource, status, message) => {
    const { patch } = await openRequest();
    expect(await refusalStatus(patch(subresource, status))).toMatchObject({ code: 422, message: text + message });
  });

  test('the approval endpoint rejects the removal of Approved and Failed conditions', async () => {
    const { patch } = await openRequest();
    await patch('approval', withConditions('Approved', 'Failed'));
    expect(await refusalStatus(patch('approval', { conditions: [] }))).toMatchObject({
      message:
        `${text}[status.conditions: Forbidden: updates may not remove a condition of type "Approved", ` +
        'status.conditions: Forbidden: updates may not remove a condition of type "Failed"]',
    });
  });

  test('the status endpoint rejects the removal of an issued certificate', async () => {
    const { fixture, patch } = await openRequest();
    await patch('status', { certificate: PEM });
    expect(
      await refusalStatus(fixture.patch(REQUEST, 'r', 'merge', { status: { certificate: null } }, { subresource: 'status' })),
    ).toMatchObject({
      message: `${text}status.certificate: Forbidden: updates may not modify existing certificate content`,
    });
  });
});

describe('the ephemeralcontainers subresource of a Pod', () => {
  const spec = { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', emptyDir: {} }] };

  /** A stored Pod, and a function that adds an ephemeral container to it. */
  async function openPod() {
    const fixture = await openWriteFixture();
    await fixture.create('pods', { metadata: { name: 'p' }, spec });
    await fixture.cache.catchUp();
    const patch = (container: JsonObject): Promise<WriteResult> =>
      fixture.patch('pods', 'p', 'strategic', { spec: { ephemeralContainers: [container] } }, { subresource: 'ephemeralcontainers' });
    return { fixture, patch };
  }

  test('adds ephemeral containers and changes nothing else', async () => {
    const { fixture } = await openPod();
    const body = {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'c', image: 'other' }], ephemeralContainers: [{ name: 'd', image: 'x', targetContainerName: 'c' }] },
      status: { phase: 'Failed' },
    };
    const { object } = await fixture.patch('pods', 'p', 'strategic', body, { subresource: 'ephemeralcontainers' });
    expect(object).toMatchObject({
      metadata: { name: 'p', managedFields: [{ manager: 'test', fieldsV1: expect.not.stringContaining('ephemeral') }] },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        ephemeralContainers: [{ name: 'd', image: 'x', targetContainerName: 'c', imagePullPolicy: 'Always' }],
      },
      status: { phase: 'Pending' },
    });
    expect(objectAt(object, 'metadata')).not.toHaveProperty('labels');
  });

  const forbiddenIn = (member: string): string =>
    `spec.ephemeralContainers[0].${member}: Forbidden: cannot be set for an Ephemeral Container`;
  test.each([
    [{ name: 'c', image: 'x' }, 'spec.ephemeralContainers[0].name: Duplicate value: "c"'],
    [{ name: 'd' }, 'spec.ephemeralContainers[0].image: Required value'],
    [{ name: 'd', image: 'x', targetContainerName: 'z' }, 'spec.ephemeralContainers[0].targetContainerName: Not found: "z"'],
    [{ name: 'd', image: 'x', ports: [{ containerPort: 1 }] }, forbiddenIn('ports')],
    [{ name: 'd', image: 'x', resources: { limits: { cpu: '1' } } }, forbiddenIn('resources')],
    [{ name: 'd', image: 'x', livenessProbe: { exec: { command: ['a'] } } }, forbiddenIn('livenessProbe')],
    [{ name: 'd', image: 'x', lifecycle: { preStop: { exec: { command: ['a'] } } } }, forbiddenIn('lifecycle')],
    [
      { name: 'd', image: 'x', volumeMounts: [{ name: 'w', mountPath: '/a' }] },
      'spec.ephemeralContainers[0].volumeMounts[0].name: Not found: "w"',
    ],
    [{ name: 'd', image: 'x', volumeMounts: [{ name: 'v', mountPath: '/a', subPath: 'q' }] }, forbiddenIn('volumeMounts[0].subPath')],
  ])('rejects the container %j', async (container, message) => {
    const { patch } = await openPod();
    expect(await refusalStatus(patch(container))).toMatchObject({ code: 422, message: `Pod "p" is invalid: ${message}` });
  });

  test('rejects the change and removal of existing ephemeral containers', async () => {
    const { fixture, patch } = await openPod();
    await patch({ name: 'd', image: 'x' });
    const text = 'Pod "p" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be ';
    expect(await refusalStatus(patch({ name: 'd', image: 'y' }))).toMatchObject({ message: `${text}changed\n` });
    const none = { spec: { ephemeralContainers: null } };
    expect(await refusalStatus(fixture.patch('pods', 'p', 'merge', none, { subresource: 'ephemeralcontainers' }))).toMatchObject({
      message: `${text}removed\n`,
    });
  });

  test('is the only way to add ephemeral containers: creating a Pod with some is rejected', async () => {
    const { fixture } = await openPod();
    const body = { metadata: { name: 'q' }, spec: { ...spec, ephemeralContainers: [{ name: 'd', image: 'x' }] } };
    expect(await refusalStatus(fixture.create('pods', body))).toMatchObject({
      message: 'Pod "q" is invalid: spec.ephemeralContainers: Forbidden: cannot be set on create',
    });
  });
});
