/**
 * Three replicas and controllers on machines with accurate clocks or clocks a minute ahead or behind: a server accepts
 * the tokens of another one with a clock at most a minute ahead of its own, a live leader keeps its Lease, no Event
 * expires while the clocks differ by less than its lifetime, and the log names the clock that differs.
 */
import { undefinedIfNotFound } from '../../../shared/client/rest/api-error';
import { readCertificate } from '../../../shared/pki/certificates';
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { resourceOf, type Resource } from '../../../shared/client/rest/resource';
import type { RestClient } from '../../../shared/client/rest/rest-client';
import { CERTIFICATE_REQUEST } from '../../support/certificates/certificate-request';
import { adminClient, clockAhead, startControllersWithEnvironment } from '../../support/control-plane';
import { describeWithEtcd } from '../../support/external/etcd';
import { sendOnce } from '../../support/http/send-once';
import { waitUntil, type ProgramProcess } from '../../support/programs';
import { replicaAt, useReplicas } from '../../support/use-replicas';
import { useResource } from '../../support/use-resource';

const NAMESPACES = resourceOf('core.v1.Namespace');
const ACCOUNTS = resourceOf('core.v1.ServiceAccount');
const MAPS = resourceOf('core.v1.ConfigMap');
const EVENTS = resourceOf('core.v1.Event');
const REQUESTS = resourceOf('certificates.v1.CertificateSigningRequest');
const LEASES = resourceOf('coordination.v1.Lease');
const MINUTE_MS = 60_000;

describeWithEtcd('on machines whose clocks differ by a minute', () => {
  /** Offset of each server's clock from this machine's, in milliseconds. */
  const offsets = [0, MINUTE_MS, -MINUTE_MS] as const;
  /** The index of each server in `offsets`. */
  const ACCURATE = 0;
  const AHEAD = 1;
  const BEHIND = 2;
  // Longer than the largest clock difference, so that no Event has expired when another server receives it.
  const args = ['--event-ttl=3m'];
  const replicas = useReplicas(
    'operate-clocks',
    offsets.map((offsetMs) => ({ args, environment: clockAhead(offsetMs) })),
  );
  const clients = useResource(
    () => replicas().servers.map(({ address, certificates }) => adminClient([address], certificates)),
    (opened) => opened.forEach((client) => client.close()),
  );
  const controllers = useResource<ProgramProcess[]>(
    () => [],
    async (started) => void (await Promise.all(started.map((process) => process.stop()))),
    60_000,
  );

  /** Starts controllers that use the server with this index. */
  const startControllers = (server: number, clockOffsetMs: number, ...args: readonly string[]): ProgramProcess => {
    const process = startControllersWithEnvironment(clockAhead(clockOffsetMs), replicaAt(replicas(), server), ...args);
    controllers().push(process);
    return process;
  };
  const anyClient = (): RestClient => {
    const [first] = clients();
    if (first === undefined) throw new Error('there is no server');
    return first;
  };

  interface IssuedToken {
    readonly token: string;
    /** Milliseconds since 1970, set by the clock of the server. */
    readonly expiresAt: number;
  }

  /** Requests a token of a ServiceAccount without permissions from one server. */
  async function requestToken(client: RestClient, account: string, expirationSeconds: number): Promise<IssuedToken> {
    const issued = await client.of(ACCOUNTS).namespace('default').createSubresource(account, 'token', tokenRequest(expirationSeconds));
    const status = objectAt(issued, 'status');
    return { token: stringAt(status, 'token') ?? '', expiresAt: Date.parse(stringAt(status, 'expirationTimestamp') ?? '') };
  }

  test('a token for the requested time is accepted by servers with clocks at most a minute behind', async () => {
    const name = 'holder';
    await anyClient().of(ACCOUNTS).namespace('default').create({ metadata: { name } });
    for (const [issuer, client] of clients().entries()) {
      const issuerOffset = offsets[issuer] ?? 0;
      const { token, expiresAt } = await requestToken(client, name, 600);
      const expectedExpiry = Date.now() + issuerOffset + 600_000;
      expect(Math.abs(expiresAt - expectedExpiry)).toBeLessThan(30_000);
      for (const [acceptor, { address, certificates }] of replicas().servers.entries()) {
        // A server accepts a token up to a minute before its issue time; two of these clocks differ by more.
        const issuerAheadMs = issuerOffset - (offsets[acceptor] ?? 0);
        if (issuerAheadMs <= MINUTE_MS) expect(await statusWith(address, certificates.authority, token)).toBe(403);
      }
    }
  }, 60_000);

  test('objects and Events written through one server are read through the others', async () => {
    for (const [index, client] of clients().entries()) {
      const metadata = { namespace: 'default', name: `from-${index}` };
      await client.of(MAPS).namespace(metadata.namespace).create({ metadata });
      await client
        .of(EVENTS)
        .namespace(metadata.namespace)
        .create({ metadata, involvedObject: { kind: 'ConfigMap', ...metadata }, reason: 'Test', type: 'Normal' });
    }
    for (const client of clients()) {
      const names = (await client.of(MAPS).namespace('default').list()).items.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['from-0', 'from-1', 'from-2']));
    }
  }, 60_000);

  test('the controllers keep one leader and reconcile', async () => {
    const first = startControllers(BEHIND, MINUTE_MS, '--controllers=serviceaccount');
    await waitUntil('the first copy to lead', () => first.output.includes('"leading"'), 60_000);
    const others = [
      startControllers(AHEAD, -MINUTE_MS, '--controllers=serviceaccount'),
      startControllers(AHEAD, 0, '--controllers=serviceaccount'),
    ];
    for (const other of others)
      await waitUntil('another copy to wait', () => other.output.includes('another process is the leader, waiting'), 60_000);
    const before = await leaseSpec();
    // Longer than the other copies wait before they replace an unresponsive leader.
    const isRenewedForLong = async (): Promise<boolean> => renewTimeOf(await leaseSpec()) - renewTimeOf(before) > 25_000;
    await waitUntil('the Lease to be renewed for a while', isRenewedForLong, 90_000);
    const { holderIdentity, leaseTransitions } = before;
    expect(await leaseSpec()).toMatchObject({ holderIdentity, leaseTransitions });
    for (const other of others) expect(other.output).not.toContain('"leading"');
    await anyClient()
      .of(NAMESPACES)
      .create({ metadata: { name: 'later' } });
    await waitUntil('the account of a new namespace', () => exists(ACCOUNTS, 'later', 'default'), 30_000);
    for (const index of [0, 1, 2]) expect(await exists(EVENTS, 'default', `from-${index}`)).toBe(true);
  }, 180_000);

  test('a certificate signed by controllers with the fastest clock is valid on every machine', async () => {
    startControllers(ACCURATE, MINUTE_MS, '--controllers=csrsigning');
    const pem = Buffer.from(CERTIFICATE_REQUEST.trim()).toString('base64');
    const spec = { request: pem, signerName: 'platform.io/kube-apiserver-client', usages: ['client auth'] };
    const { body } = await anyClient()
      .of(REQUESTS)
      .create({ metadata: { name: 'requested' }, spec });
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }];
    await anyClient()
      .of(REQUESTS)
      .updateSubresource('approval', { ...body, status: { conditions } });
    const certificate = await waitUntil(
      'the certificate',
      async () => {
        const { body: present } = await anyClient().of(REQUESTS).get('requested');
        return stringAt(objectAt(present, 'status'), 'certificate');
      },
      60_000,
    );
    const { notBefore } = readCertificate(Buffer.from(certificate, 'base64').toString());
    // Valid before the slowest clock reads the time of its creation.
    expect(notBefore).toBeLessThan(Date.now() - 2 * MINUTE_MS);
  }, 120_000);

  test('each server logs which other clock differs and by how much', async () => {
    for (const [index, { process }] of replicas().servers.entries()) {
      for (const [otherIndex, otherOffset] of offsets.entries()) {
        if (otherIndex === index) continue;
        const aheadSeconds = (otherOffset - (offsets[index] ?? 0)) / 1_000;
        const direction = aheadSeconds > 0 ? 'ahead of' : 'behind';
        // The delay of a message can change the measured difference by a second.
        const seconds = [-1, 0, 1].map((error) => Math.abs(aheadSeconds) + error).join('|');
        const line = new RegExp(`the clock of another API server is (${seconds}) s ${direction} the clock of this one: .*NTP`);
        await waitUntil(`${line}`, () => line.test(process.output), 90_000);
      }
    }
  }, 200_000);

  const tokenRequest = (expirationSeconds: number): JsonObject => ({
    apiVersion: 'authentication.platform.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: [], expirationSeconds },
  });

  async function leaseSpec(): Promise<JsonObject> {
    const { body } = await anyClient().of(LEASES).namespace('platform-system').get('controller-serviceaccount');
    return objectAt(body, 'spec') ?? {};
  }

  const exists = async (resource: Resource, namespace: string, name: string): Promise<boolean> =>
    (await undefinedIfNotFound(anyClient().of(resource).namespace(namespace).get(name))) !== undefined;
});

const renewTimeOf = (leaseSpec: JsonObject): number => Date.parse(stringAt(leaseSpec, 'renewTime') ?? '');

/**
 * Status of a request with the token of a user without permissions: 403 when the token authenticates, 401 when it does
 * not.
 */
async function statusWith(address: string, ca: string, token: string): Promise<number> {
  const { port } = new URL(address);
  const headers = { authorization: `Bearer ${token}` };
  return (await sendOnce({ port, path: '/api/v1/namespaces/default/secrets', ca, headers })).status;
}
