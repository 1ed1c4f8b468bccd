import { backgroundSummary, containerName } from './start-summary';

const STATE = {
  pid: 17,
  startedAt: '2026-01-01T00:00:00Z',
  replicas: [{ name: 'apiserver', address: 'https://127.0.0.1:6443', insecureAddress: 'http://127.0.0.1:8080' }],
  etcdServers: [],
  logs: '/var/lib/my data/logs',
};
const START = { state: STATE, kubeconfig: '/var/lib/my data/admin.kubeconfig', flag: " --data-dir='/var/lib/my data'" };

describe('backgroundSummary', () => {
  it('exports the path of the kubeconfig on this machine', () => {
    expect(backgroundSummary({ ...START, container: undefined })).toBe(`The control plane is ready and runs in the background (process 17).

  HTTPS       https://127.0.0.1:6443
  HTTP        http://127.0.0.1:8080   (this machine only, acts as administrator)
  kubeconfig  /var/lib/my data/admin.kubeconfig
  logs        /var/lib/my data/logs

  export KUBECONFIG='/var/lib/my data/admin.kubeconfig'

'platform status --data-dir='/var/lib/my data'' shows its state, 'platform stop --data-dir='/var/lib/my data'' ends it.`);
  });

  it('prints in a container how the host gets the kubeconfig, and the commands that the host runs', () => {
    const text = backgroundSummary({ ...START, flag: ' --data-dir=/data', container: '1a2b3c4d5e6f' });
    expect(text).toContain(`  HTTP        http://127.0.0.1:8080   (this container only, acts as administrator)`);
    expect(text).toContain(`Try on the host:

  docker exec 1a2b3c4d5e6f platform kubeconfig --data-dir=/data > admin.kubeconfig
  export KUBECONFIG=$PWD/admin.kubeconfig
`);
    expect(text).toMatch(
      /'docker exec 1a2b3c4d5e6f platform status --data-dir=\/data' shows its state, 'docker exec 1a2b3c4d5e6f platform stop --data-dir=\/data' ends it\.$/,
    );
    expect(text).not.toContain("export KUBECONFIG='");
  });
});

describe('containerName', () => {
  it.each([
    [{}, undefined],
    [{ container: '', HOSTNAME: 'a' }, undefined],
    [{ container: 'oci', HOSTNAME: '1a2b3c4d5e6f' }, '1a2b3c4d5e6f'],
    [{ container: 'podman', HOSTNAME: 'a; b' }, 'CONTAINER'],
    [{ container: 'oci' }, 'CONTAINER'],
  ])('is for %j the name %j', (environment, name) => expect(containerName(environment)).toBe(name));
});
