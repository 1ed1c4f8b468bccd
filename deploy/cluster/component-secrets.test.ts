import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { coversNames, isIssuedBy } from '../../shared/pki/certificates';
import { ApiError } from '../../shared/client/rest/api-error';
import type { CoreV1Secret } from '../../shared/api/types/generated/members';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { useFolder } from '../../test/support/use-resource';
import { ensureComponentSecrets, type SecretStore } from './component-secrets';
import type { ComponentFilesOptions } from './component-files';

const DAY_MS = 86_400_000;
const FILES: ComponentFilesOptions = {
  externalAddress: 'https://api.example.com:6443',
  internalAddress: 'https://[fd00::1]:443',
  serverNames: ['10.0.0.1'],
  controllersNames: ['platform-controllers.cp.svc'],
  etcdCertificates: [{ folder: 'etcd', file: 'etcd', names: ['platform-etcd-0.platform-etcd.cp.svc'] }],
};

/** Stores Secrets by name; an update must have the version of the stored Secret. */
class FakeSecrets implements SecretStore {
  readonly stored = new Map<string, CoreV1Secret>();
  readonly writes: string[] = [];
  private version = 0;

  async get(name: string): Promise<CoreV1Secret | undefined> {
    return this.stored.get(name);
  }

  create(secret: CoreV1Secret): Promise<CoreV1Secret> {
    return this.store(secret);
  }

  async update(secret: CoreV1Secret): Promise<CoreV1Secret> {
    const current = this.stored.get(secret.metadata?.name ?? '')?.metadata?.resourceVersion;
    if (secret.metadata?.resourceVersion !== current) throw new ApiError(409, 'Conflict', 'the object has been modified');
    return this.store(secret);
  }

  text(name: string, key: string): string {
    return Buffer.from(this.stored.get(name)?.data?.[key] ?? '', 'base64').toString();
  }

  private async store(object: CoreV1Secret): Promise<CoreV1Secret> {
    const name = object.metadata?.name ?? '';
    this.version += 1;
    const secret = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.version) } };
    this.stored.set(name, secret);
    this.writes.push(name);
    return secret;
  }
}

const temporaryFolder = useFolder('component-secrets');

function setUp() {
  const secrets = new FakeSecrets();
  const clock = new ManualClock();
  const options = { clock, temporaryFolder, namespace: 'cp', prefix: 'platform', labels: { app: 'x' } };
  const ensure = (files: Partial<ComponentFilesOptions> = {}, store: SecretStore = secrets) =>
    ensureComponentSecrets({ ...options, store }, { ...FILES, ...files });
  return { secrets, clock, ensure };
}

const digest = (secrets: FakeSecrets): string =>
  createHash('sha256')
    .update(JSON.stringify([...secrets.stored]))
    .digest('hex');

describe('ensureComponentSecrets', () => {
  it('creates one Secret for each component, with only the keys that it needs', async () => {
    const { secrets, ensure } = setUp();
    expect(await ensure()).toEqual(secrets.writes);
    const keys = [...secrets.stored].map(([name, { data = {} }]) => [
      name,
      Object.keys(data)
        .filter((key) => key.endsWith('.key'))
        .sort(),
    ]);
    expect(Object.fromEntries(keys)).toEqual({
      'platform-admin': ['admin.key'],
      'platform-apiserver': ['apiserver.key', 'etcd-client.key', 'front-proxy-client.key', 'kubelet-client.key', 'sa.key'],
      'platform-authority': ['ca.key', 'front-proxy-ca.key'],
      'platform-controllers': ['controllers.key', 'serving.key'],
      'platform-etcd': ['etcd.key'],
      'platform-etcd-authority': ['ca.key'],
      'platform-monitoring': ['prometheus.key'],
      'platform-tokens': ['sa.key'],
    });
    expect(secrets.stored.get('platform-etcd')).toMatchObject({ type: 'Opaque', metadata: { namespace: 'cp', labels: { app: 'x' } } });
  });

  it('covers the hosts of both URLs and the names of etcd and of the controllers', async () => {
    const { secrets, ensure } = setUp();
    await ensure();
    const serving = secrets.text('platform-apiserver', 'apiserver.crt');
    expect(coversNames(serving, ['api.example.com', 'fd00::1', '10.0.0.1', 'localhost'])).toBe(true);
    expect(coversNames(secrets.text('platform-etcd', 'etcd.crt'), ['platform-etcd-0.platform-etcd.cp.svc'])).toBe(true);
    expect(coversNames(secrets.text('platform-controllers', 'serving.crt'), ['platform-controllers.cp.svc'])).toBe(true);
    expect(secrets.text('platform-controllers', 'kubeconfig')).toContain('server: https://[fd00::1]:443');
    expect(secrets.text('platform-admin', 'admin.kubeconfig')).toContain('server: https://api.example.com:6443');
  });

  it('writes nothing when all Secrets are valid, and leaves no files behind', async () => {
    const { secrets, ensure } = setUp();
    await ensure();
    const before = digest(secrets);
    expect(await ensure()).toEqual([]);
    expect(digest(secrets)).toBe(before);
    expect(readdirSync(temporaryFolder)).toEqual([]);
  });

  it('renews expiring certificates, and keeps authorities, token keys and unknown keys of a Secret', async () => {
    const { secrets, clock, ensure } = setUp();
    await ensure();
    const admin = secrets.stored.get('platform-admin') ?? {};
    secrets.stored.set('platform-admin', { ...admin, data: { ...admin.data, note: 'aGk=' } });
    const kept = () => [secrets.text('platform-authority', 'ca.crt'), secrets.text('platform-tokens', 'sa.key')];
    const before = kept();
    const certificate = secrets.text('platform-admin', 'admin.crt');
    clock.advance(300 * DAY_MS);
    expect(await ensure()).toEqual(['apiserver', 'etcd', 'controllers', 'monitoring', 'admin'].map((name) => `platform-${name}`));
    expect(kept()).toEqual(before);
    expect(secrets.text('platform-admin', 'admin.crt')).not.toBe(certificate);
    expect(secrets.text('platform-admin', 'note')).toBe('hi');
  });

  it('issues certificates from an authority that is stored before', async () => {
    const first = setUp();
    const second = setUp();
    await first.ensure();
    const { data = {} } = first.secrets.stored.get('platform-authority') ?? {};
    second.secrets.stored.set('platform-authority', { metadata: { name: 'platform-authority', resourceVersion: '0' }, data });
    expect(await second.ensure()).not.toContain('platform-authority');
    const admin = {
      certificate: second.secrets.text('platform-admin', 'admin.crt'),
      key: second.secrets.text('platform-admin', 'admin.key'),
    };
    expect(isIssuedBy(admin, first.secrets.text('platform-authority', 'ca.crt'))).toBe(true);
  });

  it('creates nothing for etcd when etcd has its certificates from elsewhere', async () => {
    const { secrets, ensure } = setUp();
    await ensure({ etcdCertificates: [] });
    expect([...secrets.stored.keys()].filter((name) => name.includes('etcd'))).toEqual([]);
    expect(secrets.stored.get('platform-apiserver')?.data).not.toHaveProperty('etcd-client.key');
  });

  it('fails without overwriting a Secret that was changed meanwhile', async () => {
    const { secrets, clock, ensure } = setUp();
    await ensure();
    clock.advance(300 * DAY_MS);
    const store: SecretStore = {
      create: (secret) => secrets.create(secret),
      update: (secret) => secrets.update(secret),
      async get(name) {
        const secret = await secrets.get(name);
        secrets.stored.set(name, { ...secret, metadata: { ...secret?.metadata, resourceVersion: 'newer' } });
        return secret;
      },
    };
    await expect(ensure({}, store)).rejects.toThrow('the object has been modified');
  });
});
