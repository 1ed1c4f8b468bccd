/** The arguments and addresses of the programs of a local control plane, from the options of its start. */
import { parseRunnerOptions } from '../../test/support/runner-options';
import type { RunnerOptions } from './options';
import { apiServerPlans, certifiedAddresses, controllersPlan, credentialsRequest, simulationPlan } from './plan';

const optionsOf = (...argv: string[]): RunnerOptions => parseRunnerOptions(['--data-dir=/d', ...argv]);

function plansOf(...argv: string[]) {
  const options = optionsOf(...argv);
  return { servers: apiServerPlans(options), controllers: controllersPlan(options) };
}

describe('the plan of a local control plane', () => {
  it('has one API server on the embedded store by default', () => {
    const [server, ...others] = plansOf().servers;
    expect(others).toEqual([]);
    expect(server).toMatchObject({ name: 'apiserver', secureAddress: 'https://127.0.0.1:6443', insecureAddress: undefined });
    expect(server?.args).toContain('--insecure-port=0');
    expect(server?.args).toEqual(
      expect.arrayContaining(['--storage-backend=embedded', '--storage-dir=/d/store', '--client-ca-file=/d/pki/ca.crt']),
    );
  });

  it('has replicas on consecutive ports with one etcd', () => {
    const { servers } = plansOf('--replicas=3', '--etcd-servers=http://a:1,http://b:1', '--secure-port=7000', '--insecure-port=9000');
    expect(servers.map(({ name, secureAddress, insecureAddress }) => [name, secureAddress, insecureAddress])).toEqual([
      ['apiserver-0', 'https://127.0.0.1:7000', 'http://127.0.0.1:9000'],
      ['apiserver-1', 'https://127.0.0.1:7001', 'http://127.0.0.1:9001'],
      ['apiserver-2', 'https://127.0.0.1:7002', 'http://127.0.0.1:9002'],
    ]);
    expect(servers[2]?.args).toEqual(
      expect.arrayContaining(['--secure-port=7002', '--insecure-port=9002', '--etcd-servers=http://a:1,http://b:1']),
    );
    expect(servers[2]?.args.join(' ')).not.toContain('embedded');
  });

  it('serves plain HTTP when an insecure port is set', () => {
    const [server] = plansOf('--insecure-port=8080').servers;
    expect(server?.insecureAddress).toBe('http://127.0.0.1:8080');
    expect(server?.args).toContain('--insecure-port=8080');
  });

  it.each([
    ['10.0.0.0/24', []],
    ['10.96.5.0/16', ['--service-cluster-ip-range=10.96.5.0/16']],
  ])('passes the service range %s to the API servers', (range, argv) => {
    expect(plansOf(...argv).servers[0]?.args).toContain(`--service-cluster-ip-range=${range}`);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['the first address of the default service range', [], ['10.0.0.1']],
    ['the first address of the first service range', ['--service-cluster-ip-range=10.96.5.0/16,fd00::/112'], ['10.96.0.1']],
    ['the advertised address', ['--service-cluster-ip-range=fd00::/112', '--advertise-address', '192.0.2.7'], ['fd00::1', '192.0.2.7']],
    ['no address of malformed flags', ['--service-cluster-ip-range=junk', '--advertise-address=junk'], []],
  ])('covers %s in the certificate', (_title, argv, addresses) => {
    expect(certifiedAddresses(optionsOf(...argv))).toEqual(addresses);
  });

  it.each([
    ['0.0.0.0', 'https://127.0.0.1:6443', []],
    ['::', 'https://[::1]:6443', []],
    ['192.0.2.7', 'https://192.0.2.7:6443', ['192.0.2.7']],
    ['fd00::7', 'https://[fd00::7]:6443', ['fd00::7']],
  ])('reaches API servers that are bound to %s at %s, and certifies that address', (address, server, certified) => {
    const options = optionsOf(`--bind-address=${address}`);
    const [plan] = apiServerPlans(options);
    expect(plan?.args).toContain(`--bind-address=${address}`);
    expect(plan?.secureAddress).toBe(server);
    expect(credentialsRequest(options)).toMatchObject({ server, externalServer: server, addresses: ['10.0.0.1', ...certified] });
    expect(controllersPlan(options)?.args).toContain('--bind-address=127.0.0.1');
  });

  it('gives the endpoint to the administrator only', () => {
    expect(credentialsRequest(optionsOf('--control-plane-endpoint=[fd00::9]:7443', '--secure-port=7000'))).toMatchObject({
      server: 'https://127.0.0.1:7000',
      externalServer: 'https://[fd00::9]:7443',
    });
  });

  it('adds the secure port to an endpoint without a port', () => {
    expect(credentialsRequest(optionsOf('--control-plane-endpoint=a.example.com', '--secure-port=7000')).externalServer).toBe(
      'https://a.example.com:7000',
    );
  });

  it('certifies the endpoint and the further names', () => {
    const names = '--apiserver-cert-extra-sans=a.example.com,192.0.2.8';
    expect(credentialsRequest(optionsOf('--control-plane-endpoint=[fd00::9]:7443', names))).toMatchObject({
      addresses: ['10.0.0.1', 'fd00::9', 'a.example.com', '192.0.2.8'],
    });
  });

  describe('for the tokens of service accounts', () => {
    const serviceAccountFlags = (...argv: string[]): string[] =>
      (plansOf(...argv).servers[0]?.args ?? []).filter((arg) => arg.includes('service-account'));
    const keys = ['--service-account-key-file=/d/pki/sa.pub', '--service-account-signing-key-file=/d/pki/sa.key'];
    const controllersKey = '--service-account-private-key-file=/d/pki/sa.key';

    it.each([
      ['platform', 'https://platform.default.svc.cluster.local'],
      ['kubernetes', 'https://kubernetes.default.svc.cluster.local'],
    ])('passes the keys of the data folder and the issuer of the naming %s to the API servers', (naming, issuer) => {
      expect(serviceAccountFlags(`--naming=${naming}`)).toEqual([`--service-account-issuer=${issuer}`, ...keys]);
    });

    it('passes the keys next to a flag that sets no key', () => {
      const flag = '--service-account-max-token-expiration=2h';
      expect(serviceAccountFlags(flag)).toEqual(expect.arrayContaining([...keys, flag]));
    });

    it('passes no keys when the user sets the issuer', () => {
      expect(serviceAccountFlags('--service-account-issuer=me')).toEqual(['--service-account-issuer=me']);
    });

    it('passes the private key to the controllers unless the user sets a key', () => {
      expect(plansOf().controllers?.args).toContain(controllersKey);
      expect(plansOf('--service-account-key-file=f').controllers?.args).not.toContain(controllersKey);
    });
  });

  it('appends the flags of the user, which take precedence', () => {
    const args = plansOf('--log-level=debug').servers[0]?.args ?? [];
    expect(args.at(-1)).toBe('--log-level=debug');
  });

  it('gives the API servers a certificate for kubelets, unless the user names another', () => {
    const flag = '--kubelet-client-certificate';
    expect(plansOf().servers[0]?.args).toEqual(
      expect.arrayContaining([`${flag}=/d/pki/kubelet-client.crt`, '--kubelet-client-key=/d/pki/kubelet-client.key']),
    );
    const own = plansOf(`${flag}=/own.crt`, '--kubelet-client-key=/own.key').servers[0]?.args ?? [];
    expect(own.findLast((arg) => arg.startsWith(flag))).toBe(`${flag}=/own.crt`);
  });

  it('has controllers unless all are disabled', () => {
    expect(plansOf().controllers?.args).toEqual(
      expect.arrayContaining(['--controllers=*,tokencleaner,bootstrapsigner', '--kubeconfig=/d/controllers.kubeconfig']),
    );
    expect(plansOf('--controllers=*,-node').controllers?.args).toContain('--controllers=*,-node');
    expect(plansOf('--controllers=-*').controllers).toBeUndefined();
  });

  it('passes the root certificate to the controllers', () => {
    expect(plansOf().controllers?.args).toContain('--root-ca-file=/d/pki/ca.crt');
  });

  it('passes the addresses of several API servers to the controllers', () => {
    const several = plansOf('--replicas=2', '--etcd-servers=http://a:1', '--secure-port=7000').controllers?.args;
    expect(several).toContain('--master=https://127.0.0.1:7000,https://127.0.0.1:7001');
    expect(plansOf().controllers?.args.join(' ')).not.toContain('--master');
  });

  it('passes the last naming that the user sets to the controllers', () => {
    expect(plansOf('--naming=platform', '--naming', 'kubernetes').controllers?.args).toContain('--naming=kubernetes');
    expect(plansOf().controllers?.args.join(' ')).not.toContain('--naming');
  });

  it('simulates nodes only when the user asks for some', () => {
    expect(simulationPlan(optionsOf())).toBeUndefined();
    const plan = simulationPlan(optionsOf('--simulated-nodes=5', '--simulated-node-capacity=cpu=4,pods=20', '--naming=kubernetes'));
    expect(plan).toMatchObject({ name: 'simulation', program: 'controllers/simulation/main.js' });
    expect(plan?.args).toEqual(
      expect.arrayContaining([
        '--kubeconfig=/d/simulation.kubeconfig',
        '--nodes=5',
        '--node-capacity=cpu=4,pods=20',
        '--naming=kubernetes',
        '--requestheader-client-ca-file=/d/pki/front-proxy-ca.crt',
      ]),
    );
  });

  it('passes the addresses of several API servers to the simulation', () => {
    const plan = simulationPlan(optionsOf('--simulated-nodes=1', '--replicas=2', '--etcd-servers=http://a:1'));
    expect(plan?.args).toContain('--master=https://127.0.0.1:6443,https://127.0.0.1:6444');
  });

  it('passes no front-proxy authority to the simulation when the user sets one', () => {
    const plan = simulationPlan(optionsOf('--simulated-nodes=1', '--requestheader-client-ca-file=/own.crt'));
    expect(plan?.args.join(' ')).not.toContain('requestheader');
  });
});
