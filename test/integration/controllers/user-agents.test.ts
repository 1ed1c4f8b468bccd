/** User-Agent headers of the controllers, read from the audit log of the API server. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { removeFolder, temporaryFolder, waitUntil } from '../../support/programs';
import { startSimulatedCluster, type SimulatedCluster } from '../../support/simulated-cluster';

const POLICY = 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n';

describe.each([
  {
    args: ['--naming=kubernetes', '--use-service-account-credentials=false'],
    form: /^kube-controller-manager\/v1\.31\.1 \((\w+\/\w+)\) kubernetes\/unknown\/([\w:-]+)$/,
    parts: ['shared-informers', 'leader-election', 'service-account-controller', 'root-ca-cert-publisher'],
  },
  {
    args: ['--naming=kubernetes'],
    form: /^kube-controller-manager\/v1\.31\.1 \((\w+\/\w+)\) kubernetes\/unknown\/([\w:-]+)$/,
    parts: [
      'kube-controller-manager',
      'shared-informers',
      'leader-election',
      'system:serviceaccount:kube-system:service-account-controller',
      'system:serviceaccount:kube-system:root-ca-cert-publisher',
    ],
  },
  {
    args: ['--naming=platform'],
    form: /^controllers\/v1\.31\.1 \((\w+\/\w+)\) platform\/unknown\/([\w:-]+)$/,
    parts: [
      'controllers',
      'shared-informers',
      'leader-election',
      'system:serviceaccount:platform-system:service-account-controller',
      'system:serviceaccount:platform-system:root-ca-cert-publisher',
    ],
  },
])('controllers with $args', ({ args, form, parts }) => {
  const folder = temporaryFolder('user-agents');
  const log = path.join(folder, 'audit.log');
  let cluster: SimulatedCluster;

  beforeAll(async () => {
    const policy = path.join(folder, 'policy.yaml');
    writeFileSync(policy, POLICY);
    const naming = args.slice(0, 1);
    const audit = [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`];
    cluster = await startSimulatedCluster({ serverArgs: [...naming, ...audit], controllerArgs: args });
  }, 60_000);

  afterAll(async () => {
    await cluster.stop();
    removeFolder(folder);
  }, 60_000);

  /** The distinct user agents in the audit log. */
  const agents = (): readonly string[] => {
    const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
    return [...new Set(lines.map((line) => /"userAgent":"([^"]*)"/.exec(line)?.[1] ?? ''))];
  };

  test('send User-Agent headers in the upstream form, ending in the controller, its account or the shared task', async () => {
    const wanted = new Set<string>(parts);
    const found = (): readonly string[] => agents().flatMap((agent) => form.exec(agent)?.[2] ?? []);
    await waitUntil(`requests of ${parts.join(', ')}`, () => [...wanted].every((part) => found().includes(part)), 30_000, cluster.clock);
    expect(agents().filter((agent) => agent !== '' && !form.test(agent))).toEqual([]);
  }, 60_000);
});
