/** User-Agent headers of the controllers, read from the audit log of the API server. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { waitUntil } from '../../support/programs';
import { useSimulatedCluster } from '../../support/scenarios/use-simulated-cluster';
import { useFolder } from '../../support/use-resource';

const POLICY = 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n';

/** The name of the program with its version, operating system and processor, the product with its commit, and a suffix. */
const UPSTREAM_AGENT = /^kube-controller-manager\/v1\.31\.1 \((?:\w+\/\w+)\) kubernetes\/unknown\/([\w:-]+)$/;
const PLATFORM_AGENT = /^controllers\/v1\.31\.1 \((?:\w+\/\w+)\) platform\/unknown\/([\w:-]+)$/;

describe.each([
  {
    naming: '--naming=kubernetes',
    flags: ['--use-service-account-credentials=false'],
    pattern: UPSTREAM_AGENT,
    suffixes: ['shared-informers', 'leader-election', 'service-account-controller', 'root-ca-cert-publisher'],
  },
  {
    naming: '--naming=kubernetes',
    flags: [],
    pattern: UPSTREAM_AGENT,
    suffixes: [
      'kube-controller-manager',
      'shared-informers',
      'leader-election',
      'system:serviceaccount:kube-system:service-account-controller',
      'system:serviceaccount:kube-system:root-ca-cert-publisher',
    ],
  },
  {
    naming: '--naming=platform',
    flags: [],
    pattern: PLATFORM_AGENT,
    suffixes: [
      'controllers',
      'shared-informers',
      'leader-election',
      'system:serviceaccount:platform-system:service-account-controller',
      'system:serviceaccount:platform-system:root-ca-cert-publisher',
    ],
  },
])('controllers with $naming $flags', ({ naming, flags, pattern, suffixes }) => {
  const folder = useFolder('user-agents');
  const log = path.join(folder, 'audit.log');
  const { cluster } = useSimulatedCluster(() => {
    const policy = path.join(folder, 'policy.yaml');
    writeFileSync(policy, POLICY);
    const audit = [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`];
    return { serverArgs: [naming, ...audit], controllerArgs: [naming, ...flags] };
  });

  /** The distinct user agents in the audit log. */
  const loggedUserAgents = (): readonly string[] => {
    const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
    return [...new Set(lines.map((line) => /"userAgent":"([^"]*)"/.exec(line)?.[1] ?? ''))];
  };

  test('send User-Agent headers in the upstream form, ending in the controller, its account or the shared task', async () => {
    const seenSuffixes = (): readonly string[] => loggedUserAgents().flatMap((agent) => pattern.exec(agent)?.[1] ?? []);
    const haveSentRequests = (): boolean => suffixes.every((suffix) => seenSuffixes().includes(suffix));
    await waitUntil(`requests of ${suffixes.join(', ')}`, haveSentRequests, { timeoutMs: 30_000, clock: cluster().clock });
    expect(loggedUserAgents().filter((agent) => agent !== '' && !pattern.test(agent))).toEqual([]);
  }, 60_000);
});
