import type { RunState } from './run-state';
import { backgroundSummary, containerName } from './start-summary';

/** The space in the path makes quotes necessary in the commands. */
const DATA_DIR = '/var/lib/my data';
const STATE: RunState = {
  pid: 17,
  startedAt: '2026-01-01T00:00:00Z',
  replicas: [{ name: 'apiserver', address: 'https://127.0.0.1:6443', insecureAddress: 'http://127.0.0.1:8080' }],
  etcdServers: [],
  logs: `${DATA_DIR}/logs`,
};
const START = { state: STATE, kubeconfig: `${DATA_DIR}/admin.kubeconfig` };

describe('backgroundSummary', () => {
  it('prints outside of containers the addresses, the path of the kubeconfig to export, and the commands', () => {
    const text = backgroundSummary({ ...START, flag: ` --data-dir='${DATA_DIR}'`, container: undefined });
    expect(text).toBe(`The control plane is ready and runs in the background (process 17).

  HTTPS       https://127.0.0.1:6443
  HTTP        http://127.0.0.1:8080   (this machine only, acts as administrator)
  kubeconfig  /var/lib/my data/admin.kubeconfig
  logs        /var/lib/my data/logs

  export KUBECONFIG='/var/lib/my data/admin.kubeconfig'

'platform status --data-dir='/var/lib/my data'' shows its state, 'platform stop --data-dir='/var/lib/my data'' ends it.`);
  });

  it('prints in a container how the host gets the kubeconfig, and the commands that the host runs', () => {
    const text = backgroundSummary({ ...START, flag: ' --data-dir=/data', container: '1a2b3c4d5e6f' });
    expect(text).toContain('  HTTP        http://127.0.0.1:8080   (this container only, acts as administrator)');
    expect(text).toContain(`Try on the host:

  docker exec 1a2b3c4d5e6f platform kubeconfig --data-dir=/data > admin.kubeconfig
  export KUBECONFIG=$PWD/admin.kubeconfig
`);
    expect(text).toContain("'docker exec 1a2b3c4d5e6f platform status --data-dir=/data' shows its state");
    expect(text).toContain("'docker exec 1a2b3c4d5e6f platform stop --data-dir=/data' ends it");
    // The host does not have the file of the container.
    expect(text).not.toContain("export KUBECONFIG='");
  });
});

describe('containerName', () => {
  it.each([
    { title: 'is undefined without the variable `container`', environment: {}, name: undefined },
    { title: 'is undefined when `container` is empty', environment: { container: '', HOSTNAME: 'a' }, name: undefined },
    { title: 'is the host name in a container', environment: { container: 'oci', HOSTNAME: '1a2b3c4d5e6f' }, name: '1a2b3c4d5e6f' },
    {
      title: 'is a placeholder when a shell would not read the host name as one word',
      environment: { container: 'podman', HOSTNAME: 'a; b' },
      name: 'CONTAINER',
    },
    { title: 'is a placeholder without a host name', environment: { container: 'oci' }, name: 'CONTAINER' },
  ])('$title', ({ environment, name }) => expect(containerName(environment)).toBe(name));
});
